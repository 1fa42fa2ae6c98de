// One tensor: what it is, its numbers at a step, their course, how its elements spread over the steps, and the values themselves.
import { html, useMemo } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { useKeys } from "../../core/keys.js";
import { useGet } from "../../core/use.js";
import { Boundary } from "../../parts/boundary.js";
import { Answer } from "../../parts/empty.js";
import { Icon } from "../../parts/icon.js";
import { StepSlider } from "../../parts/slider.js";
import { Capture } from "./capture.js";
import { Compare } from "./compare.js";
import { ModeChoice, modesOf, WorkerChoice } from "./controls.js";
import { Course } from "./course.js";
import { Moment } from "./moment.js";
import { Spread } from "./spread.js";
import { Values } from "./values.js";

export function OneTensor({ run, api, route, tensor, back }) {
  const modes = modesOf(run, tensor);
  const mode = modes.includes(route.get("mode")) ? route.get("mode") : "";
  const worker = route.get("worker");
  const step = route.get("step", "-1");
  const who = { tensor: tensor.name, mode, worker };
  const of = useGet(run.path("stats"), { ...who, step }, { columns: true, every: run.live ? 4000 : 0 });
  const data = of.data?.name === tensor.name ? of.data : undefined;
  const steps = useMemo(() => Array.from(data?.steps ?? []), [data]);
  const histograms = useGet(tensor.histogram && data ? run.path("histograms") : null, { ...who, mode: data?.mode, columns: 400, bins: 128 }, { columns: true, every: run.live ? 6000 : 0 });
  const go = (to) => route.set({ step: to === steps.at(-1) ? null : to });
  const move = (by) => {
    const i = steps.indexOf(data.step) + by;
    if (steps[i] !== undefined) go(steps[i]);
  };
  useKeys("Tensors", [["[", "step before", () => data && move(-1)], ["]", "step after", () => data && move(1)], ["u", "up to all layers", back]]);
  const scalar = tensor.stats.length > 0 && !tensor.strings && !tensor.stats.includes("mean");
  return html`<section class="stack" aria-labelledby="tensor-title">
    <div class="stack tight">
      <div class="line"><button type="button" class="button small" onClick=${back}><${Icon} name="left" size=${14} /> All layers <kbd aria-hidden="true">u</kbd></button><span class="grow"></span>
        <${Capture} run=${run} api=${api} tensor=${tensor} done=${of.reload} /></div>
      <h2 id="tensor-title" class="said tensors-title">${tensor.name}</h2>
      <${Facts} tensor=${tensor} shape=${data?.shape} route=${route} run=${run} />
    </div>
    <div class="card line tensors-when" role="group" aria-label="Which values">
      <${ModeChoice} modes=${modes} value=${mode || data?.mode || modes[0]} onChange=${(next) => route.set({ mode: next, step: null })} />
      <${WorkerChoice} run=${run} value=${worker} onChange=${(next) => route.set({ worker: next })} />
      ${data && html`<${StepSlider} label="Step" steps=${steps} value=${data.step} onChange=${go} film />`}
      ${data && html`<span class="faint small">${format.several(steps.length, "step")}, ${data.raw_steps.length ? `the values themselves at ${format.count(data.raw_steps.length)}` : "statistics only"}</span>`}
    </div>
    <${Answer} of=${{ ...of, data }} what="">${(moment) => html`
      ${!tensor.strings && html`<${Boundary} what="The numbers of this step"><${Moment} data=${moment} tensor=${tensor} scalar=${scalar} histograms=${histograms.data} /><//>`}
      ${!tensor.strings && html`<${Boundary} what="The course"><${Course} run=${run} route=${route} tensor=${tensor} mode=${moment.mode} worker=${worker} step=${moment.step} scalar=${scalar} /><//>`}
      ${histograms.data?.steps.length > 0 && html`<${Boundary} what="The histograms"><${Spread} route=${route} data=${histograms.data} step=${moment.step} onStep=${go} /><//>`}
      ${!scalar && html`<${Boundary} what="The values"><${Values} run=${run} api=${api} route=${route} tensor=${tensor} moment=${moment} worker=${worker} onStep=${go} /><//>`}
      <${Boundary} what="The comparison"><${Compare} run=${run} api=${api} route=${route} tensor=${tensor} moment=${moment} worker=${worker} scalar=${scalar} /><//>`}<//>
  </section>`;
}

// Facts is what was announced of it.
function Facts({ tensor, shape, route, run }) {
  const shapes = shape ?? (tensor.strings ? null : tensor.shape);
  return html`<p class="line tensors-facts">
    <span class="tag">${tensor.strings ? "strings" : tensor.kind}</span>
    ${tensor.dtype && !tensor.strings && html`<span class="tag mono">${tensor.dtype}</span>`}
    ${shapes && html`<span class="tag mono" title="Shape">${shapes.length ? shapes.join(" \u00d7 ") : "scalar"}</span>`}
    ${tensor.module && html`<span class="quiet said">${tensor.module}${tensor.module_type && tensor.module_type !== tensor.module ? ` (${tensor.module_type})` : ""}</span>`}
    ${tensor.frozen && html`<span class="tag">frozen</span>`}
    ${tensor.alias_of && html`<span class="quiet">the same values as <a class="said" href=${route.to(run.name, "tensors", { tensor: tensor.alias_of })}>${tensor.alias_of}</a></span>`}
    ${tensor.collections.map((name) => html`<a key=${name} class="tag" title="All layers of this collection" href=${route.to(run.name, "tensors", { collection: name })}>${name}</a>`)}
  </p>`;
}
