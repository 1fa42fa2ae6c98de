// How the elements of a tensor spread over the steps: ridges, or a film of them.
import { html, useMemo } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { Histogram, Ridge } from "../../parts/histogram.js";
import { StepSlider } from "../../parts/slider.js";
import { Choice } from "../../parts/tabs.js";
import { sharesOf, shrinks, thinned, trimmed, united, zeros } from "./bins.js";

const mostRidges = 50;

export function Spread({ route, data, step, onStep }) {
  const how = route.get("spread", "ridge");
  const all = useMemo(() => trimmed({ edges: Array.from(data.edges), counts: data.counts.map((row) => Array.from(row)) }), [data]);
  const even = route.get("axis") ? route.get("axis") === "powers" : shrinks(all);
  return html`<section class="card" aria-labelledby="spread-title"><header><h3 id="spread-title">Histograms over steps</h3>
      <${Choice} label="Axis" options=${[["values", "Values"], ["powers", "Powers of two"]]} value=${even ? "powers" : "values"} onChange=${(next) => route.set({ axis: next })} />
        <${Choice} label="Shown as" options=${[["ridge", "Ridges"], ["film", "Film"]]} value=${how} onChange=${(next) => route.set({ spread: next === "ridge" ? null : next })} /></header>
    <div class="body"><${Shown} data=${data} all=${all} how=${how} even=${even} step=${step} onStep=${onStep} /></div>
  </section>`;
}

function Shown({ data, all, how, even, step, onStep }) {
  const steps = useMemo(() => Array.from(data.steps), [data]);
  const { edges, counts } = useMemo(() => (even ? all : united(all)), [all, even]);
  const shares = useMemo(() => sharesOf(counts), [counts]);
  const only = useMemo(() => (zeros(data) ? 0 : null), [data]);
  const kept = useMemo(() => thinned(steps.length, mostRidges), [steps]);
  const here = steps.indexOf(nearest(steps, step));
  if (how === "film") {
    return html`<div class="stack tight"><div class="line tensors-film"><${StepSlider} label="Film" film steps=${steps} value=${steps[here]} onChange=${onStep} /></div>
      <${Histogram} title=${`Step ${format.count(steps[here])}`} heading="h4" edges=${edges} counts=${counts[here]} step=${steps[here]} even=${even} only=${only} height=${240} />
      <${Note} data=${data} steps=${steps} even=${even} shown=${steps.length} /></div>`;
  }
  const some = { steps: kept.map((i) => steps[i]), shares: kept.map((i) => shares[i]), counts: kept.map((i) => data.elements[i]) };
  return html`<div class="stack tight"><${Ridge} title="The latest in front; a click goes to its step" heading="h4" ...${some} edges=${edges} even=${even} only=${only} step=${nearest(some.steps, step)} onStep=${onStep} height=${Math.min(440, 140 + 8 * kept.length)} />
    <${Note} data=${data} steps=${steps} even=${even} shown=${kept.length} /></div>`;
}

function Note({ data, steps, even, shown }) {
  const odd = steps.findIndex((_, i) => data.nan[i] + data.inf[i] > 0);
  return html`<p class="small quiet">${data.all > shown ? `${format.count(shown)} of ${format.several(data.all, "histogram")} are shown. ` : ""}${even ? "Each bin is a power of two; zeros are in the one between the signs." : "Heights are densities."}${
    odd >= 0 ? html` <strong>From step ${format.count(steps[odd])} on some elements are not finite; they are in no bin.</strong>` : ""}</p>`;
}

// nearest is the step of a list that is the last one up to another, or its first.
export const nearest = (steps, step) => steps.findLast((one) => one <= step) ?? steps[0];
