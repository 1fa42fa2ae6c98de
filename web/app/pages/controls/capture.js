// What is captured: the collections, their intervals, who asked for them; more of it, or less often.
import { html, useState } from "../../vendor/preact.js";
import { several, time } from "../../core/format.js";
import { Answer, Empty } from "../../parts/empty.js";
import { Denied } from "./denied.js";
import { intervalOf } from "./plan.js";

export function Capture({ run, plan }) {
  return html`<section class="card" aria-label="What is captured">
    <header><h2>${run.live ? "What is captured" : "What was captured"}</h2></header>
    <div class="body stack"><${Answer} of=${plan.of} what="The plan could not be read.">${(data) => html`
      ${data.collections?.length ? html`<${Collections} list=${data.collections} />` : html`<${Empty} compact command="vigil run -- python train.py">No process has started to train: there is no plan yet.<//>`}
      ${run.live && html`<${Denied} may=${plan.may} />`}
      ${run.live && plan.may.allowed && html`<div class="grid controls-forms"><${Interval} plan=${plan} /><${More} plan=${plan} /></div>`}
      ${data.history?.length > 0 && html`<${History} list=${data.history} />`}`}<//></div>
  </section>`;
}

function Collections({ list }) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Collections"><table class="plain controls-collections"><thead><tr><th>Collection</th><th>In training</th><th>In evaluation</th><th>What of it</th><th class="n">Tensors</th><th>Asked for by</th></tr></thead>
    <tbody>${list.map((one, i) => html`<tr key=${i}><td class="said">${one.name}</td><td>${intervalOf(one.schedule?.TRAIN)}</td><td>${intervalOf(one.schedule?.EVAL)}</td>
      <td>${one.want}</td><td class="n">${one.tensors?.length ?? 0}</td><td class="quiet small said">${asked(one.by ?? [])}</td></tr>`)}</tbody></table></div>`;
}

const asked = (by) => (by.length > 3 ? `${by.slice(0, 2).join(", ")} and ${several(by.length - 2, "other")}` : by.join(", "));

function Interval({ plan }) {
  const [every, setEvery] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    if (await plan.change({ every: Number(every) }, "Changed. It takes effect at the next step.")) setEvery("");
  };
  return html`<form class="stack tight" onSubmit=${submit} aria-label="Interval">
    <h3>How often</h3>
    <label class="field"><span>Steps between two captures</span><input type="number" min="0" step="1" required value=${every} placeholder="10" onInput=${(event) => setEvery(event.target.value)} /></label>
    <p class="small quiet">For collections that name no interval of their own. 0 leaves it to the budget.</p>
    <div><button type="submit" class="button" disabled=${plan.busy || every === ""}>Change the interval</button></div>
  </form>`;
}

const kinds = ["gradients", "weights", "biases", "outputs", "inputs", "losses", "optimizer_variables"];

function More({ plan }) {
  const [want, setWant] = useState({ name: "gradients", regex: "", every: "1", steps: "20", raw: false });
  const set = (key) => (event) => setWant({ ...want, [key]: event.target.type === "checkbox" ? event.target.checked : event.target.value });
  const submit = async (event) => {
    event.preventDefault();
    const parts = [`every=${want.every || 1}`];
    if (want.raw) parts.push("raw");
    if (want.regex) parts.push(`regex="${want.regex.replaceAll('"', '\\"')}"`);
    const ask = { collect: [`${want.name}:${parts.join(",")}`] };
    if (want.steps) ask.for = Number(want.steps);
    await plan.change(ask, (answer) => captured(answer) ?? "Changed. It takes effect at the next step.");
  };
  return html`<form class="stack tight" onSubmit=${submit} aria-label="More">
    <h3>Capture more for a while</h3>
    <div class="controls-fields">
      <label class="field"><span>Collection</span><input type="text" required list="controls-collections" value=${want.name} onInput=${set("name")} /></label>
      <datalist id="controls-collections">${kinds.map((name) => html`<option key=${name} value=${name} />`)}</datalist>
      <label class="field"><span>Names (regular expression)</span><input type="text" value=${want.regex} placeholder="all of it" spellcheck=${false} onInput=${set("regex")} /></label>
      <label class="field"><span>Every N steps</span><input type="number" min="1" step="1" value=${want.every} onInput=${set("every")} /></label>
      <label class="field"><span>For so many steps</span><input type="number" min="1" step="1" value=${want.steps} placeholder="from now on" onInput=${set("steps")} /></label>
      <label class="check"><input type="checkbox" checked=${want.raw} onChange=${set("raw")} /> All values, not only statistics</label>
    </div>
    <div><button type="submit" class="button" disabled=${plan.busy || !want.name}>Capture it</button></div>
  </form>`;
}

function captured(answer) {
  const window = answer.windows?.find((one) => one.mode === "TRAIN");
  return window && `${window.collection}: training steps ${window.start} to ${window.end - 1}.`;
}

function History({ list }) {
  return html`<details><summary>${several(list.length, "change")} of the plan</summary>
    <div class="scroll"><table class="plain"><thead><tr><th>Time</th><th class="n">Step</th><th>Why</th></tr></thead>
    <tbody>${list.map((one, i) => html`<tr key=${i}><td>${time(one.time)}</td><td class="n">${one.step}</td><td class="said">${one.why}</td></tr>`)}</tbody></table></div></details>`;
}
