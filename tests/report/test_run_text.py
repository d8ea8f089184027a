"""What a run returned, word for word: outputs, and the map of what each device holds."""

from __future__ import annotations

import textwrap

import msgspec
import pytest

from grader.report.model import Block, Devices, Held, Layout, RunOutput
from grader.report.page import Look
from grader.report.run_text import render
from tests.report.reports import DEVICES, RAN, dealt


def page(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def test_a_run() -> None:
    assert render(RAN) == page("""
        Ran: mine.py
        Problem: tensor_parallel_mlp

        Devices (model=8)  0 1 2 3 4 5 6 7

        x  float32 (2, 3)  input
          All 8 devices hold the whole of it.

        out  float32 (1, 1)
          [[2.5]]
          All 8 devices hold the whole of it.

        hidden  float32 (1, 16)
          [
            [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0,
          7.5]
          ]
          Split along axis 1: each device holds a block of shape (1, 2).
            0011223344556677   device 0 [0:1, 0:2] = [[0.0, 0.5]]
                               device 1 [0:1, 2:4] = [[1.0, 1.5]]
                               device 2 [0:1, 4:6] = [[2.0, 2.5]]
                               device 3 [0:1, 6:8] = [[3.0, 3.5]]
                               device 4 [0:1, 8:10] = [[4.0, 4.5]]
                               device 5 [0:1, 10:12] = [[5.0, 5.5]]
                               device 6 [0:1, 12:14] = [[6.0, 6.5]]
                               device 7 [0:1, 14:16] = [[7.0, 7.5]]

        Printed by the submission
          │ hello

        0.50 s · JAX 0.10.2 · sandbox: none
        """)


def test_rows_and_columns_of_the_inputs() -> None:
    report = msgspec.structs.replace(RAN, outputs=(), output="", seconds=0, devices=DEVICES)
    text = render(report)
    assert (
        page("""
        w1  float32 (3, 16)  input
          Split along axis 1: each device holds a block of shape (3, 2).
            0011223344556677   device 0 [0:3, 0:2]
            0011223344556677   device 1 [0:3, 2:4]
            0011223344556677   device 2 [0:3, 4:6]
                               device 3 [0:3, 6:8]
        """)
        in text
    )
    assert (
        page("""
        w2  float32 (16, 4)  input
          Split along axis 0: each device holds a block of shape (2, 4).
            0000   device 0 [0:2, 0:4]
            1111   device 1 [2:4, 0:4]
        """)
        in text
    )
    assert "hidden" not in text  # outputs tell themselves where they are


def test_a_narrow_terminal_has_the_map_above() -> None:
    lines = render(RAN, None, Look(width=44)).splitlines()
    where = lines.index("    0011223344556677")
    assert lines[where + 1 : where + 3] == [
        "    device 0 [0:1, 0:2] = [[0.0, 0.5]]",
        "    device 1 [0:1, 2:4] = [[1.0, 1.5]]",
    ]


@pytest.mark.parametrize("width", [30, 60, 80, 100])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    text = render(msgspec.structs.replace(RAN, devices=DEVICES), None, Look(width=width, unicode=False))
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= width


def test_each_device_has_its_colour_and_its_number() -> None:
    text = render(RAN, None, Look(color=True))
    assert "\x1b[30;43m00\x1b[0m\x1b[30;46m11\x1b[0m\x1b[30;42m22\x1b[0m" in text
    assert "\x1b[30;46mdevice 1\x1b[0m [0:1, 2:4] = [[1.0, 1.5]]" in text


def test_copies_that_differ_are_told_apart() -> None:
    held = tuple(Held(device=each, block=((0, 1),), value=[1.0 if each else 9.0]) for each in range(8))
    output = RunOutput(name="out", shape=(1,), dtype="float32", value=[9.0], devices=held)
    text = render(msgspec.structs.replace(RAN, outputs=(output,), devices=None))
    assert (
        "  All 8 devices hold the whole of it. Their copies differ.\n"
        "    *   device 0 [0:1] = [9.0]\n"
        "        device 1 [0:1] = [1.0]\n"
    ) in text


def test_what_several_hold_and_what_nobody_holds() -> None:
    pairs = tuple(msgspec.structs.replace(each, device=each.device // 2) for each in dealt((8,), 0))
    layout = Layout(name="x", role="input", shape=(10,), blocks=(*pairs[:4], Block(device=1, block=((0, 1),))))
    report = msgspec.structs.replace(RAN, outputs=(), devices=Devices(mesh={"model": 2}, arrays=(layout,)))
    assert "    *011......   device 0 [0:1]\n" in render(report)


def test_a_large_array_is_drawn_a_block_a_character() -> None:
    layout = Layout(name="w", role="input", shape=(4096, 4096), blocks=dealt((4096, 4096), 1))
    report = msgspec.structs.replace(RAN, outputs=(), devices=Devices(mesh={"model": 8}, arrays=(layout,)))
    assert "    01234567   device 0 [0:4096, 0:512]\n" in render(report)
