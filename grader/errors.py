"""The one way in which the judge says that it cannot begin: wrong usage, or files of ours that are broken."""

from __future__ import annotations


class Unusable(Exception):
    """Wrong usage, or an unusable case or problem file. Its text is for the person who typed the command.

    The command line prints it and exits with status 2; nothing is said about any submission.
    """
