// The metric of each run against one parameter.
import { html } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { useSize } from "../../core/use.js";
import { kindOf, metricScale, placed } from "./answer.js";

const height = 300, top = 12, bottom = 40, left = 64, right = 18;

export function Scatter({ rows, parameter, axis, metric, inside, over, onOver, onOpen }) {
  const [box, { width }] = useSize();
  const values = metricScale(rows);
  const x = (at) => left + 8 + at * (width - left - right - 16);
  const y = (at) => top + (1 - at) * (height - top - bottom);
  // The best run is drawn last, over the others.
  const points = rows.filter((row) => Number.isFinite(row.value) && placed(axis, row)).sort((a, b) => Number(a.best) - Number(b.best));
  return html`<div class="best-scatter" ref=${box}>${width > 0 && html`<svg width=${width} height=${height} role="group" aria-label=${`${metric} of each run by ${parameter}`}>
    ${values.ticks.map((tick) => html`<g key=${tick.text}><line class="best-grid" x1=${left} x2=${width - right} y1=${y(tick.at)} y2=${y(tick.at)} /><text class="best-tick" x=${left - 6} y=${y(tick.at) + 4} text-anchor="end">${tick.text}</text></g>`)}
    ${axis.ticks.slice(0, 12).map((tick) => html`<text key=${tick.text} class="best-tick" x=${x(tick.at)} y=${height - bottom + 18} text-anchor="middle">${tick.text}</text>`)}
    <text class="best-axis-title" x=${(left + width - right) / 2} y=${height - 6} text-anchor="middle">${parameter}${axis.log ? ", logarithmic" : ""}</text>
    ${points.map((row) => html`<circle key=${row.name} class=${`best-point ${kindOf(row)} ${inside(row) ? "" : "outside"} ${over === row.name ? "over" : ""}`} cx=${x(axis.at(axis.value(row)))} cy=${y(values.at(row.value))} r=${row.best ? 6 : 4.5}
      onPointerEnter=${() => onOver(row.name)} onPointerLeave=${() => onOver(null)} onClick=${() => onOpen(row)}><title>${row.name}: ${metric} ${format.number(row.value)}, ${parameter} ${axis.text(axis.value(row))}</title></circle>`)}
  </svg>`}</div>`;
}
