// Is the job running, and stopping it.
import { html, useState } from "../../vendor/preact.js";
import { several } from "../../core/format.js";
import { attempt } from "../../core/toast.js";
import { confirm } from "../../parts/dialog.js";
import { Command } from "../../parts/empty.js";
import { Status } from "../../parts/severity.js";
import { Denied } from "./denied.js";

export function Job({ run, api }) {
  const [asked, setAsked] = useState(false);
  const now = run.now.value;
  const may = run.can("stop");
  const stop = async () => {
    const yes = await confirm({ title: `Stop ${run.name}?`, action: "Stop the job", danger: true,
      text: "Every process of the job is asked to end, and is killed when it is still there ten seconds later. What was captured is kept." });
    if (!yes) return;
    setAsked(true);
    if ((await attempt(() => api.post(run.path("stop")), "The job was asked to stop.")) === undefined) setAsked(false);
    run.reload();
  };
  const steps = Object.entries(now.steps).map(([mode, n]) => several(n, `${mode} step`)).join(", ");
  return html`<section class="card" aria-label="Job">
    <header><h2>Job</h2></header>
    <div class="body line apart controls-job">
      <div class="stack tight"><p><${Status} of=${now.status || run.row.status} /> <span class="quiet n">${steps}</span></p>
        ${run.live && html`<p class="small faint">In a terminal: <${Command} text=${`vigil stop ${run.name}`} /></p>`}</div>
      ${run.live && html`<div class="stack tight"><button type="button" class="button danger" disabled=${!may.allowed || asked} onClick=${stop}>${asked && run.live ? "Stopping …" : "Stop the job"}</button>
        <${Denied} may=${may} /></div>`}
    </div>
  </section>`;
}
