"""What a mistyped name was probably meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence to put after "there is no such …": the nearest of ``known``, or all of them when none is near."""
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if near:
        return f"Did you mean {near[0]}?"
    if not names:
        return "There are none."
    return f"There {'is' if len(names) == 1 else 'are'}: {', '.join(names)}."
