"""How much work the programs of one submission may be: a limit for each run, and one for all of them."""

from __future__ import annotations

from grader.execution.simulator import Fuel

STEPS, ELEMENTS = 150_000, 1_000_000_000
"""For one run of one program: equations run (about two seconds of them), and elements computed."""
ALL_STEPS, ALL_ELEMENTS = 3_000_000, 20_000_000_000
"""For all runs of all programs of a submission."""


class Tank:
    """What is left for a submission; `draw` gives the fuel of one run and takes back what the last one left."""

    def __init__(self, steps: int = ALL_STEPS, elements: int = ALL_ELEMENTS) -> None:
        self.steps, self.elements = steps, elements
        self.drawn = Fuel(0, 0)

    def draw(self) -> Fuel:
        self.steps += self.drawn.steps
        self.elements += self.drawn.elements
        steps, elements = max(min(STEPS, self.steps), 0), max(min(ELEMENTS, self.elements), 0)
        self.steps -= steps
        self.elements -= elements
        self.drawn = Fuel(steps, elements)
        return self.drawn
