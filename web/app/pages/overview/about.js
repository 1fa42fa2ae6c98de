// What the run was made of: properties, note, code and packages, the network, what was captured and what was not.
import { html, useState } from "../../vendor/preact.js";
import { bytes, count, several } from "../../core/format.js";
import { useGet } from "../../core/use.js";
import { attempt } from "../../core/toast.js";
import { Copy, Diff } from "../../parts/code.js";
import { Answer } from "../../parts/empty.js";
import { Icon } from "../../parts/icon.js";
import { Prose } from "../../parts/prose.js";

export function About({ run, api, route }) {
  const { describe } = run;
  return html`<section class="stack" aria-labelledby="about">
    <h2 id="about">The run</h2>
    <div class="about">
      <${Card} title="What it is"><${Pairs} list=${describe.properties.filter((one) => one.name !== "note" && !one.name.startsWith("tag "))} /><${Command} text=${describe.command} /><${Tags} tags=${describe.tags} /><//>
      <${Card} title="Note"><${Note} run=${run} api=${api} /><//>
      <${Card} title="Environment"><${Pairs} list=${describe.provenance} none="Nothing is known of its code and packages." />${describe.diff > 0 && html`<${CodeDiff} run=${run} size=${describe.diff} />`}<//>
      <${Card} title="Detected setup"><${Pairs} list=${describe.facts} none="The first steps of the training were not looked at." /><//>
      <${Card} title="Network"><${Network} describe=${describe} /><//>
      <${Card} title="What was captured"><${Captured} describe=${describe} run=${run} route=${route} /><//>
    </div>
  </section>`;
}

const Card = ({ title, children }) => html`<div class="card"><header><h3>${title}</h3></header><div class="body stack">${children}</div></div>`;

function Pairs({ list, none }) {
  if (!list.length) return none ? html`<p class="quiet">${none}</p>` : null;
  return html`<dl class="facts">${list.map((one, i) => html`<dt key=${`${one.name}${i}`}>${one.name}</dt><dd class="said"><${Long} text=${one.value} /></dd>`)}</dl>`;
}

// Long cuts what is long, until it is asked for.
function Long({ text }) {
  const [all, setAll] = useState(false);
  if (all || text.length <= 240) return text;
  return html`${text.slice(0, 200)}… <button type="button" class="linked" onClick=${() => setAll(true)}>all</button>`;
}

const Command = ({ text }) => (text ? html`<div class="code ran"><code class="said grow">${text}</code><${Copy} text=${text} what="the command" /></div>` : null);

function Tags({ tags }) {
  const list = Object.entries(tags);
  return list.length ? html`<div class="line">${list.map(([key, value]) => html`<span class="tag" key=${key}><${Icon} name="tag" size=${12} /><span class="said cut">${key}${value && `: ${value}`}</span></span>`)}</div>` : null;
}

// Note is what people write on the run.
function Note({ run, api }) {
  const stored = run.describe.note;
  const [text, setText] = useState(null); // null: it is not being changed
  const may = run.can("tags");
  const save = async (event) => {
    event.preventDefault();
    const done = await attempt(() => api.put(run.path("note"), { note: text }), "The note is saved.");
    if (done !== undefined) {
      setText(null);
      run.reload();
    }
  };
  const keys = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save(event);
    if (event.key === "Escape") setText(null);
    event.stopPropagation();
  };
  if (text === null) {
    return html`${stored ? html`<p class="run-note said">${stored}</p>` : html`<p class="quiet">No note yet.</p>`}
      <div><button type="button" class="button small" disabled=${!may.allowed} title=${may.allowed ? null : may.why_not} onClick=${() => setText(stored)}><${Icon} name="edit" size=${14} /> ${stored ? "Change the note" : "Write a note"}</button></div>`;
  }
  return html`<form class="stack tight" onSubmit=${save}>
    <textarea aria-label="Note" rows="5" maxlength="20000" value=${text} ref=${(node) => node && !node.contains(document.activeElement) && node.focus()} onInput=${(event) => setText(event.target.value)} onKeyDown=${keys}></textarea>
    <div class="line"><button type="submit" class="button main small">Save</button><button type="button" class="button small" onClick=${() => setText(null)}>Cancel</button><span class="faint small">Ctrl-Enter saves</span></div>
  </form>`;
}

function CodeDiff({ run, size }) {
  const [open, setOpen] = useState(false);
  const of = useGet(open ? run.path("diff") : null);
  if (!open) return html`<div><button type="button" class="button small" onClick=${() => setOpen(true)}>What differed from the commit (${bytes(size)})</button></div>`;
  return html`<${Answer} of=${of} what="The diff could not be read." compact>${(data) => html`<div class="code-diff"><${Diff} file="code.diff" diff=${data.text} />${data.text.length < data.size && html`<p class="faint small">The rest is in code.diff of the run.</p>`}</div>`}<//>`;
}

function Network({ describe }) {
  const { network, more_modules: more, parameters } = describe;
  if (!network.length) return html`<p class="quiet">The modules of the network are not known.</p>`;
  return html`<div class="scroll network" tabindex="0" role="region" aria-label="Modules of the network"><table class="plain">
    <thead><tr><th scope="col">Module</th><th scope="col">Class</th><th scope="col">Output</th><th scope="col" class="n">Parameters</th></tr></thead>
    <tbody>${network.map((one) => html`<tr key=${one.name}><td class="said" title=${one.name} ref=${(node) => node?.style.setProperty("padding-left", `${8 + 12 * one.depth}px`)}>${one.label}</td><td class="said">${one.kind}</td><td class="mono said">${one.output}</td><td class="n">${one.parameters ? count(one.parameters) : ""}</td></tr>`)}</tbody></table></div>
    <p class="quiet small">${several(network.length + more, "module")}${parameters > 0 ? `, ${several(parameters, "parameter")}` : ""}${more > 0 ? `; the first ${network.length} are shown` : ""}</p>`;
}

function Captured({ describe, run, route }) {
  return html`<p><${Prose} text=${describe.captured} /> <a href=${route.to(run.name, "tensors")}>Tensors</a></p>
    ${describe.not_captured.length > 0 && html`<h4>Not captured</h4><ul class="stack tight">${describe.not_captured.map((one) => html`<li key=${one.name}><span class="said">${one.name}</span>: <${Prose} text=${one.reason} />${one.count > 1 ? ` (${one.count})` : ""}</li>`)}</ul>`}
    ${describe.damage.length > 0 && html`<h4>Damaged</h4><ul class="stack tight">${describe.damage.map((one) => html`<li key=${one.file + one.reason}><span class="severity plain warning"><${Icon} name="warning" size=${14} /> <span class="said">${one.file}</span></span> <span class="said">${one.reason}</span></li>`)}</ul>`}`;
}
