// Machine metrics: on, off, and how often.
import { html } from "../../vendor/preact.js";
import { Denied } from "./denied.js";

const intervals = [["100", "100 ms"], ["200", "200 ms"], ["500", "500 ms"], ["1000", "1 s"], ["5000", "5 s"], ["60000", "1 min"]];

export function Machine({ run, plan }) {
  const may = run.can("monitor");
  const off = !may.allowed || plan.busy;
  const set = (monitor, said) => plan.change({ monitor }, said);
  return html`<section class="card" aria-label="Machine metrics">
    <header><h2>Machine metrics</h2></header>
    <div class="body stack tight">
      <p class="quiet">Processors, GPUs, memory, disks and network are sampled from outside the training.</p>
      <div class="line controls-intervals" role="group" aria-label="Interval">${intervals.map(([ms, title]) => html`
        <button type="button" key=${ms} class="button small" disabled=${off} onClick=${() => set(ms, `Machine metrics every ${title} from now on.`)}>${title}</button>`)}</div>
      <div><button type="button" class="button" disabled=${off} onClick=${() => set("off", "Machine metrics are off.")}>Switch monitoring off</button></div>
      <${Denied} may=${may} />
    </div>
  </section>`;
}
