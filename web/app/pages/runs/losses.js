// The course of the loss in a cell: the lines of its modes over each other on one scale, and the last value: of the evaluation where there is one, because a loss of training is that of one batch. Lines are asked for when they are seen.
import { html, signal } from "../../vendor/preact.js";
import { get, number } from "../../core/api.js";
import * as format from "../../core/format.js";
import { nextFrame } from "../../core/tick.js";

const [width, height, edge] = [104, 22, 2.5];

const held = new Map();
const asked = new Map();
const waiting = new Map();
const together = 50;
const came = signal(0);

// A run that goes on has another line after each step.
const keyOf = (row) => `${row.started} ${row.status} ${row.progress?.step}`;

// keep holds the lines of a run.
export function keep(row, lines) {
  held.set(row.name, { key: keyOf(row), lines });
  nextFrame(tell);
}

const tell = () => came.value++;

// linesOf are those of a run as they were last; newer ones are asked for.
function linesOf(row) {
  came.value;
  const key = keyOf(row);
  if (held.get(row.name)?.key !== key && asked.get(row.name) !== key) {
    asked.set(row.name, key);
    waiting.set(row.name, row);
    nextFrame(ask);
  }
  return held.get(row.name)?.lines ?? [];
}

function ask() {
  const rows = [...waiting.values()];
  waiting.clear();
  for (let i = 0; i < rows.length; i += together) {
    const some = new Map(rows.slice(i, i + together).map((row) => [row.name, row]));
    get("table", { run: [...some.keys()], c: "losses" }).then(({ runs, cells: [{ rows: places, values, at }] }) => {
      const lines = new Map(at.map((value, i) => [runs[places ? places[i] : i], values[value]]));
      for (const [name, row] of some) keep(row, lines.get(name) ?? []);
    }, () => { for (const name of some.keys()) asked.delete(name); });
  }
}

export function Losses({ row }) {
  if (typeof row.loss !== "number") return "";
  const lines = linesOf(row).slice(0, 3).map((line) => ({ ...line, numbers: line.values.map(number) }));
  const shown = lines.find((line) => line.mode === "EVAL") ?? lines[0];
  if (!lines.length) return html`<span class="runs-losses"><span class="runs-last">${format.number(row.loss, 3)}</span></span>`;
  const finite = lines.flatMap((line) => line.numbers).filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  // A loss that falls by orders of magnitude would be a flat line.
  const scale = low > 0 && high / low > 50 ? Math.log : (value) => value;
  const y = (value) => (high === low ? height / 2 : height - edge - ((scale(value) - scale(low)) / (scale(high) - scale(low))) * (height - 2 * edge));
  const text = lines.map((line) => said(line)).join("; ");
  return html`<span class="runs-losses">${finite.length > 0 && html`<svg class="runs-line" width=${width} height=${height} role="img" aria-label=${text}><title>${text}</title>
      ${lines.map((line, i) => html`<${Line} key=${line.mode} line=${line} y=${y} second=${i > 0} />`)}</svg>`}
    <span class="runs-last">${format.number(number(shown.last), 3)}${shown.mode === "EVAL" && html`<span class="quiet small"> eval</span>`}</span></span>`;
}

function Line({ line: { steps, numbers }, y, second }) {
  const from = steps[0];
  const span = steps.at(-1) - from || 1;
  let [path, open, last] = ["", false, null];
  numbers.forEach((value, i) => {
    if (!Number.isFinite(value)) return (open = false);
    last = [((steps[i] - from) / span) * (width - 2 * edge) + edge, y(value)];
    path += `${open ? "L" : "M"}${last[0].toFixed(1)} ${last[1].toFixed(1)}`;
    open = true;
  });
  return last && html`<g class=${second ? "second" : ""}><path d=${path} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" /><circle cx=${last[0].toFixed(1)} cy=${last[1].toFixed(1)} r="2" fill="currentColor" /></g>`;
}

// said is a line in words: loss in TRAIN from 2.3 to 0.41, lowest 0.38 at step 900.
function said({ name, mode, numbers, last, min, min_step: step }) {
  const first = numbers.find(Number.isFinite);
  const where = mode === "GLOBAL" ? name : `${name} in ${mode}`;
  if (first === undefined) return `${where}: not finite`;
  return `${where} from ${format.number(first, 3)} to ${format.number(number(last), 3)}, lowest ${format.number(number(min), 3)} at step ${format.count(step)}`;
}
