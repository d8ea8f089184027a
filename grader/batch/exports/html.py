"""A folder of pages: ``index.html`` with a table of all submissions, and the report on each.

The table is sorted by a click on a heading and filtered by what is typed; nothing is loaded from anywhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from grader.batch.exports.judged import Judged, judged, source_of
from grader.batch.exports.writing import folder, written
from grader.batch.results import Results
from grader.batch.summary import Summary, render, summarise
from grader.report import formats
from grader.report.html.markup import Child, Markup, join, tag, text
from grader.report.html.style import STYLE
from grader.report.model import Verdict

REPORTS = "reports"
HEADINGS = ("Submission", "Verdict", "Problem", "Broken rules", "What was found", "Seconds", "Equal programs")

MORE_STYLE = """
main { max-width: 90rem; }
input { font: inherit; padding: .4rem .6rem; width: min(100%, 24rem); border: 1px solid var(--line);
  border-radius: .4rem; background: var(--page); color: var(--ink); }
th button { font: inherit; font-weight: 700; color: inherit; background: none; border: 0; padding: .2rem 0;
  cursor: pointer; text-align: left; }
th[aria-sort=ascending] button::after { content: " ▲"; }
th[aria-sort=descending] button::after { content: " ▼"; }
td { vertical-align: top; }
td.AC { color: var(--good); font-weight: 600; } td.bad { color: var(--bad); font-weight: 600; }
td.IE, td.none { color: var(--warn); font-weight: 600; }
td.number { text-align: right; }
"""

SCRIPT = """
const table = document.querySelector("table"), body = table.tBodies[0], rows = [...body.rows];
const value = (row, at) => row.cells[at].dataset.value ?? row.cells[at].textContent;
const compare = new Intl.Collator(undefined, {numeric: true}).compare;
table.querySelectorAll("th button").forEach((button, at) => button.addEventListener("click", () => {
  const head = button.parentElement, up = head.getAttribute("aria-sort") !== "ascending";
  table.querySelectorAll("th").forEach(each => each.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  rows.sort((a, b) => compare(value(a, at), value(b, at)) * (up ? 1 : -1));
  body.append(...rows);
}));
const filter = document.querySelector("input"), shown = document.querySelector("output");
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(each => text.includes(each));
    count += !row.hidden;
  }
  shown.textContent = `${count} shown`;
});
"""


def export(results: Results, target: Path) -> None:
    folder(target / REPORTS)
    groups = {digest: number for number, (digest, *_) in enumerate(results.equal_programs(), 1)}
    with written(target / "index.html") as file:
        head(file, summarise(results))
        for each in judged(results):
            page(target, each)
            group = groups.get(each.report.programs or "") if each.report is not None else None
            file.write(table_row(each, group).source.encode() + b"\n")
        file.write(f"</tbody></table></div></main><script>{SCRIPT}</script></body></html>\n".encode())


def page(target: Path, each: Judged) -> None:
    if each.report is not None:
        with written(target / link(each)) as file:
            file.write(formats.render("html", each.report, source_of(each)))


def link(each: Judged) -> str:
    return f"{REPORTS}/{each.number:06d}.html"


def head(file: BinaryIO, summary: Summary) -> None:
    title = f"{summary.submissions:,} submissions"
    top = join(
        [
            tag("meta", charset="utf-8"),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("title", title),
            Markup(f"<style>{STYLE}{MORE_STYLE}</style>"),
        ]
    )
    headings = join(tag("th", tag("button", each, type="button"), scope="col") for each in HEADINGS)
    start = join(
        [
            tag("h1", title),
            tag("pre", text(render(summary).partition("\n")[2], lines=True, limit=1 << 20), class_="wrapped"),
            tag("p", tag("label", "Show only rows with ", Markup('<input type="search">')), " ", tag("output", "")),
        ]
    )
    file.write(
        f'<!doctype html><html lang="en"><head>{top.source}</head><body><main>{start.source}'
        f'<div class="scroll"><table><thead>{tag("tr", headings).source}</thead><tbody>\n'.encode()
    )


def table_row(each: Judged, group: int | None) -> Markup:
    report = each.report
    if report is None:
        return tag(
            "tr", tag("td", each.name), tag("td", "not judged", class_="none"), tag("td"), tag("td"),
            tag("td", each.reason), tag("td"), tag("td"),
        )  # fmt: skip
    known = report.verdict in (Verdict.AC, Verdict.IE)
    cells: list[Child] = [
        tag("td", tag("a", each.name, href=link(each))),
        tag("td", report.verdict.value, class_=report.verdict.value if known else "bad", title=report.verdict.words),
        tag("td", report.problem or ""),
        tag("td", ", ".join(rule.id for rule in report.rules if rule.status == "fail")),
        tag("td", report.findings[0].message if report.findings else ""),
        tag("td", f"{report.seconds:.2f}", class_="number"),
        tag("td", f"group {group}" if group is not None else ""),
    ]
    return tag("tr", *cells)
