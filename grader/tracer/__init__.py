"""The untrusted side: loads a submission, traces it, and hands over programs as data."""
