// The HTML report: written into the run, and downloaded.
import { html, useState } from "../../vendor/preact.js";
import { bytes } from "../../core/format.js";
import { attempt } from "../../core/toast.js";
import { Denied } from "./denied.js";

export function Report({ run, api }) {
  const [busy, setBusy] = useState(false);
  const [written, setWritten] = useState(null);
  const may = run.can("report");
  const write = async () => {
    setBusy(true);
    const answer = await attempt(() => api.post(run.path("report")), "The report is written.");
    setBusy(false);
    if (answer) setWritten(answer);
  };
  return html`<section class="card" aria-label="Report">
    <header><h2>Report</h2></header>
    <div class="body stack tight">
      <p class="quiet">One HTML file that needs no network: findings, losses, layers, machine, time.</p>
      <div class="line"><button type="button" class="button" disabled=${!may.allowed || busy} onClick=${write}>${busy ? "Writing …" : "Write the report"}</button>
        <a class="button" href=${run.url("report")} download=${`${run.name}.html`}>Download it</a></div>
      ${written && html`<p class="small quiet">Written to <code class="said">${written.path}</code>, <span class="n">${bytes(written.bytes)}</span>.</p>`}
      <${Denied} may=${may} />
    </div>
  </section>`;
}
