// Where the processes of a running job stand at this moment: those at the same place together, the odd one first.
import { html, useState } from "../../vendor/preact.js";
import * as api from "../../core/api.js";
import * as format from "../../core/format.js";
import { toast } from "../../core/toast.js";
import { Icon } from "../../parts/icon.js";

export function Stand({ run }) {
  const [at, setAt] = useState(null);
  const [busy, setBusy] = useState(false);
  const { allowed, why_not: why } = run.can("stacks");
  const ask = async () => {
    setBusy(true);
    try {
      setAt(await api.get(run.path("stacks")));
    } catch (error) {
      toast(error.message, { kind: "error" });
    }
    setBusy(false);
  };
  return html`<div class="stack tight stand">
    <div class="line"><button type="button" class="button" aria-disabled=${!allowed || busy ? "true" : null} title=${allowed ? "Reads the Python stacks of every process of the job" : why} onClick=${() => allowed && !busy && ask()}><${Icon} name="eye" size=${14} />${busy ? "Reading" : "Where does it stand now?"}</button>
      ${at && html`<span class="quiet small">${format.clock(at.time)}, ${format.several(at.processes, "process", "processes")}</span><button type="button" class="button plain small icon" aria-label="Close" onClick=${() => setAt(null)}><${Icon} name="close" size=${12} /></button>`}</div>
    ${at && html`<p class="said">${at.summary.replaceAll("`", "")}</p>
      ${at.groups.map((group, i) => html`<details key=${i} open=${i < 2}><summary><strong class="said">${group.title}</strong> <span class="quiet said">${group.state}</span></summary>
        ${group.frames.length ? html`<ol class="stand-frames mono small">${group.frames.map((one, k) => html`<li key=${k} class="said"><span>${one.function}</span> <span class="quiet">${one.file}:${one.line}</span></li>`)}</ol>` : html`<p class="quiet small">No Python stack: it runs no Python, or does not react to the signal at which Python writes it.</p>`}</details>`)}`}
  </div>`;
}
