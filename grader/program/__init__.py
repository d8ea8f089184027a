"""A traced program as plain data: its types, its bytes, what of it matters, and its digest."""
