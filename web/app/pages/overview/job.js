// The job: its phases on a bar, where the time of its steps went, and what its machine did.
import { html } from "../../vendor/preact.js";
import { numbers } from "../../core/api.js";
import { clock, duration } from "../../core/format.js";
import { Empty } from "../../parts/empty.js";
import { Shares, Stats } from "../../parts/stat.js";

export function Job({ run, route }) {
  const { describe } = run;
  return html`<section class="stack" aria-labelledby="job">
    <h2 id="job">Time and machine</h2>
    <div class="job-cards grid">
      <div class="card"><header><h3>Phases of the job</h3></header><div class="body"><${Phases} describe=${describe} /></div></div>
      <div class="card"><header><h3>Where the time of the steps went</h3><a href=${route.to(run.name, "time")}>Time</a></header><div class="body"><${Spent} describe=${describe} /></div></div>
    </div>
    <${Machine} run=${run} route=${route} />
  </section>`;
}

const token = (part) => `--part-${part}`;

function Phases({ describe }) {
  const { phases } = describe;
  if (!phases.length) return html`<${Empty} compact>The phases of the job are known once its first step has closed.<//>`;
  const whole = phases.reduce((sum, one) => sum + one.seconds, 0) || 1;
  const parts = phases.map((one) => ({ name: one.name, share: one.seconds / whole, token: token(one.name), text: `${duration(one.seconds)}${one.open ? " so far" : ""}` }));
  return html`<${Shares} label="Phases of the job" parts=${parts} />
    <p class="quiet small phases-span"><time datetime=${describe.span.from}>${clock(describe.span.from)}</time> to <time datetime=${describe.span.to}>${describe.live ? "now" : clock(describe.span.to)}</time>, ${duration((new Date(describe.span.to) - new Date(describe.span.from)) / 1000)} in all</p>`;
}

function Spent({ describe }) {
  if (!describe.shares.length) return html`<${Empty} compact command="vigil run -- python train.py">Where the time of this run went was not stored.<//>`;
  const parts = describe.shares.map((one) => ({ name: one.name, share: one.seconds, token: token(one.part), text: `${one.percent} %` }));
  return html`<${Shares} label="Time of the steps" parts=${parts} />
    <p class="quiet small phases-span">Of ${describe.step_time}, the time of all steps${describe.workers.length > 1 ? html` of <span class="said">${describe.chief}</span>` : ""}.</p>`;
}

function Machine({ run, route }) {
  const figures = run.describe.machine_figures;
  if (!figures.length) return html`<div class="card"><${Empty} compact command="vigil run --monitor 500ms -- python train.py">Nothing was sampled of the machine.<//></div>`;
  const href = route.to(run.name, "machine");
  return html`<${Stats} label="The machine: medians over the job" items=${figures.map((one) => ({
    label: one.name, value: one.text, detail: one.detail, href, title: `${one.name}: median ${one.text}, ${one.detail}`,
    spark: one.points.length > 1 ? numbers(one.points) : null, share: one.points.length > 1 || one.unit !== "%" ? null : one.value / 100,
  }))} />`;
}
