// Controls of a run: stop it, change what is captured and judged, the machine's interval, the report, removal.
import { html } from "../../vendor/preact.js";
import { Boundary } from "../../parts/boundary.js";
import { Capture } from "./capture.js";
import { Job } from "./job.js";
import { Machine } from "./machine.js";
import { Remove } from "./remove.js";
import { Report } from "./report.js";
import { Rules } from "./rules.js";
import { usePlan } from "./plan.js";

export function Page({ run, api, route }) {
  const plan = usePlan(run, api);
  const ended = !run.live;
  return html`<div class="stack">
      <h1>Controls</h1>
      ${ended && html`<p class="quiet">The job has ended: it cannot be steered any more. Its report can be written, and the run can be deleted.</p>`}
      <${Boundary} what="Stopping"><${Job} run=${run} api=${api} /><//>
      <${Boundary} what="The plan"><${Capture} run=${run} plan=${plan} /><//>
      <div class="grid controls-grid">
        ${!ended && html`<${Boundary} what="The rules"><${Rules} api=${api} plan=${plan} route=${route} /><//>
        <${Boundary} what="Machine metrics"><${Machine} run=${run} plan=${plan} /><//>`}
        <${Boundary} what="The report"><${Report} run=${run} api=${api} /><//>
        <${Boundary} what="Removal"><${Remove} run=${run} api=${api} route=${route} /><//>
      </div>
    </div>`;
}
