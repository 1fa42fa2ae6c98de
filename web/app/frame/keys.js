// The keys that hold everywhere, and the list of all keys behind ?.
import { html } from "../vendor/preact.js";
import { groups, offer, overlay } from "../core/keys.js";
import { pages } from "../core/pages.js";
import { route, tabs } from "../core/router.js";
import { choice, theme } from "../core/theme.js";
import { Dialog } from "../parts/dialog.js";
import { open as openPalette } from "./palette.js";

const to = (tab) => route.run !== null && route.go(`/runs/${encodeURIComponent(route.run)}/${tab}`);

offer("Everywhere", [
  ["Ctrl-k", "search runs, series and commands", () => openPalette()],
  ["/", "search", () => openPalette()],
  ["?", "this list", () => (overlay.value = !overlay.value)],
  ["g r", "all runs", () => route.go("/runs")],
  ...tabs.map((tab) => [`g ${pages[tab].key}`, `${pages[tab].title.toLowerCase()} of the run`, () => to(tab)]),
  ["D", "light or dark", () => (choice.value = theme.value === "dark" ? "light" : "dark")],
]);
offer("In a chart", [
  ["\u2190 \u2192", "move the cursor; with Shift ten columns"],
  ["Home End", "to the first and last column"],
  ["[ ]", "to the mark before and after the cursor"],
  ["Enter", "open the mark under the cursor"],
  ["+ \u2212", "zoom in and out around the cursor"],
  ["0", "show all"],
  ["t", "show the values as a table"],
  ["l", "logarithmic axis"],
  ["drag", "zoom in; with Shift move along; double click shows all"],
  ["Ctrl-wheel", "zoom"],
]);
offer("In a table", [
  ["\u2191 \u2193", "move from row to row"],
  ["Enter", "open the row"],
  ["Home End", "to the first and last row"],
]);

export function KeysOverlay() {
  if (!overlay.value) return null;
  return html`<${Dialog} title="Keys" wide onClose=${() => (overlay.value = false)}>
    <div class="keys">${groups.value.map(({ where, keys }) => html`<section key=${where}><h3>${where}</h3><dl>${keys.map(([key, what]) => html`<div key=${key}><dt>${key.split(" ").map((one) => html`<kbd>${one.replace(/^Ctrl-(.*)/, (_, key) => `Ctrl ${key.length === 1 ? key.toUpperCase() : key}`)}</kbd> `)}</dt><dd>${what}</dd></div>`)}</dl></section>`)}</div>
  <//>`;
}
