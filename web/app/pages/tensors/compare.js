// A tensor next to one of another job: its numbers, histograms, courses and values.
import { html, useMemo, useState } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { number as figure } from "../../core/api.js";
import { matcher } from "../../core/match.js";
import { statName } from "../../core/statistics.js";
import { useGet } from "../../core/use.js";
import { Answer, Empty } from "../../parts/empty.js";
import { Histogram } from "../../parts/histogram.js";
import { Icon } from "../../parts/icon.js";
import { StepSlider } from "../../parts/slider.js";
import { shrinks, trimmed, united } from "./bins.js";
import { Courses } from "./courses.js";
import { Numbers } from "./values.js";

export function Compare({ run, api, route, tensor, moment, worker, scalar }) {
  const other = route.get("with");
  const { mode, step } = moment;
  const there = { with: other, with_tensor: route.get("with_tensor"), with_step: route.get("with_step") };
  const who = { tensor: tensor.name, mode, worker };
  const of = useGet(other ? run.path("stats", "compare") : null, { ...who, step, ...there }, { columns: true, every: run.live ? 6000 : 0 });
  const data = of.data?.there.run === other && of.data.here.name === tensor.name ? of.data : undefined;
  return html`<section class="card" aria-labelledby="compare-title">
    <header><h3 id="compare-title">Compare with another job</h3>
      ${other && html`<button type="button" class="button plain small" onClick=${() => route.push({ with: null, with_tensor: null, with_step: null, with_course: null })}><${Icon} name="close" size=${14} /> Compare no more</button>`}</header>
    <div class="body stack">
      <${Other} api=${api} route=${route} tensor=${tensor} other=${other} data=${data} />
      ${other && html`<${Answer} of=${{ ...of, data }} compact what="The two could not be compared.">${(pair) => (pair.error ? html`<${Empty} compact>${pair.error}<//>` : html`
        <${Stats} pair=${pair} />
        ${pair.histograms && html`<${Spreads} pair=${pair} />`}
        ${!tensor.strings && html`<${Courses} run=${run} api=${api} route=${route} tensor=${tensor} pair=${pair} worker=${worker} scalar=${scalar} />`}
        ${pair.values ? html`<${Numbers} title="Difference" route=${route} path=${run.path("raw", "compare")} who=${{ ...who, step, ...there, with_step: pair.there.step }} shape=${tensor.shape}
            head=${(answer) => html`<h4>Difference of the values <span class="faint small">step ${format.count(answer.step)} less step ${format.count(answer.with.step)} of <span class="said">${other}</span></span></h4>`} />`
          : !scalar && html`<p class="quiet">${pair.why_not}</p>`}`)}<//>`}
    </div></section>`;
}

// Other chooses run, tensor and step there.
function Other({ api, route, tensor, other, data }) {
  const runs = useGet("runs", { fields: "basic" });
  const known = useMemo(() => runs.data?.runs.some((row) => row.name === other), [runs.data, other]);
  const list = useGet(known ? api.path("runs", other, "tensors") : null);
  const steps = useMemo(() => Array.from(data?.there.steps ?? []), [data]);
  const names = useMemo(() => (list.data?.tensors ?? []).filter((one) => one.by === "step").map((one) => one.name), [list.data]);
  const step = route.get("with_step");
  return html`<div class="line tensors-with">
    <${Named} label="Run" id="tensors-runs" value=${other} names=${runs.data?.runs.map((row) => row.name) ?? []} onChange=${(name) => route.push({ with: name, with_tensor: null, with_step: null })} />
    ${other && html`<${Named} label="Tensor there" id="tensors-names" value=${route.get("with_tensor", tensor.name)} names=${names} onChange=${(name) => route.set({ with_tensor: name === tensor.name ? null : name, with_step: null })} />`}
    ${steps.length > 0 && html`<${StepSlider} label="Step there" steps=${steps} value=${data.there.step} onChange=${(to) => route.set({ with_step: to })} />`}
    ${step && html`<button type="button" class="button small" onClick=${() => route.set({ with_step: null })}>Same step as here</button>`}
  </div>`;
}

// Named is a field for a name out of many.
function Named({ label, id, value, names, onChange }) {
  const [text, setText] = useState(null);
  const shown = text ?? value;
  const some = useMemo(() => names.filter(text ? matcher(text) : Boolean).slice(0, 200), [names, text]);
  const done = (event) => {
    setText(null);
    if (event.target.value && event.target.value !== value) onChange(event.target.value);
  };
  return html`<label class="field">${label} <input type="text" class="said" list=${id} value=${shown} placeholder="Name" spellcheck=${false} autocomplete="off" onInput=${(event) => setText(event.target.value)} onChange=${done} /></label>
    <datalist id=${id}>${some.map((name) => html`<option key=${name} value=${name}></option>`)}</datalist>`;
}

const titleOf = ({ run, step }) => html`<span class="said">${run}</span> <span class="faint">step ${format.count(step)}</span>`;

function Stats({ pair }) {
  const shown = pair.stats.map((one) => ({ ...one, here: figure(one.here), there: figure(one.there), difference: figure(one.difference), relative: figure(one.relative) }));
  if (!shown.length) return html`<p class="quiet">The two have no statistic in common at these steps.</p>`;
  const digits = (value) => format.number(value, 6);
  return html`<div class="tensors-wide" tabindex="0" role="region" aria-label="Statistics of both"><table class="plain"><thead><tr><th scope="col">Statistic</th><th scope="col" class="n">${titleOf(pair.here)}</th><th scope="col" class="n">${titleOf(pair.there)}</th><th scope="col" class="n">Difference</th><th scope="col" class="n" title="The difference as a part of the magnitude there">Relative</th></tr></thead>
    <tbody>${shown.map((one) => html`<tr key=${one.name}><th scope="row" class=${one.derived ? "mono small anywhere" : ""}>${one.derived ? one.name : statName(one.name)}</th>
      <td class="n">${digits(one.here)}</td><td class="n">${digits(one.there)}</td><td class="n">${digits(one.difference)}</td><td class="n">${Number.isFinite(one.relative) ? `${format.number(100 * one.relative, 3)} %` : ""}</td></tr>`)}</tbody></table></div>`;
}

function Spreads({ pair }) {
  const { here, there, histograms } = pair;
  const [drawn, even] = useMemo(() => {
    const all = trimmed({ edges: Array.from(histograms.edges), counts: [Array.from(histograms.here), Array.from(histograms.there)] });
    return shrinks(all) ? [all, true] : [united(all), false];
  }, [histograms]);
  const names = [here.run === there.run ? `step ${here.step}` : here.run, here.run === there.run ? `step ${there.step}` : there.run];
  const of = (name, step, own) => `${name}${step === own ? "" : ` (of step ${format.count(step)})`}`;
  return html`<${Histogram} title=${even ? "Histograms, each bin a power of two" : "Histograms"} heading="h4" edges=${drawn.edges} counts=${drawn.counts[0]} over=${drawn.counts[1]} names=${names} step=${here.step} even=${even} height=${220}>
    <span class="tensors-key one said">${of(names[0], histograms.here_step, here.step)}</span> <span class="tensors-key two said">${of(names[1], histograms.there_step, there.step)}</span><//>`;
}
