// The overview of a run: first how it stands and what to do, then how it learned, where its time went, and what it was made of.
import { html } from "../../vendor/preact.js";
import { useEvents, useGet } from "../../core/use.js";
import { Boundary } from "../../parts/boundary.js";
import { About } from "./about.js";
import { Job } from "./job.js";
import { Losses } from "./losses.js";
import { Output } from "./output.js";
import { Verdict } from "./verdict.js";

export function Page({ run, api, route }) {
  const findings = useGet(run.path("findings"));
  useEvents(run.name, { findings: findings.reload, rules: findings.reload, reset: findings.reload }, { when: run.live });
  return html`<div class="overview stack">
    <${Boundary} what="The verdict"><${Verdict} run=${run} of=${findings} route=${route} /><//>
    ${run.describe.traceback && html`<${Boundary} what="The traceback"><${Output} run=${run} which="traceback" /><//>`}
    <${Boundary} what="The losses"><${Losses} run=${run} route=${route} /><//>
    <${Boundary} what="The job"><${Job} run=${run} route=${route} /><//>
    <${Boundary} what="The run"><${About} run=${run} api=${api} route=${route} /><//>
    ${!run.describe.traceback && html`<${Boundary} what="The output"><${Output} run=${run} which="output" /><//>`}
  </div>`;
}
