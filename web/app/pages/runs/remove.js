// The question before runs are deleted: it lists what goes, and says what cannot.
import { html, useState } from "../../vendor/preact.js";
import { path, remove } from "../../core/api.js";
import * as format from "../../core/format.js";
import { toast } from "../../core/toast.js";
import { Dialog } from "../../parts/dialog.js";
import { Status } from "../../parts/severity.js";
import { forgetRun } from "./rows.js";

export function Remove({ rows, onClose }) {
  const [busy, setBusy] = useState(false);
  const running = rows.filter((row) => row.status === "running");
  const doomed = rows.filter((row) => row.status !== "running");
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    const failed = [];
    const gone = [];
    for (const row of doomed) {
      try {
        await remove(path("runs", row.name), { name: row.name });
        gone.push(row.name);
        forgetRun(row.name);
      } catch (error) {
        if (error.status === 404) forgetRun(row.name);
        else failed.push([row.name, error.message]);
      }
    }
    if (gone.length) toast(gone.length === 1 ? `${gone[0]} is deleted.` : `${format.several(gone.length, "run")} are deleted.`, { kind: "ok" });
    if (failed.length) toast(`${failed[0][0]} was not deleted: ${failed[0][1]}${failed.length > 1 ? ` ${format.several(failed.length - 1, "other run")} could not be deleted either.` : ""}`, { kind: "error" });
    onClose(gone);
  };
  const title = doomed.length === 1 ? "Delete this run for good?" : `Delete ${format.several(doomed.length, "run")} for good?`;
  return html`<${Dialog} title=${doomed.length ? title : "Nothing can be deleted"} onClose=${() => onClose([])}><form class="stack" onSubmit=${submit}>
    ${doomed.length > 0 && html`<p class="quiet">All that is stored in ${doomed.length === 1 ? "it" : "them"} goes: curves, tensors, findings, logs, reports. It cannot be brought back. To only take runs out of the list, archive them.</p>
      <div class="runs-doomed" tabindex="0" role="region" aria-label="Runs that go"><table class="plain"><thead><tr><th>Run</th><th>Status</th><th class="n">Steps</th><th class="n">Started</th></tr></thead>
        <tbody>${doomed.slice(0, 500).map((row) => html`<tr key=${row.name}><td class="said">${row.name}</td><td><${Status} of=${row.status} /></td><td class="n">${format.count(row.progress?.step ?? 0)}</td><td class="n">${format.time(row.started).slice(0, 16)}</td></tr>`)}</tbody></table>
        ${doomed.length > 500 && html`<p class="quiet">and ${format.count(doomed.length - 500)} more</p>`}</div>`}
    ${running.length > 0 && html`<p>${running.length === 1 ? html`<strong class="said">${running[0].name}</strong> is still running and stays.` : `${format.several(running.length, "run")} are still running and stay.`} Stop ${running.length === 1 ? "it" : "them"} first.</p>`}
    <footer class="line"><span class="grow"></span><button type="button" class="button" autofocus onClick=${() => onClose([])}>${doomed.length ? "Cancel" : "Close"}</button>
      ${doomed.length > 0 && html`<button type="submit" class="button danger" disabled=${busy}>${busy ? "Deleting …" : doomed.length === 1 ? "Delete" : `Delete ${format.count(doomed.length)}`}</button>`}</footer>
  </form><//>`;
}
