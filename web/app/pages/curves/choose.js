// The dialog that adds runs to a comparison.

import { html, useMemo, useState } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { matcher } from "../../core/pattern.js";
import { useGet } from "../../core/use.js";
import { Dialog } from "../../parts/dialog.js";
import { Answer } from "../../parts/empty.js";
import { Status } from "../../parts/severity.js";

const most = 200;

// Choose asks for runs next to those that are there; done(names) gets all of them.
export function Choose({ names, done, close }) {
  const answer = useGet("runs", { fields: "basic" });
  const [chosen, setChosen] = useState(names);
  const [text, setText] = useState("");
  const toggle = (name) => setChosen(chosen.includes(name) ? chosen.filter((n) => n !== name) : [...chosen, name]);
  const submit = (event) => {
    event.preventDefault();
    if (chosen.length > 1) done(chosen);
  };
  return html`<${Dialog} title="Compare runs" onClose=${close}>
    <form class="stack cv-choose" onSubmit=${submit}>
      <input type="search" autofocus value=${text} placeholder="Search runs" aria-label="Search runs" spellcheck=${false} onInput=${(e) => setText(e.target.value)} />
      <${Answer} of=${answer} compact>${(data) => html`<${List} rows=${data.runs} text=${text} chosen=${chosen} toggle=${toggle} />`}<//>
      <footer class="line"><span class="small quiet grow" id="cv-why" role="status">${format.several(chosen.length, "run")} chosen${chosen.length < 2 ? ": two or more can be compared" : ""}</span><button type="button" class="button" onClick=${close}>Cancel</button>
        <button type="submit" class="button main" disabled=${chosen.length < 2} aria-describedby="cv-why">Compare</button></footer>
    </form>
  <//>`;
}

function List({ rows, text, chosen, toggle }) {
  const found = useMemo(() => rows.filter((row) => matcher(text).test(row.name)), [rows, text]);
  return html`<ul class="cv-choice">${found.slice(0, most).map((row) => html`<li key=${row.name}><label class="check"><input type="checkbox" checked=${chosen.includes(row.name)} onChange=${() => toggle(row.name)} />
      <span class="cut said grow">${row.name}</span><${Status} of=${row.status} /><span class="faint small nowrap">${format.ago(row.started)}</span></label></li>`)}
    ${found.length > most && html`<li class="small faint">The first ${most} of ${format.count(found.length)}; search for others.</li>`}
    ${!found.length && html`<li class="small faint">No run has such a name.</li>`}</ul>`;
}
