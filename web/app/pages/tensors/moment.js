// The numbers of a tensor at one step, and its histogram there.
import { html, useMemo } from "../../vendor/preact.js";
import { number as figure } from "../../core/api.js";
import * as format from "../../core/format.js";
import { Empty } from "../../parts/empty.js";
import { Icon } from "../../parts/icon.js";
import { Histogram } from "../../parts/histogram.js";
import { statistics } from "./controls.js";

// The order of interest; counts of what should not be there come with a sign.
const order = ["value", "mean", "std", "min", "max", "abs_mean", "abs_max", "l2", "l1", "sum", "variance", "count", "zeros", "nan", "posinf", "neginf"];
const bad = new Set(["nan", "posinf", "neginf"]);

export function Moment({ data, tensor, scalar }) {
  const stats = Object.entries(data.stats).filter(([key]) => order.includes(key)).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const derived = Object.entries(data.derived);
  if (!stats.length && !derived.length) {
    return html`<section class="card"><header><h3>At step ${format.count(data.step)}</h3></header>
      <${Empty} compact command=${`vigil run --collect ${tensor.collections[0] ?? "weights"}:every=10 -- python train.py`}>No statistics were captured at this step, only values.<//></section>`;
  }
  const count = figure(data.stats.count);
  return html`<section class="card" aria-labelledby="moment-title"><header><h3 id="moment-title">At step ${format.count(data.step)}</h3><span class="quiet small">${data.worker}</span></header>
    <div class=${`body tensors-moment ${scalar ? "alone" : ""}`}>
      <dl class="tensors-numbers">${stats.map(([key, value]) => html`<div key=${key} class=${bad.has(key) && figure(value) > 0 ? "wrong" : ""}>
        <dt>${statistics[key]}</dt>
        <dd class="n">${bad.has(key) && figure(value) > 0 && html`<${Icon} name="error" size=${14} label="not finite" /> `}${format.number(figure(value), 6)}${key === "zeros" && count > 0 ? html` <span class="faint">${format.percent(figure(value) / count)}</span>` : ""}</dd></div>`)}
      </dl>
      ${!scalar && html`<${AtStep} data=${data} tensor=${tensor} />`}
    </div>
    ${derived.length > 0 && html`<details class="tensors-derived"><summary>${format.several(derived.length, "number")} that rules asked for</summary>
      <dl class="facts">${derived.sort(([a], [b]) => a.localeCompare(b)).map(([key, value]) => html`<dt key=${key} class="mono small">${key}</dt><dd class="n">${format.number(figure(value), 6)}</dd>`)}</dl></details>`}
  </section>`;
}

function AtStep({ data, tensor }) {
  const histogram = data.histogram;
  const values = useMemo(() => histogram && { edges: Array.from(histogram.edges), counts: Array.from(histogram.counts) }, [histogram]);
  if (!values) {
    return html`<${Empty} compact command=${`vigil run --collect ${tensor.collections[0] ?? "weights"}:hist -- python train.py`}>No histogram was captured at this step.<//>`;
  }
  return html`<${Histogram} title=${`Histogram at step ${format.count(data.step)}`} heading="h4" edges=${values.edges} counts=${values.counts} height=${200} />`;
}
