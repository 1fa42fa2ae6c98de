// The course of the loss in a cell: the lines of its modes over each other on one scale, and the last value of the first.
import { html } from "../../vendor/preact.js";
import { number } from "../../core/api.js";
import * as format from "../../core/format.js";

const [width, height, edge] = [104, 22, 2.5];

export function Losses({ row }) {
  const lines = (row.losses ?? []).slice(0, 3).map((line) => ({ ...line, numbers: line.values.map(number) }));
  if (!lines.length) return "";
  const finite = lines.flatMap((line) => line.numbers).filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  // A loss that falls by orders of magnitude would be a flat line.
  const scale = low > 0 && high / low > 50 ? Math.log : (value) => value;
  const y = (value) => (high === low ? height / 2 : height - edge - ((scale(value) - scale(low)) / (scale(high) - scale(low))) * (height - 2 * edge));
  const text = lines.map((line) => said(line)).join("; ");
  return html`<span class="runs-losses">${finite.length > 0 && html`<svg class="runs-line" width=${width} height=${height} role="img" aria-label=${text}><title>${text}</title>
      ${lines.map((line, i) => html`<${Line} key=${line.mode} line=${line} y=${y} second=${i > 0} />`)}</svg>`}
    <span class="runs-last">${format.number(number(lines[0].last), 3)}</span></span>`;
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
