"""``make bench``: measure, print, and write the tables of docs/performance.md and docs/growth.svg.

python -m bench [--rounds 5] [--submissions 200] [--every 10] [--only compare batch growth] [--no-write]
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import os
import platform
import re
import statistics
import sys
import time
from pathlib import Path

from bench import compare, growth, plot

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "performance.md"
SCALE = ROOT / "docs" / "scale.md"
PICTURE = ROOT / "docs" / "growth.svg"
PARTS = ("compare", "batch", "growth")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--every", type=int, default=10, help="the plain grader judges every so manyth of a batch")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--no-write", action="store_true")
    options = parser.parse_args()

    tables = {}
    if "compare" in options.only:
        tables["compare"] = compare_table(compare.compare(options.rounds, say), options.rounds)
    if "batch" in options.only:
        batch = compare.compare_batch(options.submissions, options.workers, options.every, say)
        tables["batch"] = batch_table(batch)
        tables["scale"] = scale_table(batch)
    if "growth" in options.only:
        found = growth.grow(say)
        tables["growth"] = growth_table(found)
        if not options.no_write:
            PICTURE.write_text(plot.svg(found, growth.TITLES), "utf-8")
    for name, table in tables.items():
        table = f"{machine()}\n\n{table}"
        print(table)
        if not options.no_write:
            write(name, table)
    return 0


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def machine() -> str:
    """When and on what this was measured."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, ValueError):
        [model, *_] = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("jax", "numpy", "hypothesis"))
    day = time.strftime("%Y-%m-%d", time.gmtime())
    cores = len(os.sched_getaffinity(0))
    return (
        f"Measured on {day}: {cores} cores of {model}, {platform.system()}, Python {platform.python_version()}, "
        f"{versions}. Load of the machine when it was done: {os.getloadavg()[0]:.1f}."
    )


def compare_table(ways: dict[str, compare.Way], rounds: int) -> str:
    lines = [
        f"{len(compare.SUBMISSIONS)} submissions, {rounds} rounds; the plain grader on all shapes once each.",
        "",
        "| | median | least | most | processor time |",
        "|---|---|---|---|---|",
    ]
    for way in ways.values():
        times = (statistics.median(way.seconds), min(way.seconds), max(way.seconds), statistics.median(way.cpu))
        lines.append(f"| {way.name} | {' | '.join(f'{each:.2f} s' for each in times)} |")
    lines += [
        "",
        "| how many times faster | median of the pairs | least | most | by processor time | aimed at |",
        "|---|---|---|---|---|---|",
    ]
    for ratio in compare.GOALS:
        found, cpu = compare.ratios(ways[ratio.slow], ways[ratio.fast])
        numbers = (statistics.median(found), min(found), max(found), statistics.median(cpu), ratio.goal)
        shown = " | ".join(f"{each:.1f}" for each in numbers)
        lines.append(f"| {ratio.fast} than {ratio.slow} | {shown} |")
    return "\n".join(lines)


def batch_table(batch: compare.Batch) -> str:
    plain, whole = statistics.fmean(batch.plain), statistics.fmean(batch.plain_all_shapes)
    size = batch.submissions
    return "\n".join(
        [
            f"{size} submissions, {batch.workers} workers; the plain grader, in a process for each, on "
            f"{len(batch.plain)} of the same submissions (on all shapes: {len(batch.plain_all_shapes)}).",
            "",
            "| | a submission | all | batch is faster |",
            "|---|---|---|---|",
            f"| batch, all shapes | {batch.each:.2f} s | {batch.seconds:.0f} s | |",
            f"| the same batch again | {batch.again / size:.3f} s | {batch.again:.1f} s | |",
            f"| plain, 25 shapes | {plain:.2f} s | {plain * size:.0f} s | {plain / batch.each:.1f} times |",
            f"| plain, all shapes | {whole:.2f} s | {whole * size:.0f} s | {whole / batch.each:.1f} times |",
        ]
    )


def scale_table(batch: compare.Batch) -> str:
    """What so many submissions need, from what the batch took."""
    each, report = batch.cpu / batch.submissions, batch.file / batch.submissions
    memory = batch.memory / batch.workers
    lines = [
        f"From the batch of {batch.submissions} submissions in performance.md: {each:.2f} processor seconds and "
        f"{report / 1024:.0f} KiB of results a submission, {memory / 2**20:.0f} MiB of memory a worker.",
        "",
        "| | a course: 50,000 within 2 hours | a public site: 10,000,000 a day, at its busiest three times that |",
        "|---|---|---|",
    ]
    course, site = 50_000 / 7_200, 10_000_000 / 86_400 * 3
    rows = [
        ("submissions a second", course, site, "{:,.1f}"),
        ("cores, busy all the time", course * each, site * each, "{:,.0f}"),
        ("cores, 70% busy", course * each / 0.7, site * each / 0.7, "{:,.0f}"),
        (
            "memory of the workers, one a core, GiB",
            *[n * each / 0.7 * memory / 2**30 for n in (course, site)],
            "{:,.0f}",
        ),
        ("results, GiB (a day)", 50_000 * report / 2**30, 10_000_000 * report / 2**30, "{:,.1f}"),
        ("results on the wire, MiB a second", course * report / 2**20, site * report / 2**20, "{:,.2f}"),
        ("processor hours in all (a day)", 50_000 * each / 3_600, 10_000_000 * each / 3_600, "{:,.0f}"),
    ]
    lines += [f"| {name} | {form.format(one)} | {form.format(other)} |" for name, one, other, form in rows]
    return "\n".join(lines)


def growth_table(found: dict[str, list[growth.Point]]) -> str:
    lines = []
    for what, points in found.items():
        lines += [f"{growth.LABELS[what][0].upper()}{growth.LABELS[what][1:]}:", "", f"| {what} | seconds | peak |"]
        lines.append("|---|---|---|")
        lines += [f"| {each.size:,} | {each.seconds:.3g} | {each.memory / 2**20:.0f} MiB |" for each in points]
        lines.append("")
    return "\n".join(lines).rstrip()


def write(name: str, table: str) -> None:
    """Put a table between its marks in its page."""
    page = SCALE if name == "scale" else PAGE
    text = page.read_text("utf-8")
    start, end = f"<!-- bench: {name} -->", "<!-- end -->"
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{start}\n\n{table}\n\n{end}{after}", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
