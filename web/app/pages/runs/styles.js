// The dialog that says by which field, or by which expressions, runs have colours and kinds of line.
import { html, useEffect, useState } from "../../vendor/preact.js";
import { several } from "../../core/format.js";
import { lines, styler } from "../../core/runstyle.js";
import { Dialog } from "../../parts/dialog.js";
import { Icon } from "../../parts/icon.js";
import { Swatch } from "./cells.js";
import { columnOf } from "./columns.js";
import { styleNeeds, textOf } from "./looks.js";
import { setUI, ui } from "./ui.js";

const usual = ["status", "host", "user", "framework"];

export function Styles({ rows, names, onNeeds, onClose }) {
  const [draft, setDraft] = useState(() => ({ colour_by: "", line_by: "", rules: [], ...structuredClone(ui.value.styles ?? {}) }));
  useEffect(() => onNeeds(styleNeeds(draft)), [draft]);
  const fields = [...usual.filter((id) => id !== "host"), "machine", ...[...names.tags].map((tag) => `tag.${tag}`), ...[...names.parameters].map((parameter) => `param.${parameter}`)];
  const set = (changes) => setDraft({ ...draft, ...changes });
  const rule = (i, changes) => set({ rules: draft.rules.map((one, j) => (i === j ? { ...one, ...changes } : one)) });
  const look = styler({ ...ui.value, styles: draft }, rows, textOf);
  const wrong = draft.rules.map(({ expression }) => broken(expression));
  const matches = draft.rules.map(({ field, expression }, i) => (wrong[i] || !expression ? 0 : rows.filter((row) => new RegExp(expression, "iu").test(textOf(row, field))).length));
  const submit = async (event) => {
    event.preventDefault();
    const rules = draft.rules.filter(({ expression }) => expression);
    if (await setUI({ styles: { colour_by: draft.colour_by || null, line_by: draft.line_by || null, rules } })) onClose();
  };
  return html`<${Dialog} title="Colours and lines" wide onClose=${onClose}><form class="stack" onSubmit=${submit}>
    <p class="quiet">Runs look like this in the list and in charts. What is set for a run itself comes first, then the first rule that it matches, then the field.</p>
    <div class="line"><${FieldChoice} label="Colour by" value=${draft.colour_by} fields=${fields} onChange=${(colour_by) => set({ colour_by })} /><${FieldChoice} label="Line by" value=${draft.line_by} fields=${fields} onChange=${(line_by) => set({ line_by })} /></div>
    <h3>Rules</h3>
    ${draft.rules.map((one, i) => html`<div class="line runs-rule" key=${i}>
      <${FieldChoice} label="Where" value=${one.field ?? "name"} fields=${["name", ...fields]} fixed onChange=${(field) => rule(i, { field })} />
      <input type="text" aria-label="Regular expression" aria-invalid=${wrong[i] ? "true" : null} placeholder="resnet|vit" value=${one.expression} spellcheck=${false} autocomplete="off" onInput=${(event) => rule(i, { expression: event.target.value })} />
      <select aria-label="Colour" value=${String(one.colour || "")} onChange=${(event) => rule(i, { colour: Number(event.target.value) || 0 })}><option value="">any colour</option>${[1, 2, 3, 4, 5, 6, 7, 8].map((n) => html`<option value=${String(n)}>colour ${n}</option>`)}</select>
      <select aria-label="Line" value=${one.line ?? ""} onChange=${(event) => rule(i, { line: event.target.value })}><option value="">any line</option>${lines.map((line) => html`<option value=${line}>${line}</option>`)}</select>
      <${Swatch} colour=${one.colour} line=${one.line} />
      <button type="button" class="button plain icon" aria-label="Remove this rule" onClick=${() => set({ rules: draft.rules.filter((_, j) => i !== j) })}><${Icon} name="close" size=${14} /></button>
      <span class=${`small ${wrong[i] ? "runs-bad" : "faint"}`} role="status">${wrong[i] || (one.expression ? `${matches[i]} of ${several(rows.length, "run")}` : "")}</span>
    </div>`)}
    <div><button type="button" class="button small" onClick=${() => set({ rules: [...draft.rules, { field: "name", expression: "", colour: (draft.rules.length % 8) + 1, line: "" }] })}><${Icon} name="plus" size=${14} />Add a rule</button></div>
    <ul class="runs-looks" aria-label="How the first runs look">${rows.slice(0, 8).map((row) => html`<li key=${row.name}><${Swatch} ...${look(row)} /><span class="cut said">${row.name}</span></li>`)}</ul>
    <footer class="line"><span class="grow"></span><button type="button" class="button" onClick=${onClose}>Cancel</button><button type="submit" class="button main" disabled=${wrong.some(Boolean)}>Save</button></footer>
  </form><//>`;
}

const FieldChoice = ({ label, value, fields, fixed, onChange }) => html`<label class="field">${label} <select value=${value ?? ""} onChange=${(event) => onChange(event.target.value)}>
  ${!fixed && html`<option value="">nothing</option>`}${[...new Set(value ? [...fields, value] : fields)].map((id) => html`<option key=${id} value=${id}>${columnOf(id)?.hint && id.includes(".") ? columnOf(id).hint : columnOf(id)?.title ?? id}</option>`)}</select></label>`;

function broken(expression) {
  try {
    new RegExp(expression, "iu");
    return "";
  } catch (error) {
    return error.message.replace(/^Invalid regular expression: /, "");
  }
}
