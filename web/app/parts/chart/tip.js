// What is under the cursor: the place, the values nearest to the pointer, and the mark there.
import { html, useLayoutEffect, useRef } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { Severity } from "../severity.js";
import { column, position } from "./axes.js";
import { Swatch } from "./legend.js";
import { figures, under } from "./values.js";

const most = 10;

export function Tip({ point, state, plot, strong, markAt, kind }) {
  const ref = useRef(null);
  const { x, left, top, here } = point.value;
  const shown = here && x !== null && plot.current;
  useLayoutEffect(() => {
    const tip = ref.current;
    const over = plot.current?.u.over;
    if (!tip || !over) return;
    // Next to the cursor, on the side with room; where neither has any, below the chart.
    const box = over.getBoundingClientRect();
    const outer = tip.offsetParent.getBoundingClientRect();
    const right = box.left + left + 14 + tip.offsetWidth <= innerWidth - 8;
    const fits = right || box.left + left - 14 - tip.offsetWidth >= 8;
    const place = right ? box.left + left + 14 : Math.max(8, box.left + left - 14 - tip.offsetWidth);
    tip.style.setProperty("left", `${place - outer.left}px`);
    tip.style.setProperty("top", `${fits ? Math.max(0, Math.min(top - 12, box.height - tip.offsetHeight)) + box.top - outer.top : box.bottom - outer.top + 28}px`);
  });
  if (!shown) return null;
  const { series, hidden, y } = state();
  const rows = series.map((one, i) => ({ one, i, k: under(one, x) })).filter(({ one, k }) => k >= 0 && !hidden.has(one.label));
  const pointed = plot.current.u.posToVal(top, "y");
  if (rows.length > most) rows.sort((a, b) => Math.abs(a.one.y[a.k] - pointed) - Math.abs(b.one.y[b.k] - pointed));
  const kept = rows.slice(0, most).sort((a, b) => b.one.y[b.k] - a.one.y[a.k] || a.i - b.i);
  const mark = markAt(plot.current, left);
  return html`<div class="tip" ref=${ref} aria-hidden="true">
    ${mark && html`<div class="tip-mark">${mark.kind === "checkpoint" ? html`<strong>${mark.title ?? "Checkpoint"}</strong>` : html`<${Severity} of=${mark.severity} text=${mark.title} plain />`}${mark.href && html`<span class="faint small">click opens it</span>`}</div>`}
    <div class="tip-place">${kept.length === 1 ? column(kept[0].one, kept[0].k, kind) : position(x, kind)}</div>
    <table>${kept.map(({ one, i, k }) => html`<tr key=${one.label} class=${i === strong.current ? "strong" : ""}><td><${Swatch} series=${one} i=${i} /></td>${series.length > 1 && html`<td class="cut said">${one.label}</td>`}
      <td class="n">${format.withUnit(figures(one)[k], one.unit || y.unit, 5)}</td>
      <td class="n faint">${one.behind && !one.min ? format.withUnit(one.behind[k], one.unit || y.unit, 3) : one.min && one.min[k] !== one.max[k] ? `${format.withUnit(one.min[k], one.unit || y.unit, 3)} \u2026 ${format.withUnit(one.max[k], one.unit || y.unit, 3)}` : ""}</td></tr>`)}</table>
    ${rows.length > most && html`<div class="faint small">nearest ${most} of ${rows.length}</div>`}
  </div>`;
}
