// Every part with made-up data, for looking. It is served in tests only.
import "../unit/complaints.js";
import { html, render, signal, useState } from "../vendor/preact.js";
import { Boundary } from "../parts/boundary.js";
import { Chart, fromAnswer } from "../parts/chart.js";
import { confirm, Dialogs } from "../parts/dialog.js";
import { Command, Empty, Failed, Loading } from "../parts/empty.js";
import { Icon, names } from "../parts/icon.js";
import { Menu } from "../parts/menu.js";
import { Counts, Severity, Status } from "../parts/severity.js";
import { ColumnChooser, Table } from "../parts/table.js";
import { more } from "./more.js";

let seed = 7;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
const noise = () => random() + random() + random() - 1.5;
const fall = (n, from, to, rough) => Array.from({ length: n }, (_, i) => to + (from - to) * Math.exp((-5 * i) / n) + noise() * rough);

function curve(n, from, to, rough, more) {
  const mean = fall(n, from, to, rough);
  return { x: Array.from(mean, (_, i) => i * 20), x_last: Array.from(mean, (_, i) => i * 20 + 19), mean, min: mean.map((v) => v - Math.abs(noise()) * rough * 3), max: mean.map((v) => v + Math.abs(noise()) * rough * 3 + (random() > 0.99 ? 0.6 : 0)), points: n * 750, raw: false, ...more };
}

const marks = [
  { x: 9000, kind: "finding", severity: "error", title: "The gradient vanishes in layer1.0.conv1", href: "/x" },
  { x: 14000, kind: "finding", severity: "warning", title: "The loss has not decreased for 2,000 steps", href: "/x" },
  { x: 20000, kind: "finding", severity: "info", title: "The learning rate changed", href: "/x" },
  ...[6000, 12000, 18000, 24000, 30000].map((x) => ({ x, kind: "checkpoint", title: "Checkpoint", href: null })),
];
const loss = fromAnswer(curve(1600, 2.3, 0.4, 0.05), { label: "loss" });
const many = Array.from({ length: 14 }, (_, i) => fromAnswer(curve(200, 2 + random(), 0.2 + i * 0.1, 0.02), { label: `run-${i + 1}`, colour: i }));
const raw = fromAnswer({ x: [0, 10, 20, 30, 40, 50, 60], mean: [0.1, 0.3, 0.45, 0.52, 0.6, 0.63, 0.66], raw: true, points: 7 }, { label: "accuracy" });
const bad = fromAnswer(curve(300, 1e-3, 1e-8, 1e-10), { label: "gradient" });
bad.odd = bad.x.map((_, i) => (i > 200 && i < 230 ? 1 : 0));
for (let i = 201; i < 230; i++) bad.y[i] = bad.min[i] = bad.max[i] = NaN;
const now = Date.parse("2026-11-26T08:00:00Z") / 1000;
const cpu = fromAnswer({ x: Array.from({ length: 600 }, (_, i) => now + i * 6), mean: Array.from({ length: 600 }, (_, i) => 50 + 40 * Math.sin(i / 40) + noise() * 4), raw: true, points: 600 }, { label: "cpu", unit: "percent" });
const memory = fromAnswer({ x: cpu.x, mean: Array.from(cpu.x, (_, i) => 8e9 + i * 1e7), raw: true }, { label: "memory", unit: "bytes" });
const parts = ["data", "forward", "backward", "optimizer"];
const heights = Array.from({ length: 30 }, () => [0.02 + random() * 0.02, 0.03, 0.05 + random() * 0.01, 0.01]);
const stacked = parts.map((part, p) => ({ label: part, kind: "bars", colour: `--part-${part}`, x: heights.map((_, i) => 970 + i), y: heights.map((h) => h.slice(0, p + 1).reduce((a, b) => a + b)), base: heights.map((h) => h.slice(0, p).reduce((a, b) => a + b, 0)), unit: "s" }));

const live = signal(0);
const flow = { label: "live loss", x: [], y: [] };
setInterval(() => {
  flow.x.push(flow.x.length);
  flow.y.push(2 * Math.exp(-flow.x.length / 100) + noise() * 0.05);
  live.value++;
}, 100);

const rows = Array.from({ length: 2000 }, (_, i) => ({ name: `resnet-${i}`, loss: random() * 3, lr: 10 ** -(1 + Math.floor(random() * 4)), kind: ["adam", "sgd", "lamb"][i % 3], status: ["Completed", "Failed", "InProgress", "Stopped"][i % 4], findings: { error: i % 4 === 1 ? 2 : 0, warning: i % 5 } }));
const columns = [
  { id: "name", title: "Run", value: (row) => row.name, cell: (row) => html`<a href="/x">${row.name}</a>`, width: 180, pin: true },
  { id: "status", title: "Status", value: (row) => row.status, cell: (row) => html`<${Status} of=${row.status} />`, width: 130 },
  { id: "findings", title: "Findings", value: (row) => row.findings.error * 100 + row.findings.warning, cell: (row) => html`<${Counts} findings=${row.findings} />`, width: 130 },
  { id: "loss", title: "Loss", number: true, value: (row) => row.loss, cell: (row) => row.loss.toFixed(4), group: "Values" },
  { id: "lr", title: "lr", number: true, value: (row) => row.lr, group: "Parameters" },
  { id: "kind", title: "optimizer", value: (row) => row.kind, group: "Parameters" },
  ...Array.from({ length: 46 }, (_, c) => ({ id: `p${c}`, title: `parameter_${c}`, number: true, value: (row) => Math.round(row.loss * (c + 1) * 100) / 100, group: "Parameters" })),
];

function Charts() {
  const [range, setRange] = useState(null);
  const shared = { group: "g", range, onRange: setRange, marks };
  return html`<section class="grid">
    <${Chart} title="loss" series=${[loss]} ...${shared} />
    <${Chart} title="layer1.0.conv1.weight gradient" series=${[bad]} y=${{ log: true }} lines=${[{ y: 1e-7, label: "vanishing below 1e-7", severity: "error" }]} />
    <${Chart} title="several runs" series=${many} group="g" />
    <${Chart} title="accuracy" series=${[raw]} regions=${[{ from: 20, to: 40, severity: "warning" }]} />
    <${Chart} title="CPU" x=${{ kind: "time" }} series=${[cpu]} y=${{ range: [0, 100] }} />
    <${Chart} title="memory" x=${{ kind: "time" }} series=${[memory]} y=${{ zero: true }} />
    <${Chart} title="parts of the last 30 steps" series=${stacked} y=${{ zero: true }} />
    <${Chart} title="live" series=${[flow]} live=${live} />
    <${Chart} title="no data" command="vigil plan resnet --collect weights" empty="The weights were not captured." />
    <${Chart} title="loading" loading />
    <${Chart} title="failed" error=${new Error("The series layer9 does not exist in this run.")} retry=${() => {}} />
  </section>`;
}

function Tables() {
  const [chosen, setChosen] = useState(new Set());
  const [group, setGroup] = useState("");
  const [shown, setShown] = useState(columns.slice(0, 10).map((one) => one.id));
  return html`<section class="card"><header><h2>Table</h2><label class="field">Group by <select value=${group} onChange=${(event) => setGroup(event.target.value)}><option value="">nothing</option><option value="kind">optimizer</option></select></label>
    <${ColumnChooser} columns=${columns} shown=${shown} onShown=${setShown} /></header>
    <${Table} label="Runs" name="gallery" rows=${rows} columns=${columns.filter((one) => shown.includes(one.id))} rowKey=${(row) => row.name} chosen=${chosen} onChosen=${setChosen} height=${300} groupBy=${group} first=${[{ id: "loss", down: false }]} /></section>`;
}

function Broken() {
  throw new Error("made for looking");
}

function Gallery() {
  return html`<div class="stack">
    <h1>Parts</h1>
    <section class="line"><${Severity} of="error" text="Vanishing gradient" /><${Severity} of="warning" /><${Severity} of="info" /><${Severity} of="ok" /><${Severity} of="idle" /><${Status} of="InProgress" /><${Status} of="Failed" /><${Counts} findings=${{ error: 2, warning: 14 }} /><${Counts} /><${Counts} words findings=${{ error: 1 }} /></section>
    <section class="line"><button class="button main">Save</button><button class="button">Cancel</button><button class="button danger" onClick=${() => confirm({ title: "Delete this run?", text: "All its files are removed. This cannot be taken back.", action: "Delete", danger: true, type: "resnet" })}>Delete</button><button class="button plain">Plain</button>
      <${Menu} label="Export" icon="download" items=${[{ heading: "Save as" }, { label: "PNG" }, { label: "SVG" }, { divider: true }, { label: "Logarithmic", checked: true }, { label: "Delete", icon: "trash", danger: true }, { label: "Not possible", disabled: true, why: "because" }]} />
      <span class="choice" role="group" aria-label="Axis"><button aria-pressed="true">Step</button><button aria-pressed="false">Time</button><button aria-pressed="false">Relative</button></span>
      <input type="search" placeholder="Search" /><select><option>TRAIN</option></select><label class="check"><input type="checkbox" checked /> Fix time frame</label><input type="range" /><span class="tag">tag: x</span><kbd>Ctrl K</kbd></section>
    <section class="line">${names.map((name) => html`<span title=${name}><${Icon} name=${name} /></span>`)}</section>
    <${Charts} />
    <${Tables} />
    <section class="grid"><div class="card"><${Empty} command="vigil run --profile python train.py">No stacks were sampled.<//></div><div class="card"><${Failed} error=${new Error("The file is gone.")} again=${() => {}} /></div><div class="card"><${Loading} /></div><div class="card"><${Boundary}><${Broken} /><//></div></section>
    <p><${Command} text="vigil ui" /></p>
    ${more()}
    <${Dialogs} />
  </div>`;
}

render(html`<${Gallery} />`, document.getElementById("app"));
setTimeout(() => (window.ready = true), 600);
