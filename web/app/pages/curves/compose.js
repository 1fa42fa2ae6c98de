// The dialog that makes a chart of an expression or of a pattern.

import { html, useMemo, useRef, useState } from "../../vendor/preact.js";
import { functions } from "../../core/evaluate.js";
import { quote } from "../../core/expression.js";
import { pick } from "../../core/pattern.js";
import { Dialog } from "../../parts/dialog.js";
import { ofExpression, ofPattern } from "./parts.js";
import { write } from "./own.js";

// ExpressionFault shows an error under the place where it is.
export function ExpressionFault({ text, error }) {
  return html`<div class="cv-fault" role="alert">
    <pre class="said">${text.slice(0, error.from)}<mark>${text.slice(error.from, error.to) || " "}</mark>${text.slice(error.to)}</pre>
    <p>${error.message}</p>
  </div>`;
}

// Compose asks for a chart; done(key) is called with what was written.
export function Compose({ own, given, done, close }) {
  const [kind, setKind] = useState(own?.kind ?? "expression");
  const [text, setText] = useState(own?.text ?? "");
  const field = useRef(null);
  const made = useMemo(() => (text.trim() === "" ? null : kind === "expression" ? ofExpression(text, given) : ofPattern(text, given)), [text, kind, given]);
  const submit = (event) => {
    event.preventDefault();
    if (made && !made.error) done(write(kind, text.trim()));
  };
  const insert = (name) => {
    const input = field.current;
    const [from, to] = [input.selectionStart, input.selectionEnd];
    const before = text.slice(0, from);
    const start = before.length - /[\p{L}\p{N}_.:]*$/u.exec(before)[0].length;
    const next = text.slice(0, start) + name + text.slice(to);
    setText(next);
    requestAnimationFrame(() => {
      input.focus();
      input.setSelectionRange(start + name.length, start + name.length);
    });
  };
  return html`<${Dialog} title=${own ? "Change the chart" : "Add a chart"} onClose=${close}>
    <form class="stack cv-compose" onSubmit=${submit}>
      <div class="choice" role="radiogroup" aria-label="Kind of chart">
        <button type="button" role="radio" aria-checked=${kind === "expression"} onClick=${() => setKind("expression")}>Expression</button>
        <button type="button" role="radio" aria-checked=${kind === "pattern"} onClick=${() => setKind("pattern")}>Several series</button>
      </div>
      <label class="stack tight"><span class="small quiet">${kind === "expression" ? "One curve, computed from others" : "All series whose names fit, in one chart"}</span>
        <input type="text" class="mono" autofocus ref=${field} value=${text} spellcheck=${false} autocomplete="off" placeholder=${kind === "expression" ? "ema(loss, 0.9)" : "*weight*  or  /layer[12]/"}
          aria-invalid=${Boolean(made?.error)} aria-describedby="cv-made" onInput=${(e) => setText(e.target.value)} /></label>
      <div id="cv-made" aria-live="polite">${made?.error ? html`<${ExpressionFault} text=${text} error=${made.error} />` : html`<p class="small quiet">${made ? told(made, kind) : " "}</p>`}</div>
      ${kind === "expression" ? html`<${Names} given=${given} text=${text} insert=${insert} /><${Help} insert=${insert} />` : html`<${PatternHelp} />`}
      <footer class="line"><span class="grow"></span><button type="button" class="button" onClick=${close}>Cancel</button>
        <button type="submit" class="button main" disabled=${!made || Boolean(made.error)}>${own ? "Change" : "Add"}</button></footer>
    </form>
  <//>`;
}

function told(made, kind) {
  if (made.note) return made.note;
  if (kind === "expression") return "This can be computed.";
  return `${made.parts.length} series: ${made.parts.slice(0, 4).map((p) => p.label).join(", ")}${made.parts.length > 4 ? ", …" : ""}`;
}

// Names offers the series whose names begin like the word that is being written.
function Names({ given, text, insert }) {
  const word = /[\p{L}\p{N}_.:]*$/u.exec(text)[0];
  const names = useMemo(() => pick(given.charts.map((c) => c.title), word.replace(/[*?/]/g, ""), 8), [given, word]);
  return html`<div class="cv-names"><span class="small quiet">Series</span>${names.map((name) => html`<button key=${name} type="button" class="button small plain cut" title=${name} onClick=${() => insert(quote(name))}>${name}</button>`)}</div>`;
}

function Help({ insert }) {
  return html`<details class="small"><summary>Functions</summary>
    <p class="quiet">Write + − * / ^ and brackets. A name with other characters than letters, digits, “_”, “.” and “:” stands in quotes. Curves with different steps meet at the points of the sparser one.</p>
    <dl class="facts">${Object.entries(functions).map(([name, f]) => html`<dt key=${name}><button type="button" class="button small plain mono" onClick=${() => insert(`${name}(`)}>${f.form}</button></dt><dd class="quiet">${f.text}</dd>`)}</dl>
  </details>`;
}

const PatternHelp = () => html`<ul class="small quiet stack tight">
  <li>Words: every one occurs in the name, in any case: <code>conv weight</code></li>
  <li>With <code>*</code> and <code>?</code> the whole name: <code>layer?.*</code></li>
  <li>A regular expression between slashes: <code>/fc[12]\\.bias$/</code></li>
</ul>`;
