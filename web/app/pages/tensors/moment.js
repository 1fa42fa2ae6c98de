// The numbers of a tensor at one step, and its histogram there.
import { html, useMemo } from "../../vendor/preact.js";
import { number as figure } from "../../core/api.js";
import * as format from "../../core/format.js";
import { statistics } from "../../core/statistics.js";
import { Empty } from "../../parts/empty.js";
import { Histogram } from "../../parts/histogram.js";
import { Icon } from "../../parts/icon.js";
import { constant, trimmed, united } from "./bins.js";
import { nearest } from "./spread.js";

// The order of interest; the rest is below, folded.
const first = ["value", "mean", "std", "min", "max", "abs_mean", "abs_max", "l2", "count", "zeros", "nan", "inf"];
const bad = new Set(["nan", "inf"]);

export function Moment({ data, tensor, scalar, histograms }) {
  const stats = first.filter((key) => key in data.stats).map((key) => [key, figure(data.stats[key])]);
  const more = [...Object.entries(data.stats).filter(([key]) => !first.includes(key)).map(([key, value]) => [statistics[key] ?? key, value, false]),
    ...Object.entries(data.derived).sort(([a], [b]) => a.localeCompare(b)).map(([key, value]) => [key, value, true])];
  if (!stats.length && !more.length) {
    return html`<section class="card"><header><h3>At step ${format.count(data.step)}</h3></header>
      <${Empty} compact command=${`vigil run --collect ${tensor.collections[0] ?? "weights"}:every=10 -- python train.py`}>No statistics were captured at this step, only values.<//></section>`;
  }
  const count = figure(data.stats.count);
  return html`<section class="card" aria-labelledby="moment-title"><header><h3 id="moment-title">At step ${format.count(data.step)}</h3><span class="quiet small">${data.worker}</span></header>
    <div class=${`body tensors-moment ${scalar ? "alone" : ""}`}>
      <div>
        <dl class="tensors-numbers">${stats.map(([key, value]) => html`<div key=${key} class=${bad.has(key) && value > 0 ? "wrong" : ""}>
          <dt>${statistics[key]}</dt>
          <dd class="n">${bad.has(key) && value > 0 && html`<${Icon} name="error" size=${14} label="not finite" /> `}${key === "zeros" && value > 0 && count > 0 ? html`<span class="faint">${format.percent(value / count)}</span> ` : ""}${format.number(value, 6)}</dd></div>`)}
        </dl>
        ${more.length > 0 && html`<details class="tensors-more"><summary>${format.several(more.length, "further number")}</summary>
          <dl class="tensors-numbers">${more.map(([key, value, code]) => html`<div key=${key}><dt class=${code ? "mono small anywhere" : ""}>${key}</dt><dd class="n">${format.number(figure(value), 6)}</dd></div>`)}</dl></details>`}
      </div>
      ${!scalar && html`<${Around} data=${data} tensor=${tensor} histograms=${histograms} />`}
    </div>
  </section>`;
}

// Around is the histogram of this step, or the nearest one before.
function Around({ data, tensor, histograms }) {
  const { step, edges, counts } = useMemo(() => choose(data, histograms), [data, histograms]);
  if (!edges) {
    return html`<${Empty} compact command=${`vigil run --collect ${tensor.collections[0] ?? "weights"}:hist -- python train.py`}>No histogram of it was captured.<//>`;
  }
  return html`<${Histogram} title=${step === data.step ? "Histogram" : `Histogram of step ${format.count(step)}: at step ${format.count(data.step)} none was captured`} heading="h4" edges=${edges} counts=${counts} step=${step} only=${step === data.step ? constant(Object.fromEntries(["min", "max", "nan", "inf"].map((key) => [key, figure(data.stats[key])]))) : null} height=${260} />`;
}

function choose(data, histograms) {
  let found = data.histogram && { step: data.step, edges: Array.from(data.histogram.edges), counts: Array.from(data.histogram.counts) };
  if (!found && histograms?.steps.length) {
    const steps = Array.from(histograms.steps);
    const step = nearest(steps, data.step);
    found = { step, edges: Array.from(histograms.edges), counts: Array.from(histograms.counts[steps.indexOf(step)]) };
  }
  if (!found) return {};
  const one = trimmed({ edges: found.edges, counts: [found.counts] });
  const drawn = united(one);
  return { step: found.step, edges: drawn.edges, counts: drawn.counts[0] };
}
