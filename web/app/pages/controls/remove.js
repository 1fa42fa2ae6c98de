// Removing a run: asks for its name.
import { html } from "../../vendor/preact.js";
import { attempt } from "../../core/toast.js";
import { confirm } from "../../parts/dialog.js";
import { Denied } from "./denied.js";

export function Remove({ run, api, route }) {
  const may = run.can("delete");
  const remove = async () => {
    const yes = await confirm({ title: `Delete ${run.name}?`, action: "Delete the run", danger: true, type: run.name, text: "All that was captured of this run is removed from the disk. This cannot be taken back." });
    if (!yes) return;
    const done = await attempt(async () => { await api.remove(run.path(), { name: run.name }); return true; }, `${run.name} is deleted.`);
    if (done) route.go("/runs");
  };
  return html`<section class="card" aria-label="Removal">
    <header><h2>Delete this run</h2></header>
    <div class="body stack tight">
      <p class="quiet">Removes all that was captured of it from the disk.</p>
      <div><button type="button" class="button danger" disabled=${!may.allowed} onClick=${remove}>Delete the run</button></div>
      <${Denied} may=${may} />
    </div>
  </section>`;
}
