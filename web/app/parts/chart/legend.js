// The names of the series, with the value under the cursor, or the last one.
import { html, useState } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { colour, dash, theme } from "../../core/theme.js";
import { figures, token, under } from "./values.js";

const some = 8;

export function Legend({ few = some, series, hidden, toggle, point, unit, single, strong }) {
  const [all, setAll] = useState(false);
  const shown = all ? series : series.slice(0, few);
  const at = (one) => {
    const i = point.value.x === null ? lastOf(one) : under(one, point.value.x);
    return i < 0 ? null : figures(one)[i];
  };
  const write = (one, digits = 4) => (at(one) === null ? "" : format.withUnit(at(one), one.unit || unit, digits));
  if (single) {
    const text = spread(series.filter((one) => !hidden.has(one.label)), at, write);
    return html`${text && point.value.x === null && html`<span class="quiet small">last</span>`}<output class="chart-now n">${text}</output>`;
  }
  return html`<ul class="legend">
    ${shown.map((one, i) => html`<li key=${one.label}><button type="button" class="legend-entry" aria-pressed=${!hidden.has(one.label)} title=${`${one.label}\nClick hides or shows it, double click shows it alone`}
        onClick=${() => toggle(one.label, false)} onDblClick=${() => toggle(one.label, true)} onMouseEnter=${() => strong(i)} onMouseLeave=${() => strong(-1)}>
      <${Swatch} series=${one} i=${i} /><span class="cut said">${one.label}</span><output class="n">${write(one)}</output></button></li>`)}
    ${series.length > few && html`<li><button type="button" class="button plain small" onClick=${() => setAll(!all)}>${all ? "Fewer" : `${series.length - few} more`}</button></li>`}
  </ul>`;
}

// Swatch is a piece of the line, with its dashes.
export function Swatch({ series, i = 0 }) {
  theme.value;
  return html`<svg class="swatch" width="16" height="8" aria-hidden="true">${series.kind === "bars"
    ? html`<rect x="2" y="0" width="12" height="8" rx="2" fill=${colour(token(series, i))} />`
    : html`<line x1="0" x2="16" y1="4" y2="4" stroke=${colour(token(series, i))} stroke-width="2.5" stroke-dasharray=${(series.dash ?? dash(series.colour ?? i)).join(" ")} />`}</svg>`;
}

// spread says in little room what the series are worth: the one in front, else the lowest and the highest.
function spread(all, at, write) {
  const front = all.filter((one) => one.front);
  if (all.length < 2 || front.length === 1) return write(front[0] ?? all[0] ?? { x: [], y: [] });
  const some = all.filter((one) => Number.isFinite(at(one))).sort((a, b) => at(a) - at(b));
  return some.length ? `${write(some[0], 3)} \u2026 ${write(some[some.length - 1], 3)}` : "";
}

function lastOf({ y }) {
  for (let i = y.length - 1; i >= 0; i--) if (Number.isFinite(y[i])) return i;
  return y.length - 1;
}
