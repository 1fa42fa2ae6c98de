// What is done with the runs that are chosen: compared, tagged, coloured, archived, deleted.
import { html, useState } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { route } from "../../core/router.js";
import { lines, parse, spell } from "../../core/runstyle.js";
import { server } from "../../core/server.js";
import { toast } from "../../core/toast.js";
import { Dialog } from "../../parts/dialog.js";
import { Icon } from "../../parts/icon.js";
import { Menu } from "../../parts/menu.js";
import { setUI, ui } from "./ui.js";
import { change } from "./rows.js";
import { read as readTags, save as saveTags } from "./tags.js";

const most = 100;

// curvesOf is the address of the curves of several runs: names joined by commas, which are escaped within a name.
export const curvesOf = (names) => route.href("/curves", { runs: names.map((name) => name.replace(/[%,]/g, encodeURIComponent)).join(",") });

// bestOf is the address of the page that says which of the runs is best; of none: of all.
export const bestOf = (names) => route.href("/best", { run: names });

export function Chosen({ rows, onClear, onRemove }) {
  const [tagging, setTagging] = useState(false);
  const names = rows.map((row) => row.name);
  const archived = rows.length > 0 && rows.every((row) => row.archived);
  const fixed = server.value?.read_only;
  const why = fixed ? "The server was started with --read-only." : null;
  return html`<div class="runs-chosen" role="toolbar" aria-label="Chosen runs">
    <strong>${format.several(rows.length, "run")} chosen</strong>
    <a class="button main" href=${curvesOf(names.slice(0, most))} aria-disabled=${rows.length > most ? "true" : null} title=${rows.length > most ? `The first ${most} are shown` : "Their curves over each other"}><${Icon} name="right" size=${14} />${rows.length === 1 ? "Curves" : "Compare curves"}</a>
    ${rows.length > 1 && rows.length <= 200 && html`<a class="button" href=${bestOf(names)}>Which is best?</a>`}
    <button type="button" class="button" disabled=${fixed} title=${why} onClick=${() => setTagging(true)}><${Icon} name="tag" size=${14} />Tag</button>
    <${Menu} label="Colour" items=${[{ heading: "Colour" }, { label: "Automatic", run: () => paint(names, { colour: 0, line: "" }) }, ...[1, 2, 3, 4, 5, 6, 7, 8].map((colour) => ({ label: `Colour ${colour}`, run: () => paint(names, { colour }) })), { heading: "Line" }, ...lines.map((line) => ({ label: line[0].toUpperCase() + line.slice(1), run: () => paint(names, { line }) }))]} />
    <button type="button" class="button" disabled=${fixed} title=${why ?? "Archived runs are left out of the list and stay on disk"} onClick=${() => archive(names, !archived)}><${Icon} name=${archived ? "eye" : "hidden"} size=${14} />${archived ? "Bring back" : "Archive"}</button>
    <button type="button" class="button danger" disabled=${fixed} title=${why} onClick=${onRemove}><${Icon} name="trash" size=${14} />Delete</button>
    <button type="button" class="button plain" onClick=${onClear}>Clear selection</button>
    ${tagging && html`<${TagDialog} rows=${rows} close=${() => setTagging(false)} />`}
  </div>`;
}

// archive leaves runs out of the list, or brings them back.
export async function archive(names, yes) {
  if (!(await setUI({ archived: Object.fromEntries(names.map((name) => [name, yes || null])) }))) return;
  for (const name of names) change(name, { archived: yes });
  toast(yes ? `${format.several(names.length, "run")} archived.` : `${format.several(names.length, "run")} back in the list.`, { kind: "ok", action: yes ? { label: "Undo", run: () => archive(names, false) } : null });
}

// paint sets the colour or the line of runs; what is not given stays.
const paint = (names, style) => setUI({ colours: Object.fromEntries(names.map((name) => {
  const before = parse(ui.value.colours?.[name]);
  return [name, spell(style.colour === 0 ? style : { ...before, ...style }) || null];
})) });

function TagDialog({ rows, close }) {
  const [text, setText] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    const tags = readTags(text);
    close();
    let done = 0;
    for (const row of rows) done += await saveTags(row, { ...row.tags, ...tags });
    if (done === rows.length) toast(`${format.several(done, "run")} tagged.`, { kind: "ok" });
  };
  return html`<${Dialog} title=${`Tag ${format.several(rows.length, "run")}`} onClose=${close}><form class="stack" onSubmit=${submit}>
    <label class="stack tight"><span class="quiet">Tags as key=value, separated by spaces. They are added to those that the runs have.</span>
      <input type="text" autofocus value=${text} placeholder="experiment=lr-sweep baseline=true" spellcheck=${false} autocomplete="off" onInput=${(event) => setText(event.target.value)} /></label>
    <footer class="line"><span class="grow"></span><button type="button" class="button" onClick=${close}>Cancel</button><button type="submit" class="button main" disabled=${!Object.keys(readTags(text)).length}>Tag</button></footer>
  </form><//>`;
}
