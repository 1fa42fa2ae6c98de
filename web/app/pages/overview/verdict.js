// The verdict: one sentence, then each root cause with what to do about it.
import { html, useState } from "../../vendor/preact.js";
import { duration, several, time } from "../../core/format.js";
import { Answer } from "../../parts/empty.js";
import { Finding } from "../../parts/finding.js";
import { Icon } from "../../parts/icon.js";
import { Prose } from "../../parts/prose.js";

// mostShown is how many root causes are shown at once.
const mostShown = 5;

export function Verdict({ run, of, route }) {
  const { describe } = run;
  const state = describe.verdict.class;
  return html`<section class="stack" aria-labelledby="verdict">
    <div class=${`verdict ${state}`}>
      <${Icon} name=${state === "muted" ? "mute" : state} size=${22} />
      <div class="grow stack tight">
        <h1 id="verdict"><${Prose} text=${headline(describe.verdict.text)} /></h1>
        <p class="verdict-facts quiet"><${Facts} run=${run} /></p>
        ${of.data && html`<p class="quiet"><a href=${route.to(run.name, "findings", { view: "rules" })}>${of.data.text}</a></p>`}
      </div>
    </div>
    <${Answer} of=${of} what="What the rules found could not be read.">${(data) => html`<${Roots} run=${run} data=${data} route=${route} />`}<//>
  </section>`;
}

// headline is the sentence of the verdict; of a run in which nothing was found it says so calmly.
export function headline(text) {
  return text.replace(/^Nothing to report: no rule found anything wrong/, "No rule found anything wrong");
}

const order = ["TRAIN", "GLOBAL", "EVAL", "PREDICT"];

function Facts({ run }) {
  const { describe } = run;
  const now = run.now.value;
  const steps = order.map((mode) => [mode, now.steps?.[mode] ?? 0]).filter(([, n]) => n > 0).map(([mode, n]) => (mode === "TRAIN" || mode === "GLOBAL" ? several(n, "step") : several(n, `${mode === "EVAL" ? "evaluation" : "prediction"} step`)));
  const ended = describe.ended ? new Date(describe.ended) : run.live ? new Date() : null;
  const parts = [
    run.live ? "Running" : !describe.verdict.text.includes(describe.ending) && sentence(describe.ending),
    ...steps,
    ended && duration((ended - new Date(describe.started)) / 1000),
    `started ${time(describe.started)}`,
  ].filter(Boolean);
  return html`${parts.map((part, i) => html`${i > 0 && html`<span aria-hidden="true" class="dot"> · </span>`}<span class="said">${part}</span>`)}`;
}

const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) : "");

function Roots({ run, data, route }) {
  const [all, setAll] = useState(false);
  if (!data.groups.length) return html`<${Quiet} data=${data} run=${run} route=${route} />`;
  const shown = all ? data.groups : data.groups.slice(0, mostShown);
  const left = data.groups.length - shown.length;
  return html`<h2 class="sr">Root causes</h2>
    ${shown.map((group, i) => html`<${Finding} key=${group.root.id} run=${run} finding=${group.root} group=${group} chart=${i < 3} />`)}
    ${left > 0 && html`<div><button type="button" class="button" onClick=${() => setAll(true)}>Show ${several(left, "more root cause")}</button></div>`}
    ${data.muted.length > 0 && html`<${Muted} data=${data} run=${run} route=${route} />`}`;
}

// Quiet is what is there when nothing was found: whether that says much.
function Quiet({ data, run, route }) {
  return html`${data.muted.length > 0 && html`<${Muted} data=${data} run=${run} route=${route} />`}
    ${data.damage.map((one) => html`<p key=${one.file} class="severity plain warning"><${Icon} name="warning" size=${14} /> <span class="said">${one.file}</span> is damaged: ${one.reason}</p>`)}`;
}

function Muted({ data, run, route }) {
  const n = data.muted.reduce((sum, one) => sum + one.findings, 0);
  return html`<p class="quiet small"><${Icon} name="mute" size=${14} /> ${several(n, "finding")} of ${several(data.muted.length, "rule")} ${n === 1 ? "is" : "are"} muted and ${n === 1 ? "does" : "do"} not count. <a href=${route.to(run.name, "findings", { show: "muted" })}>Show</a></p>`;
}
