// On a live run: have the job store the values of a tensor for the next steps.
import { html, useState } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { attempt } from "../../core/toast.js";
import { Icon } from "../../parts/icon.js";

const steps = 20;

export function Capture({ run, api, tensor, done }) {
  const [busy, setBusy] = useState(false);
  if (!run.live || tensor.stats.length === 1 && tensor.stats[0] === "value") return null;
  const { allowed, why_not: why } = run.can("plan");
  const ask = async () => {
    setBusy(true);
    await attempt(() => api.post(run.path("capture"), { tensor: tensor.name, steps }), (answer) => said(answer.windows));
    setBusy(false);
    done();
  };
  return html`<button type="button" class="button small" disabled=${busy} aria-disabled=${allowed ? null : "true"} title=${allowed ? "The job stores all values of this tensor; training goes on." : why} onClick=${() => allowed && ask()}>
    <${Icon} name="plus" size=${14} /> Capture raw for the next ${steps} steps</button>`;
}

function said(windows) {
  const of = windows.find((one) => one.mode === "TRAIN") ?? windows[0];
  return of ? `Values are stored from step ${format.count(of.start)} to ${format.count(of.end - 1)} (${of.mode}).` : "The job was asked.";
}
