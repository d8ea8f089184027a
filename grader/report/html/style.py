"""The page's style sheet: light and dark as the reader's system asks, narrow and wide, and for print.

Text has a contrast of at least 4.5 to 1 to what is behind it; marks, borders of controls and lines at least 3
to 1. Colour never says anything alone.
"""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f5f6f8; --line: #8a919b; --soft: #d5d9df;
  --ink: #1b1f24; --muted: #55606c; --link: #0b57b0;
  --good: #14692a; --bad: #b3201a; --warn: #7d4e00;
  --good-back: #e4f4e7; --bad-back: #fde9e7; --warn-back: #fdf1da;
  --mark: #ffd6d1; --at: #fff1ef;
  --keyword: #7c2fb8; --string: #1c6b34; --number: #0b57b0; --comment: #5f6874; --name: #8a4700; --builtin: #00646e;
  --step: #ffffff; --input: #e3eefb; --split: #efe6fb; --psum: #14692a; --on-psum: #ffffff; --move: #fdf1da;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #15181c; --panel: #1e2329; --line: #78828e; --soft: #363e48;
    --ink: #e7eaee; --muted: #a7b0bb; --link: #8dbdff;
    --good: #7fdb98; --bad: #ff9f96; --warn: #f2c46d;
    --good-back: #17301f; --bad-back: #3a1d1c; --warn-back: #362a12;
    --mark: #6b2622; --at: #2e2021;
    --keyword: #d7a8ff; --string: #8fdba3; --number: #8dbdff; --comment: #a3acb8; --name: #f0b678; --builtin: #7fd6df;
    --step: #242a31; --input: #1d3048; --split: #322447; --psum: #7fdb98; --on-psum: #10261a; --move: #362a12;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif;
  overflow-wrap: anywhere;
}
header, nav, main, footer { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.5rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.25rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: 1.05rem; margin: 1rem 0 .4rem; }
.finding h3 { margin-top: 0; }
p { margin: .4rem 0; }
a { color: var(--link); text-underline-offset: .15em; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .9em; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
.unseen {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.skip { position: absolute; left: -100vw; top: 0; background: var(--page); padding: .5rem 1rem; z-index: 1; }
.skip:focus { left: 0; }

.verdict {
  border-left: .4rem solid var(--bad); background: var(--bad-back); padding: 1rem 1.25rem; border-radius: .4rem;
}
.verdict h1 { color: var(--bad); }
.verdict.good { border-color: var(--good); background: var(--good-back); }
.verdict.good h1 { color: var(--good); }
.verdict.warn { border-color: var(--warn); background: var(--warn-back); }
.verdict.warn h1 { color: var(--warn); }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: 1rem 0 0; }
nav a { display: inline-block; padding: .2rem 0; }

.finding { border: 1px solid var(--soft); border-radius: .5rem; padding: 1rem 1.1rem; margin: 0 0 1rem; }
.finding > .where { color: var(--muted); font-size: .92rem; }
.finding .message { white-space: pre-wrap; }
.also { margin-top: .8rem; }
.help {
  background: var(--good-back); border-radius: .4rem; padding: .6rem .8rem; margin-top: .8rem; white-space: pre-wrap;
}
.help strong { color: var(--good); }

pre { margin: .6rem 0; padding: .6rem .8rem; background: var(--panel); border-radius: .4rem; overflow-x: auto;
  line-height: 1.5; tab-size: 4; overflow-wrap: normal; }
pre.code { padding: .4rem 0; }
pre.code code { display: inline-block; min-width: 100%; }
.line { display: block; padding: 0 .8rem; }
.line.at { background: var(--at); }
.line .number { color: var(--muted); user-select: none; }
.line mark { background: var(--mark); color: inherit; text-decoration: underline; text-decoration-thickness: 2px;
  text-decoration-color: var(--bad); text-underline-offset: .2em; text-decoration-skip-ink: none; }
.t-keyword { color: var(--keyword); } .t-string { color: var(--string); } .t-number { color: var(--number); }
.t-comment { color: var(--comment); font-style: italic; } .t-name { color: var(--name); }
.t-builtin { color: var(--builtin); } .left-out { color: var(--muted); }
.line mark span { color: inherit; }
pre.wrapped { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 26rem; overflow-y: auto; }

ul.results { list-style: none; padding: 0; margin: 0; display: grid; gap: .15rem 1.5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); }
ul.results.long { grid-template-columns: 1fr; }
ul.results li { padding-left: 1.6rem; position: relative; }
.sign { position: absolute; left: .2rem; font-weight: 700; }
.pass .sign { color: var(--good); }
.fail .sign, .fail > strong { color: var(--bad); }
.skipped .sign { color: var(--muted); }
.note { color: var(--muted); }

.scroll { overflow-x: auto; margin: .6rem 0; overflow-wrap: normal; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .3rem; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--soft); text-align: left; }
table.numbers th, table.numbers td {
  text-align: right; font: .88rem ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: nowrap;
}
table.numbers th { font-weight: 700; }
table.grid caption { white-space: nowrap; }
table.numbers thead th { color: var(--muted); font-weight: 600; }
tr.differs td, tr.differs th { background: var(--bad-back); }
tr.differs td:last-child { color: var(--bad); font-weight: 600; }
details { margin: .6rem 0; }
summary { cursor: pointer; color: var(--link); padding: .2rem 0; }

.grids { display: flex; flex-wrap: wrap; gap: .4rem 2.2rem; align-items: flex-start; }
.grids > * { max-width: 100%; }
figure { margin: 0 0 1.4rem; }
.array .picture { display: flex; flex-wrap: wrap; gap: .8rem 1.6rem; align-items: center; margin-top: .5rem; }
.parts { list-style: none; margin: 0; padding: 0; flex: 0 1 30rem; display: grid; gap: .5rem .6rem;
  grid-template-columns: repeat(4, minmax(0, 1fr)); }
.parts li { display: flex; flex-direction: column; gap: .1rem; font-size: .8rem; line-height: 1.3; }
.parts code { color: var(--muted); font-size: .75rem; }
svg { display: block; max-width: none; overflow: visible; }
svg.full { flex: 0 0 auto; min-width: 0; }
svg.mesh { max-width: 100%; height: auto; }
.mesh-line { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; }
.wire { stroke: var(--line); stroke-width: 2; }
.nobody { fill: var(--panel); stroke: var(--line); stroke-width: 1; }
.shared { fill: var(--soft); stroke: var(--line); stroke-width: 1; }
.rule { stroke: #11151a; stroke-opacity: .28; stroke-width: .75; fill: none; }
.d0 { fill: #f2a93b; } .d1 { fill: #63b7ea; } .d2 { fill: #43bf96; } .d3 { fill: #f1e356; }
.d4 { fill: #a3adff; } .d5 { fill: #f48a66; } .d6 { fill: #e39bcb; } .d7 { fill: #bcc2c9; }
.d0, .d1, .d2, .d3, .d4, .d5, .d6, .d7 { stroke: var(--line); stroke-width: 1; }
svg text { font: 600 13px system-ui, "Liberation Sans", Arial, sans-serif; }
svg text.ink { fill: #11151a; }
svg text.ink-shared { fill: var(--ink); }

.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; padding: 0; font-size: .88rem; }
.legend li { display: flex; align-items: center; gap: .45rem; }
.key { width: 1.5rem; height: 1rem; border: 1.5px solid var(--line); border-radius: .2rem; background: var(--step);
  display: inline-grid; place-items: center; font-size: .75rem; }
.key.k-input, .key.k-output { border-radius: .5rem; }
.key.k-input { background: var(--input); } .key.k-output { background: var(--input); border-width: 3px; }
.key.k-split { background: var(--split); border-style: dashed; } .key.k-psum { background: var(--psum); }
.key.k-move { background: var(--move); border-style: dotted; border-width: 2px; }
.key.k-devices { box-shadow: 3px 3px 0 -1px var(--page), 3px 3px 0 0 var(--line); }
.key.k-fault { border: 2.5px solid var(--bad); color: var(--bad); font-weight: 700; }
.edge { fill: none; stroke: var(--line); stroke-width: 1.6; }
.arrow-head { fill: var(--line); }
.card { fill: var(--step); stroke: var(--line); stroke-width: 1; }
.node { fill: var(--step); stroke: var(--line); stroke-width: 1.5; }
.node.k-input { fill: var(--input); } .node.k-output { fill: var(--input); stroke-width: 3; }
.node.k-split { fill: var(--split); stroke-dasharray: 5 3; } .node.k-psum { fill: var(--psum); stroke: var(--psum); }
.node.k-move { fill: var(--move); stroke-dasharray: 2 3; stroke-width: 2; }
.node.k-fault { stroke: var(--bad); stroke-width: 3.5; stroke-dasharray: none; }
svg text.node-label, svg text.node-detail { text-anchor: middle; fill: var(--ink); }
svg text.node-detail { font-weight: 400; font-size: 11.5px; }
.k-psum ~ text.node-label, .k-psum ~ text.node-detail { fill: var(--on-psum) !important; }
svg text.edge-label { font-weight: 400; font-size: 11.5px; fill: var(--muted); paint-order: stroke;
  stroke: var(--page); stroke-width: 4px; }
.fault-mark { fill: var(--bad); }
svg text.fault-sign { fill: var(--page); text-anchor: middle; font-size: 12px; }

footer { margin-top: 2.5rem; padding-bottom: 2rem; color: var(--muted); font-size: .88rem; }
@media (max-width: 34rem) {
  header, nav, main, footer { padding-left: .9rem; padding-right: .9rem; }
  .verdict { padding: .8rem .9rem; }
  .finding { padding: .8rem; }
  h1 { font-size: 1.4rem; }
  .parts { grid-template-columns: repeat(2, minmax(0, 1fr)); flex-basis: 100%; }
}
@media print {
  nav, .skip { display: none; }
  .finding, figure { break-inside: avoid; }
}
"""
