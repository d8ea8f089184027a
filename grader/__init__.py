"""A judge for JAX programs: is the traced program built right, and are its numbers right?"""

__version__ = "0.1.0"
