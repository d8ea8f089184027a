"""The vocabulary of structural rules; a problem puts its rules together from it."""
