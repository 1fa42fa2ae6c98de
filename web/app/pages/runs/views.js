// Named views: columns, order, grouping and search, kept next to the runs for all who look at them.
import { html, useState } from "../../vendor/preact.js";
import { route } from "../../core/router.js";
import { toast } from "../../core/toast.js";
import { confirm, Dialog } from "../../parts/dialog.js";
import { Menu } from "../../parts/menu.js";
import { removeView, saveView, views } from "./ui.js";

const keys = { columns: "c", sort: "sort", group: "group", query: "q", archived: "archived" };
const lists = ["columns", "sort"];

// now is the view that is on the screen.
const now = () => Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, lists.includes(name) ? route.all(key) : route.get(key)]).filter(([, value]) => value.length));

// query is a view as it is in the address.
const query = (name, view) => ({ view: name, ...Object.fromEntries(Object.entries(keys).map(([member, key]) => [key, view?.[member] ?? ""])) });

const part = (view) => JSON.stringify(Object.keys(keys).map((member) => view?.[member] ?? null).map((value) => (value?.length ? value : null)));

export function Views() {
  const [saving, setSaving] = useState(false);
  const name = route.get("view");
  const current = views.value.find((one) => one.name === name);
  const changed = current && part(current.view) !== part(now());
  // A view may hold more than this page knows of (charts): that stays.
  const save = async (name) => {
    const before = views.value.find((one) => one.name === name)?.view;
    const rest = Object.fromEntries(Object.entries(before ?? {}).filter(([key]) => !(key in keys)));
    if (await saveView(name, { ...rest, ...now() })) {
      route.push({ view: name });
      toast(`The view ${name} is saved.`, { kind: "ok" });
    }
  };
  const items = [
    { label: "Usual view", checked: !name, run: () => route.push(query("", {})) },
    ...views.value.map((one) => ({ label: one.name, checked: one.name === name, run: () => route.push(query(one.name, one.view)) })),
    { divider: true },
    changed && { label: `Save changes to ${name}`, icon: "check", run: () => save(name) },
    changed && { label: `Back to ${name} as it was`, icon: "reset", run: () => route.push(query(name, current.view)) },
    { label: "Save as a new view", icon: "plus", run: () => setSaving(true) },
    current && { label: `Delete ${name}`, icon: "trash", danger: true, run: async () => {
      if (await confirm({ title: `Delete the view ${name}?`, text: "It goes for all who look at these runs. The runs stay.", action: "Delete", danger: true }) && await removeView(name)) route.push({ view: "" });
    } },
  ];
  return html`<${Menu} label="Views" icon="eye" items=${items}><span class="cut said runs-view">${current ? `${name}${changed ? " *" : ""}` : "Views"}</span><//>
    ${saving && html`<${SaveAs} close=${() => setSaving(false)} save=${save} />`}`;
}

function SaveAs({ close, save }) {
  const [name, setName] = useState("");
  const there = views.value.some((one) => one.name === name.trim());
  const submit = (event) => {
    event.preventDefault();
    close();
    save(name.trim());
  };
  return html`<${Dialog} title="Save this view" onClose=${close}><form class="stack" onSubmit=${submit}>
    <label class="stack tight"><span class="quiet">Columns, order, grouping and search are kept under this name, for all who look at these runs.</span>
      <input type="text" autofocus maxlength="80" value=${name} aria-label="Name of the view" autocomplete="off" onInput=${(event) => setName(event.target.value)} /></label>
    ${there && html`<p class="quiet">There is a view of this name. It is replaced.</p>`}
    <footer class="line"><span class="grow"></span><button type="button" class="button" onClick=${close}>Cancel</button><button type="submit" class="button main" disabled=${!name.trim()}>${there ? "Replace" : "Save"}</button></footer>
  </form><//>`;
}
