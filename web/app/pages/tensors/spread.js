// How the elements of a tensor spread over the steps: ridges, or a film of them.
import { html, useMemo } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { useGet } from "../../core/use.js";
import { Empty, Answer } from "../../parts/empty.js";
import { Choice } from "../../parts/tabs.js";
import { Histogram, Ridge } from "../../parts/histogram.js";
import { StepSlider } from "../../parts/slider.js";

export function Spread({ run, route, tensor, mode, worker, step, onStep }) {
  const how = route.get("spread", "ridge");
  const of = useGet(tensor.histogram ? run.path("histograms") : null, { tensor: tensor.name, mode, worker, columns: how === "film" ? 400 : 60, bins: 96 }, { columns: true, every: run.live ? 6000 : 0 });
  return html`<section class="card" aria-labelledby="spread-title"><header><h3 id="spread-title">Histograms over steps</h3>
      <${Choice} label="Shown as" options=${[["ridge", "Ridges"], ["film", "Film"]]} value=${how} onChange=${(next) => route.set({ spread: next === "ridge" ? null : next })} /></header>
    <div class="body">${!tensor.histogram
      ? html`<${Empty} compact command=${`vigil run --collect ${tensor.collections[0] ?? "weights"}:hist -- python train.py`}>No histograms of this tensor were captured.<//>`
      : html`<${Answer} of=${of} compact what="The histograms could not be read.">${(data) => html`<${Shown} data=${data} how=${how} step=${step} onStep=${onStep} name=${tensor.name} />`}<//>`}</div>
  </section>`;
}

function Shown({ data, how, step, onStep, name }) {
  const steps = useMemo(() => Array.from(data.steps), [data]);
  const edges = useMemo(() => Array.from(data.edges), [data]);
  const totals = useMemo(() => Array.from(data.elements), [data]);
  if (!steps.length) return html`<${Empty} compact>No histograms of this tensor were captured in this mode.<//>`;
  const odd = steps.findIndex((_, i) => data.nan[i] + data.inf[i] > 0);
  const thin = data.all > steps.length ? `${format.count(steps.length)} of ${format.several(data.all, "histogram")} are shown. ` : "";
  const note = html`<p class="small quiet">${thin}Bins are powers of two, zeros are between the signs.${odd >= 0 ? ` From step ${format.count(steps[odd])} on there are elements that are not finite; they are in no bin.` : ""}</p>`;
  if (how === "film") {
    const i = steps.indexOf(nearest(steps, step));
    return html`<div class="stack tight"><${StepSlider} label="Film" film steps=${steps} value=${steps[i]} onChange=${onStep} />
      <${Histogram} title=${`Step ${format.count(steps[i])}`} heading="h4" edges=${edges} counts=${data.counts[i]} step=${steps[i]} height=${220} />${note}</div>`;
  }
  return html`<div class="stack tight"><${Ridge} title="One ridge a step, the latest in front" heading="h4" steps=${steps} edges=${edges} shares=${data.shares} counts=${totals} step=${nearest(steps, step)} onStep=${onStep} height=${Math.min(420, 120 + 6 * steps.length)} />${note}</div>`;
}

const nearest = (steps, step) => steps.reduce((best, one) => (Math.abs(one - step) < Math.abs(best - step) ? one : best), steps[0]);
