"""Proves that a problem's package is whole: statement, cases, reference solution, rules, known submissions."""
