// The page Runs: a table of all runs below the root, to search, sort, group, tag, compare and tidy up.
import { html, useEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { useCommands } from "../../core/commands.js";
import * as format from "../../core/format.js";
import { useKeys } from "../../core/keys.js";
import { query } from "../../core/query.js";
import { server } from "../../core/server.js";
import { Empty, Failed, Loading } from "../../parts/empty.js";
import { ColumnChooser, Table } from "../../parts/table.js";
import { Menu } from "../../parts/menu.js";
import { AtDialog } from "./atdialog.js";
import { came, wantAll } from "./atstep.js";
import { archive, bestOf, Chosen, curvesOf } from "./chosen.js";
import { available, columnOf, marked, needsOfColumns, ordered, usual } from "./columns.js";
import { fields, needsOf } from "./fields.js";
import { GroupBy, summary, summaryNeeds } from "./groupby.js";
import { styleNeeds } from "./looks.js";
import { namesOf, sameNames } from "./names.js";
import { Remove } from "./remove.js";
import { list, read, useRows } from "./rows.js";
import { RunSearch } from "./search.js";
import { Styles } from "./styles.js";
import { editing } from "./tags.js";
import { readUI, ui } from "./ui.js";
import { Views } from "./views.js";

const spelledSort = (sort) => sort.map(({ id, down }) => (down ? `-${id}` : id));
const sortOf = (list) => list.map((text) => ({ id: text.replace(/^-/, ""), down: text.startsWith("-") }));

export function Page({ route }) {
  const { rows, has, names: told, building, complete, error, read: there } = list.value;
  const [chosen, setChosen] = useState(() => new Set(route.all("run")));
  const [active, setActive] = useState(null);
  const [dialog, setDialog] = useState("");
  const [dialogNeeds, setDialogNeeds] = useState([]);
  useEffect(() => { readUI(); }, []);

  const latest = useRef(null);
  const held = useRef(null);
  const names = useMemo(() => {
    const found = namesOf(rows, told);
    return sameNames(latest.current, found) ? latest.current : (latest.current = found);
  }, [rows, told]);
  const text = route.get("q");
  const table = useMemo(() => fields(names), [names]);
  const asked = useMemo(() => query(text, table), [text, table]);
  const showArchived = route.get("archived") === "1" || /\barchived:/.test(text);
  // Where the order goes by values that come one after the other, the rows are put into order again as they come.
  const late = route.all("sort").some((id) => /^-?at\./.test(id));
  const turn = late ? came.value : 0;
  const found = useMemo(() => rows.filter((row) => (showArchived || !row.archived) && asked.test(row)), [rows, asked, showArchived, turn]);
  const left = useMemo(() => rows.reduce((n, row) => n + (row.archived ? 1 : 0), 0), [rows]);

  const given = route.all("c");
  const shown = given.length ? (given.includes("name") ? given : ["name", ...given]) : usual;
  const columns = useMemo(() => shown.map(columnOf).filter(Boolean).map((column) => ordered(column, names)), [names, shown.join("\n")]);
  const all = useMemo(() => available(names, shown), [names, shown.join("\n")]);
  const sort = sortOf(route.all("sort"));
  useEffect(() => { if (late) for (const { id } of sort) wantAll(found, id); }, [late, found]);
  const setColumns = (ids) => route.push({ c: ids.join("\n") === usual.join("\n") ? "" : ids });
  const group = route.get("group");
  // A group is by any column, also by one that is not shown.
  const needs = [...new Set([...needsOfColumns([...shown, group]), ...(group ? summaryNeeds : []), ...needsOf(text, asked.terms, table), ...styleNeeds(ui.value.styles), ...dialogNeeds])];
  useRows(needs);
  const drawn = useMemo(() => marked(group && !columns.some((column) => column.id === group) && columnOf(group) ? [...columns, columnOf(group)] : columns, found, names, sort), [columns, group, found, names, spelledSort(sort).join("\n")]);

  const picked = useMemo(() => rows.filter((row) => chosen.has(row.name)), [rows, chosen]);
  const choose = (set) => {
    setChosen(set);
    route.set({ run: set.size <= 50 ? [...set] : "" });
  };
  const at = () => rows.find((row) => row.name === active);
  const those = () => (picked.length ? picked : [at()].filter(Boolean));
  const writable = !server.value?.read_only;
  const keys = [
    ["e", "change the tags of the run", () => { if (writable && at()) editing.value = active; }],
    ["x", "choose the run", () => { if (active) choose(toggled(chosen, active)); }],
    ["v", "compare the chosen runs", () => { if (those().length) route.follow(curvesOf(those().map((row) => row.name))); }],
    ["a", "archive the chosen runs", () => { const list = those(); if (writable && list.length) archive(list.map((row) => row.name), !list.every((row) => row.archived)); }],
    ["Delete", "delete the chosen runs", () => { if (writable && those().length) setDialog("remove"); }],
  ];
  // A dialog has keys of its own. Escape belongs to menus and dialogs first, so only the table hears it here.
  useKeys("Runs", keys.map(([key, what, act]) => [key, what, () => { if (!document.querySelector("dialog[open]")) act(); }]).concat([["Escape", "choose none"]]));
  const escape = (event) => { if (event.key === "Escape" && chosen.size && !event.target.closest("[popover]")) choose(new Set()); };
  useCommands(() => [
    { group: "Runs", title: "Colours and lines", run: () => setDialog("styles") },
    { group: "Runs", title: "Add a column: value at a step", run: () => setDialog("at") },
    { group: "Runs", title: "Show archived runs", run: () => route.push({ archived: route.get("archived") ? "" : "1" }) },
    { group: "Runs", title: "Usual columns", run: () => route.push({ c: "", sort: "", group: "", view: "" }) },
  ], []);

  if (!there && error) return html`<h1>Runs</h1><${Failed} what="The runs could not be read." error=${error} again=${read} />`;
  if (!there) return html`<h1>Runs</h1><${Loading} />`;
  const dialogs = html`${dialog === "remove" && html`<${Remove} rows=${those()} onClose=${(gone) => { setDialog(""); choose(new Set([...chosen].filter((name) => !gone.includes(name)))); }} />`}
    ${dialog === "styles" && html`<${Styles} rows=${found} names=${names} onNeeds=${setDialogNeeds} onClose=${() => { setDialog(""); setDialogNeeds([]); }} />`}
    ${dialog === "at" && html`<${AtDialog} names=${names} onClose=${() => setDialog("")} onAdd=${(id) => { setDialog(""); if (!shown.includes(id)) setColumns(["name", id, ...shown.slice(1)]); }} />`}`;
  if (complete && !rows.length && !building) return html`<h1>Runs</h1><${Empty} command="vigil run -- python train.py">There are no runs in <span class="said">${server.value?.root ?? "this folder"}</span> yet. They appear here as soon as one starts.<//>`;
  // Until the columns are there that are wanted now, the table stays as it was.
  const ready = needs.every((id) => has.has(id));
  if (ready) held.current = { rows: found, columns: drawn, sort, group, top: `${text}\n${group}\n${showArchived}` };
  const seen = held.current;
  const waits = building ? `reading ${format.count(building.done)} of ${format.count(building.of)}` : complete && ready ? "" : "reading";
  const count = [!seen || seen.rows.length === rows.length ? format.several(rows.length, "run") : `${format.count(seen.rows.length)} of ${format.several(rows.length, "run")}`, waits].filter(Boolean).join(", ");
  return html`<div class="stack runs-page">
    <h1>Runs</h1>
    <div class="line runs-tools">
      <${RunSearch} value=${text} onChange=${(q) => route.set({ q })} errors=${asked.errors} rows=${rows} names=${names} count=${count} />
      ${found.length > 1 && html`<a class="button" href=${bestOf(text && found.length <= 200 ? found.map((row) => row.name) : [])} title=${text && found.length <= 200 ? "Of the runs that match the search" : "Of all runs"}>Which is best?</a>`}
      <${Views} />
      <${GroupBy} columns=${all} value=${group} onChange=${(id) => route.push({ group: id })} />
      <${ColumnChooser} columns=${all} shown=${shown} onShown=${setColumns} />
      <${Menu} label="More" icon="more" words=${false} items=${[
        { label: "Colours and lines", run: () => setDialog("styles") },
        { label: "Value at a step", icon: "plus", run: () => setDialog("at") },
        { label: `Show archived runs${left ? ` (${format.count(left)})` : ""}`, checked: showArchived, run: () => route.push({ archived: showArchived ? "" : "1" }) },
        { divider: true },
        { label: "Usual columns", icon: "reset", run: () => route.push({ c: "", sort: "", group: "", view: "" }) },
      ]} />
    </div>
    ${error && html`<${Failed} compact what="The list is not up to date." error=${error} again=${read} />`}
    ${picked.length > 0 && html`<${Chosen} rows=${picked} onClear=${() => choose(new Set())} onRemove=${() => setDialog("remove")} />`}
    <div class="card" onKeyDown=${escape}>${!seen ? html`<${Loading} />` : html`<${Table} label="Runs" name="runs" top=${seen.top} rows=${seen.rows} columns=${seen.columns} rowKey=${nameOf} sort=${seen.sort} onSort=${(next) => route.set({ sort: spelledSort(next) })}
      onActive=${(row) => setActive(row.name)} chosen=${chosen} onChosen=${choose} groupBy=${seen.group || undefined} groupSummary=${summary} onOpen=${(row) => route.follow(route.to(row.name))}
      height=${picked.length ? "calc(100vh - 232px)" : "calc(100vh - 186px)"} empty=${html`<${Nothing} text=${text} left=${showArchived ? 0 : left} route=${route} />`} />`}</div>
    ${dialogs}
  </div>`;
}

const nameOf = (row) => row.name;

function toggled(set, name) {
  const next = new Set(set);
  if (!next.delete(name)) next.add(name);
  return next;
}

// Nothing says why no run is shown.
const Nothing = ({ text, left, route }) => html`<${Empty} compact icon="search">No run matches${text ? " the search" : ""}. ${text && html`<button type="button" class="button small" onClick=${() => route.set({ q: "" })}>Empty the search</button>`}
  ${left > 0 && html`<button type="button" class="button small" onClick=${() => route.push({ archived: "1" })}>Show ${format.several(left, "archived run")}</button>`}<//>`;
