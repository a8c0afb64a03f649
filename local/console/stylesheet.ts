// The console's one stylesheet. It follows the system's light or dark scheme.
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --ground: #fff; --text: #1c2128; --dim: #57606a; --line: #d0d7de; --field: #f6f8fa;
  --link: #0550ae; --good: #116329; --busy: #7d4e00; --bad: #a40e26; --idle: #57606a; --bar: #218bff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1117; --text: #e6edf3; --dim: #9ea7b3; --line: #30363d; --field: #161b22;
    --link: #79c0ff; --good: #56d364; --busy: #e3b341; --bad: #ff938a; --idle: #9ea7b3; --bar: #58a6ff;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: .5rem; top: .5rem; background: var(--ground); padding: .5rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center;
  border-bottom: 1px solid var(--line); padding: .6rem 1rem; }
header p { margin: 0; }
.brand { font-weight: 600; }
.place { font-weight: 400; color: var(--dim); overflow-wrap: anywhere; }
nav { display: flex; gap: 1rem; flex-wrap: wrap; }
.count { background: var(--bad); color: var(--ground); font-weight: 600; border-radius: 1rem; padding: 0 .45rem; margin-left: .35rem; }
.count:empty, #worst:empty { display: none; }
#worst { flex-basis: 100%; color: var(--bad); font-weight: 600; }
#outage { position: sticky; top: 0; z-index: 1; margin: 0; padding: .7rem 1rem; font-weight: 600;
  background: var(--bad); color: var(--ground); }
#outage:not([hidden]) ~ main .verdict { display: none; }
nav a[aria-current] { color: inherit; font-weight: 600; text-decoration: none; border-bottom: 2px solid var(--link); }
.find { display: flex; gap: .4rem; align-items: center; margin-left: auto; flex: 0 1 26rem; }
input, select, button { font: inherit; color: inherit; background: var(--field);
  border: 1px solid var(--dim); border-radius: 6px; padding: .25rem .6rem; min-width: 0; min-height: 2.15rem; }
.find input { flex: 1; }
button { cursor: pointer; }
button.danger { color: var(--bad); border-color: var(--bad); }
main, header { overflow-wrap: anywhere; }
main { padding: 1rem; max-width: 80rem; margin: 0 auto; }
footer { padding: 0 1rem 1rem; max-width: 80rem; margin: 0 auto; color: var(--dim); }
h1 { font-size: 1.35rem; margin: .2rem 0 .8rem; }
h2 { font-size: 1.05rem; margin: 1.6rem 0 .5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; color: var(--dim); white-space: nowrap; }
td { overflow-wrap: break-word; max-width: 40rem; }
.badge { white-space: nowrap; font-weight: 600; }
.good { color: var(--good); } .busy { color: var(--busy); } .bad { color: var(--bad); } .idle { color: var(--idle); }
.dim { color: var(--dim); }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; }
pre { background: var(--field); border: 1px solid var(--line); border-radius: 6px; padding: .6rem;
  overflow: auto; max-height: 28rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.command code { background: var(--field); padding: .15rem .4rem; border-radius: 4px; overflow-wrap: anywhere; }
.notice .badge, .verdict .badge { white-space: normal; }
.notice, .verdict { border-left: 4px solid var(--edge); padding: .1rem .8rem; margin: .8rem 0; color: inherit; --edge: var(--busy); }
.notice.good, .verdict.good { --edge: var(--good); } .notice.bad, .verdict.bad { --edge: var(--bad); }
.verdict { background: var(--field); border-radius: 0 6px 6px 0; }
.verdict p { margin: .4rem 0; }
.headline { font-size: 1.15rem; }
.cause { border-left: 4px solid var(--bad); padding: .1rem .8rem; margin: 1.2rem 0; }
.cause > form { display: inline-block; margin: .3rem .6rem .3rem 0; }
td[data-column='Without it'] { padding-left: 3rem; }
.parts { display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
.document { max-width: 52rem; }
.document h3 { font-size: 1rem; }
.cause h2 { margin: .4rem 0; }
.stream-tools { min-height: 2.2rem; margin: .4rem 0; }
button[aria-pressed=true] { background: var(--link); color: var(--ground); }
.plot { margin: 0; max-width: 44rem; display: grid; grid-template: auto auto auto / auto 1fr; gap: 0 .5rem; color: var(--dim); }
.plot svg { width: 100%; height: 96px; }
.plot .scale, .plot .hours { display: flex; justify-content: space-between; font-size: .85em; font-variant-numeric: tabular-nums; }
.plot .scale { flex-direction: column; text-align: right; }
.plot .hours, .plot figcaption { grid-column: 2; }
svg .bar { fill: var(--bar); }
svg .axis { stroke: var(--line); }
svg .window { fill: var(--bar); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .3rem 0; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
summary { cursor: pointer; }
.filters { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin-bottom: 1rem; }
.filters > a { line-height: 2.15rem; }
.filters label { display: grid; gap: .1rem; color: var(--dim); min-width: 0; max-width: 100%; }
ol.events { list-style: none; margin: 0; padding: 0; }
ol.events > li { display: grid; grid-template-columns: 5rem 16rem 10rem 1fr auto; gap: 0 1rem;
  border-bottom: 1px solid var(--line); padding: .35rem 0; }
ol.events > li > * { min-width: 0; overflow-wrap: anywhere; }
ol.events .meta { color: var(--dim); display: inline-block; max-width: 100%; }
ol.events details[open] { grid-column: 1 / -1; }
@media (max-width: 600px) {
  .find { margin-left: 0; flex-basis: 100%; }
  ol.events > li { display: block; }
  ol.events > li > span, ol.events > li > a { margin-right: .6rem; }
  main { padding: .8rem; }
  footer { padding: 0 .8rem .8rem; }
  thead { position: absolute; left: -99rem; }
  table, tbody { display: block; }
  tr { display: block; border-bottom: 1px solid var(--line); padding: .4rem 0; }
  td { display: flow-root; border: 0; padding: .1rem 0 .1rem 7rem; max-width: none; overflow-wrap: anywhere; }
  td::before { content: attr(data-column); color: var(--dim); float: left; width: 6.5rem; margin-left: -7rem; }
  td[data-column='Without it'] { margin-top: 1.2rem; padding-left: 7rem; }
  td:empty { display: none; }
  td .badge { white-space: normal; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; }
}
@media (prefers-reduced-motion: no-preference) { .fresh { animation: arrive 1.5s; } }
@keyframes arrive { from { background: var(--field); } }
`;

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" \
fill="#0550ae"/><path d="M4 8a4 4 0 1 1 1.5 3.1M4 12V9h3" fill="none" stroke="#fff" stroke-width="1.6"/></svg>`;
