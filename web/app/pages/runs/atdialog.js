// The dialog that adds a column with the value of a series at a step.
import { html, useState } from "../../vendor/preact.js";
import { Dialog } from "../../parts/dialog.js";

export function AtDialog({ names, onClose, onAdd }) {
  const series = [...names.values];
  const [name, setName] = useState(series[0] ?? "");
  const [step, setStep] = useState("100");
  const fine = /^\d{1,15}$/.test(step) && series.includes(name);
  const submit = (event) => {
    event.preventDefault();
    if (fine) onAdd(`at.${Number(step)}.${name}`);
  };
  return html`<${Dialog} title="Value at a step" onClose=${onClose}><form class="stack" onSubmit=${submit}>
    ${series.length ? html`<div class="line"><label class="field">Series <input type="text" list="runs-series" autofocus value=${name} spellcheck=${false} autocomplete="off" onInput=${(event) => setName(event.target.value)} /></label>
      <datalist id="runs-series">${series.slice(0, 1000).map((one) => html`<option key=${one} value=${one}></option>`)}</datalist>
      <label class="field">Step <input type="number" min="0" step="1" value=${step} onInput=${(event) => setStep(event.target.value)} /></label></div>
      <p class="quiet">The value of each run at this step, or the last one before it.</p>` : html`<p class="quiet">None of these runs has a series.</p>`}
    <footer class="line"><span class="grow"></span><button type="button" class="button" onClick=${onClose}>Cancel</button><button type="submit" class="button main" disabled=${!fine}>Add the column</button></footer>
  </form><//>`;
}
