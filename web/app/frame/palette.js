// The command palette: runs, pages, series of the run and commands, by a few letters of their name.
import { html, signal, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import * as api from "../core/api.js";
import { commands } from "../core/commands.js";
import * as format from "../core/format.js";
import { overlay } from "../core/keys.js";
import { ranked } from "../core/match.js";
import { pages } from "../core/pages.js";
import { route, tabs } from "../core/router.js";
import { choice } from "../core/theme.js";
import { Dialog } from "../parts/dialog.js";
import { Status } from "../parts/severity.js";

const shown = signal(null);

// open shows the palette; open("runs") only the runs.
export const open = (only = "") => {
  shown.value = { only };
};

export function Palette({ run }) {
  if (!shown.value) return null;
  return html`<${Dialog} bare label="Search" onClose=${() => (shown.value = null)}><${Inside} run=${run} only=${shown.value.only} close=${() => (shown.value = null)} /><//>`;
}

function Inside({ run, only, close }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(null);
  const list = useRef(null);
  const all = useEntries(run, only);
  const found = useMemo(() => grouped(ranked(text, all, (one) => one.title, 60)), [text, all]);
  const flat = found.flatMap(([, entries]) => entries);
  const here = text === "" && only === "runs" ? flat.findIndex((one) => one.here) : 0;
  const chosen = Math.min(at ?? Math.max(0, here), flat.length - 1);
  useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [chosen, found]);
  const choose = (entry) => {
    close();
    if (entry.href) route.go(entry.href, entry.query);
    else entry.run();
  };
  const steer = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      setAt(Math.abs(step) === 1 ? (chosen + step + flat.length) % flat.length : Math.max(0, Math.min(flat.length - 1, chosen + step)));
    } else if (event.key === "Enter" && flat[chosen]) {
      event.preventDefault();
      choose(flat[chosen]);
    }
  };
  return html`<div class="palette">
    <input type="search" autofocus role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant=${flat[chosen] ? `palette-${chosen}` : null} aria-label=${only ? "Choose a run" : "Search runs, series and commands"}
      placeholder=${only ? "Choose a run" : "Search runs, series and commands"} autocomplete="off" spellcheck=${false} value=${text} onInput=${(event) => { setText(event.target.value); setAt(null); }} onKeyDown=${steer} />
    <div id="palette-list" role="listbox" aria-label="Results" class="palette-list" ref=${list}>
      ${found.map(([group, entries]) => html`<div role="group" aria-label=${group} key=${group}><div class="menu-heading" aria-hidden="true">${group}</div>
        ${entries.map((entry) => {
          const i = flat.indexOf(entry);
          return html`<div role="option" id=${`palette-${i}`} key=${entry.id ?? entry.title} class="palette-entry" aria-selected=${i === chosen} aria-current=${entry.here ? "true" : null} onMouseMove=${() => i !== chosen && setAt(i)} onClick=${() => choose(entry)}>
            <span class="cut said grow">${entry.title}</span>${entry.here && html`<span class="tag nowrap">this run</span>`}${entry.beside}${entry.keys && html`<kbd>${entry.keys}</kbd>`}</div>`;
        })}</div>`)}
      ${!flat.length && html`<p class="palette-none quiet">Nothing is called that.</p>`}
    </div>
  </div>`;
}

function grouped(entries) {
  const groups = new Map();
  for (const entry of entries) (groups.get(entry.group) ?? groups.set(entry.group, []).get(entry.group)).push(entry);
  return [...groups];
}

function useEntries(run, only) {
  const [runs, setRuns] = useState([]);
  const [series, setSeries] = useState([]);
  useEffect(() => {
    const control = new AbortController();
    const options = { signal: control.signal };
    api.get("runs", { fields: "basic", limit: 1000 }, options).then((answer) => setRuns(answer.runs), () => {});
    if (run && !only) api.get(run.path("tensors"), {}, options).then((answer) => setSeries(answer.tensors), () => {});
    return () => control.abort();
  }, []);
  return useMemo(() => {
    const rows = runs.map((row) => ({ group: "Runs", id: `run ${row.name}`, title: row.name, here: row.name === run?.name, beside: html`<span class="quiet small nowrap"><${Status} of=${row.status} /> · ${format.ago(row.started)}</span>`, href: `/runs/${encodeURIComponent(row.name)}/${only && run && route.page !== "runs" ? route.page : "overview"}` }));
    if (only === "runs") return rows;
    const places = run ? tabs.map((tab) => ({ group: "This run", title: pages[tab].title, keys: `g ${pages[tab].key}`, href: `/runs/${encodeURIComponent(run.name)}/${tab}` })) : [];
    const more = [
      { group: "Commands", title: "All runs", keys: "g r", href: "/runs" },
      { group: "Commands", title: "Theme: light", run: () => (choice.value = "light") },
      { group: "Commands", title: "Theme: dark", run: () => (choice.value = "dark") },
      { group: "Commands", title: "Theme: as the system", run: () => (choice.value = "system") },
      { group: "Commands", title: "Keys", keys: "?", run: () => (overlay.value = true) },
    ];
    const names = series.map((tensor) => ({ group: "Series of this run", id: `series ${tensor.name}`, title: tensor.name, beside: html`<span class="quiet small">${tensor.kind}</span>`, href: `/runs/${encodeURIComponent(run.name)}/curves`, query: { q: tensor.name } }));
    return [...places, ...commands.value, ...rows, ...more, ...names];
  }, [runs, series, run, only, commands.value]);
}
