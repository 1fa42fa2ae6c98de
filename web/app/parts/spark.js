// A small line without axes. <Spark values=${[...]} label="loss" /> or with steps: x=${[...]}
import { html } from "../vendor/preact.js";
import { number } from "../core/api.js";
import * as format from "../core/format.js";

export function Spark({ values, x, width = 96, height = 20, label = "", token = "--series-1", log = false }) {
  const points = [];
  const from = x ? x[0] : 0;
  const span = (x ? x[x.length - 1] - from : values.length - 1) || 1;
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    let value = number(values[i]);
    if (log) value = value > 0 ? Math.log10(value) : NaN;
    points.push([((x ? x[i] - from : i) / span) * (width - 4) + 2, value]);
    if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  if (low > high) return html`<span class="faint">\u2013</span>`;
  const y = (value) => (high === low ? height / 2 : height - 3 - ((value - low) / (high - low)) * (height - 6));
  let path = "", open = false, last = null;
  for (const [left, value] of points) {
    if (!Number.isFinite(value)) {
      open = false;
      continue;
    }
    path += `${open ? "L" : "M"}${left.toFixed(1)} ${y(value).toFixed(1)}`;
    open = true;
    last = [left, y(value)];
  }
  const finite = values.map(number).filter(Number.isFinite);
  const text = `${label} from ${format.number(finite[0], 3)} to ${format.number(finite.at(-1), 3)}`;
  return html`<svg class="spark" width=${width} height=${height} role="img" aria-label=${text} ref=${(node) => node?.style.setProperty("color", `var(${token})`)}>
    <title>${text}</title><path d=${path} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" />
    <circle cx=${last[0]} cy=${last[1]} r="2" fill="currentColor" /></svg>`;
}
