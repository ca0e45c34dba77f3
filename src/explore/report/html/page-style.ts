/** The style of the page, for dark and light, wide and narrow screens. */

export const pageStyle = /* css */ `
:root {
  --back: #fbfbfa; --card: #fff; --text: #1b1f24; --muted: #5d6670; --line: #dfe3e8; --code: #f1f3f5;
  --ok: #1a7f4b; --ok-back: #e3f5ea; --bad: #b4232b; --bad-back: #fdeaea; --mark: #8a5a00; --mark-back: #fff3d6;
  --link: #1457b8; --focus: #1457b8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14171b; --card: #1b2026; --text: #e6e9ed; --muted: #9aa5b1; --line: #303841; --code: #252b33;
    --ok: #6fd49b; --ok-back: #173527; --bad: #ff9a9a; --bad-back: #43201f; --mark: #f3c969; --mark-back: #3b3115;
    --link: #8ab8ff; --focus: #8ab8ff;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0; background: var(--back); color: var(--text); overflow-wrap: anywhere;
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
header, main, footer { max-width: 1240px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 28px; }
h1 { display: flex; align-items: center; gap: 12px; margin: 0; font-size: 28px; line-height: 1.2; }
h2 { margin: 0; font-size: 20px; }
h3 { margin: 20px 0 6px; font-size: 14px; color: var(--muted); font-weight: 600; }
.seal {
  display: inline-grid; place-items: center; width: 40px; height: 40px; border-radius: 50%; font-size: 22px; flex: none;
}
h1.ok .seal { background: var(--ok-back); color: var(--ok); }
h1.failed .seal { background: var(--bad-back); color: var(--bad); }
.lead { margin: 8px 0 0; color: var(--muted); font-size: 16px; }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 10px; margin: 20px 0 0; }
.totals div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; }
.totals dt { color: var(--muted); font-size: 13px; }
.totals dd { margin: 0; font-size: 22px; font-weight: 600; font-variant-numeric: tabular-nums; }
section { margin-top: 36px; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 18px; }
.bar h2 { margin-right: auto; }
.filter, .check { display: flex; align-items: center; gap: 8px; color: var(--muted); font-size: 14px; }
input[type=search] {
  font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 5px 10px; width: 210px; max-width: 60vw;
}
.count { color: var(--muted); font-size: 14px; }
.hint, .legend { color: var(--muted); margin: 6px 0 12px; font-size: 14px; }
.muted { color: var(--muted); }
.bad { color: var(--bad); }
.good { color: var(--ok); }
code, .timeline, .problems { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 12.5px; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; }

details.step, details.failure {
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: 8px 0;
}
details.failure { border-left: 4px solid var(--bad); scroll-margin-top: 8px; }
summary { cursor: pointer; padding: 10px 14px; border-radius: 10px; }
.step > summary::marker, .failure > summary::marker { color: var(--muted); }
.failure .body { padding: 0 16px 16px; }
.failure summary .muted { font-size: 13px; }
.failure[open] > summary .muted { display: none; }
ul.faults { list-style: none; margin: 0; padding: 0; }
.tag {
  background: var(--mark-back); color: var(--mark); border-radius: 6px; padding: 1px 8px; font-size: 13px;
  font-weight: 600; white-space: nowrap;
}
ul.problems { margin: 0; padding: 10px 14px 10px 30px; background: var(--bad-back); border-radius: 8px; }
.command {
  display: flex; align-items: center; gap: 10px; background: var(--code); border-radius: 8px; padding: 6px 12px;
}
.command code { flex: 1; }
button { font: inherit; cursor: pointer; }
.copy, #detail button {
  border: 1px solid var(--line); background: var(--card); color: var(--text); border-radius: 6px; padding: 2px 10px;
  font-size: 13px;
}

.mark {
  display: inline-grid; place-items: center; width: 24px; height: 22px; border: 0; border-radius: 6px; padding: 0;
  font-size: 13px; line-height: 1;
}
.mark.ok { background: var(--ok-back); color: var(--ok); }
.mark.failed { background: var(--bad); color: var(--card); font-weight: 700; }
.mark.none { color: var(--muted); }
.mark[aria-current] { outline: 2px solid var(--focus); outline-offset: 1px; }
.scroll { overflow-x: auto; padding: 0 14px 12px; }
table { border-collapse: collapse; }
table.grid th { font-weight: 400; text-align: left; vertical-align: bottom; }
table.grid td { text-align: center; padding: 1px 2px; }
table.grid td.none { color: var(--muted); }
table.grid tbody tr:hover { background: var(--code); }
th.call { font-size: 13px; padding: 2px 14px 2px 0; min-width: 190px; max-width: 640px; }
thead th.call { color: var(--muted); }
th.fault { padding: 0 2px 6px; color: var(--muted); }
th.fault span { writing-mode: vertical-rl; transform: rotate(180deg); font-size: 12px; white-space: nowrap; }
.n { display: inline-block; min-width: 22px; margin-right: 6px; color: var(--muted); text-align: right; }
.at { color: var(--muted); font-size: 12px; margin-left: 8px; white-space: nowrap; }
table.plain th, table.plain td { text-align: left; padding: 5px 18px 5px 0; border-bottom: 1px solid var(--line); }
table.plain { width: 100%; font-size: 14px; }
section > .scroll { padding: 0; }

.timeline { border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.row { display: grid; grid-template-columns: 1fr 1fr; }
.single .row { grid-template-columns: 1fr; }
.row.head { background: var(--code); color: var(--muted); font-family: system-ui, sans-serif; }
.row.head span { padding: 5px 12px; }
.side { display: grid; grid-template-columns: 66px 1fr; gap: 8px; padding: 3px 12px; min-width: 0; }
.row > :nth-child(2) { border-left: 1px solid var(--line); }
.side time { color: var(--muted); text-align: right; white-space: nowrap; }
.of-call > div { padding-left: 14px; }
.of-change > div { padding-left: 42px; }
.of-reconcile > div, .of-start > div { font-weight: 600; }
.row:not(.differs) .side { opacity: 0.78; }
.differs .side.twin:not(.empty) { background: var(--ok-back); }
.differs .side.run:not(.empty) { background: var(--bad-back); }
.differs .side.empty {
  background: repeating-linear-gradient(135deg, transparent 0 5px, var(--line) 5px 6px); opacity: 0.6;
}
.status { white-space: nowrap; color: var(--ok); font-weight: 600; }
.status.bad { color: var(--bad); white-space: normal; }
.injected { color: var(--mark); font-weight: 700; }
.verb { font-weight: 600; white-space: nowrap; }
.field { padding-left: 14px; }
.field del { color: var(--muted); }
.field ins { text-decoration: none; }
.first { background: var(--mark-back); color: var(--mark); font: 600 13px system-ui, sans-serif; padding: 3px 12px; }
.fold summary {
  padding: 3px 12px; background: var(--code); color: var(--muted); border-radius: 0; font: 13px system-ui, sans-serif;
}

#detail {
  position: fixed; right: 16px; bottom: 16px; max-width: min(480px, calc(100vw - 32px)); background: var(--card);
  border: 1px solid var(--line); border-radius: 12px; padding: 12px 16px; box-shadow: 0 8px 30px rgb(0 0 0 / 25%);
}
#detail .head { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; }
#detail .head button { margin-left: auto; }
#detail p { margin: 6px 0; }
#detail code { display: block; background: var(--code); border-radius: 6px; padding: 4px 8px; }
#detail a { display: inline-block; margin-top: 8px; }
footer { color: var(--muted); font-size: 13px; padding-top: 36px; padding-bottom: 48px; }

.narrow { display: none; }

@media (max-width: 720px) {
  header, main, footer { padding-left: 12px; padding-right: 12px; }
  h1 { font-size: 23px; }
  .totals { grid-template-columns: repeat(3, 1fr); gap: 6px; }
  .totals div { padding: 6px 10px; }
  .totals dd { font-size: 17px; }
  .totals dt { font-size: 12px; }
  .row, .single .row { grid-template-columns: 1fr; }
  .row > :nth-child(2) { border-left: 0; }
  .row:not(.differs) .side.twin + .side.run, .row .side.empty { display: none; }
  .row.head { display: none; }
  .side { grid-template-columns: 58px 1fr; padding: 3px 8px; }
  .of-call > div, .of-change > div { padding-left: 0; }
  .row .n { min-width: 0; }
  .differs .twin > div::before { content: '− '; font-weight: 700; color: var(--ok); }
  .differs .run > div::before { content: '+ '; font-weight: 700; color: var(--bad); }
  .narrow { display: block; }
  th.call { min-width: 150px; }
  .at { display: none; }
}
@media print { .bar label, .copy, #detail { display: none; } }
`
