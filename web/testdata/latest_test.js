// What a part does when it is used is what the page is then, not what it was when the part was drawn.
import { equal } from "./check.js";
import { Card } from "../app/pages/curves/card.js";
import { useSet } from "../app/pages/curves/data.js";
import { ofChart } from "../app/pages/curves/parts.js";
import { Shared, Watched } from "../app/pages/curves/shared.js";
import { Table } from "../app/parts/table.js";
import { Tree } from "../app/parts/tree.js";
import { html, render, useState } from "../app/vendor/preact.js";

// until waits for what a page comes to by itself.
async function until(is, what) {
  for (let i = 0; i < 2000; i++) {
    if (is()) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`it does not come: ${what}`);
}

async function shown(tree, look) {
  const place = document.body.appendChild(document.createElement("div"));
  try {
    render(tree, place);
    await look(place, (next) => render(next, place));
  } finally {
    render(null, place);
    place.remove();
  }
}

const rows = ["a", "b", "c", "d", "e"].map((name) => ({ name }));
const columns = [{ id: "name", title: "Name", value: (row) => row.name }];
const rowKey = (row) => row.name;

// Page holds what is chosen, as pages do, and counts in turn how often it was drawn.
let turn = 0;
function Page({ saw }) {
  const [chosen, setChosen] = useState(() => new Set());
  const mine = ++turn;
  return html`<${Table} label="Rows" rows=${rows} columns=${columns} rowKey=${rowKey} chosen=${chosen} onChosen=${setChosen}
    onActive=${(row) => saw.push(["active", row.name, mine === turn, [...chosen].join("")])} onOpen=${(row) => saw.push(["open", row.name, mine === turn])} /><output>${[...chosen].join(" ")}</output>`;
}

export const tests = {
  async "rows are ticked one after another, and as a range"() {
    const saw = [];
    await shown(html`<${Page} saw=${saw} />`, async (place) => {
      const line = (name) => [...place.querySelectorAll("tbody tr")].find((tr) => tr.textContent === name);
      const chosen = () => place.querySelector("output").textContent;
      const tick = async (name, want, more) => {
        line(name).querySelector("input").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...more }));
        await until(() => chosen() === want, `${want} after ${name}: ${chosen()}`);
      };
      await tick("b", "b");
      await tick("d", "b d");
      await tick("a", "b d a");
      await tick("d", "b a");
      await tick("e", "b a e");
      await tick("c", "b a e c d", { shiftKey: true });
      equal([...place.querySelectorAll("tr.chosen")].map((tr) => tr.textContent), ["a", "b", "c", "d", "e"]);
      equal(saw, [], "a tick opens nothing");
      // What a click tells is told to the page that is shown, also by rows that were not drawn again.
      line("e").click();
      line("a").dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
      equal(saw, [["active", "e", true, "baecd"], ["open", "a", true]]);
    });
  },
  async "a class of a row follows"() {
    const table = (marked) => html`<${Table} label="Rows" rows=${rows} columns=${columns} rowKey=${rowKey} rowClass=${(row) => (row.name === marked ? "dimmed" : "")} />`;
    await shown(table("a"), async (place, show) => {
      // What the first drawing brings with it is over.
      for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame);
      show(table("a"));
      show(table("c"));
      equal([...place.querySelectorAll("tr.dimmed")].map((tr) => tr.textContent), ["c"]);
    });
  },
  async "a chart goes over to what another axis brings"() {
    const page = () => ({
      run: { live: true }, runs: [{ name: "a" }], settings: { axis: "step", zoom: null, smoothing: 0, group: "", band: "range", singles: true, hidden: new Set(), oneRange: false, logY: false, logX: false, outliers: true, picked: "" },
      loader: { want: () => () => {} }, tails: null, tick: null, shared: new Shared(), turn: 0, marked: null, pinned: [], watched: new Watched(), gone: () => {},
    });
    const chart = { key: "loss|", title: "loss", ...ofChart({ title: "loss", tensor: "loss", asks: [{ mode: "TRAIN", s: "loss||TRAIN|" }] }) };
    const [one, two] = [page(), page()];
    const seen = ({ watched }) => [...watched.charts.values()].flat();
    await shown(html`<${Card} chart=${chart} page=${one} large />`, async (place, show) => {
      await until(() => seen(one).length > 0 && one.shared.own.size === 1, "the chart is not told of");
      const wanted = seen(one);
      show(html`<${Card} chart=${chart} page=${two} large />`);
      await until(() => seen(two).length > 0, "the chart is not told of anew");
      equal([seen(two), seen(one)], [wanted, []]);
      two.shared.tell("loss|", { x: [0, 1], y: null });
      show(html`<p></p>`);
      await until(() => seen(two).length === 0 && two.shared.own.size === 0, "a chart that goes leaves something behind");
    });
  },
  async "a chart that is changed is pinned in place of the one that it was"() {
    const before = globalThis.fetch;
    const sent = [];
    let kept = { pinned: { a: ["x", "old", "y"] }, colours: {} };
    globalThis.fetch = async (url, options) => {
      if (options?.method === "PATCH") {
        const change = JSON.parse(options.body);
        sent.push(change.pinned.a);
        kept = { ...kept, pinned: { ...kept.pinned, ...change.pinned } };
      }
      return new Response(JSON.stringify(kept), { headers: { "Content-Type": "application/json" } });
    };
    let set = null;
    const Held = () => html`<output>${(set = useSet("a")).pinned.join(" ")}</output>`;
    try {
      await shown(html`<${Held} />`, async (place) => {
        const said = () => place.querySelector("output").textContent;
        await until(() => said() === "x old y", said());
        await set.pin("new", true, "old");
        await until(() => said() === "x y new", said());
        equal(sent, [["x", "y", "new"]]);
      });
    } finally {
      globalThis.fetch = before;
    }
  },
  async "what is selected in a branch that opens later comes into sight"() {
    const leaves = Array.from({ length: 200 }, (_, i) => ({ id: `leaf ${i}`, label: `leaf ${i}` }));
    const nodes = [{ id: "branch", label: "branch", children: leaves }];
    const tree = (open) => html`<${Tree} label="Leaves" nodes=${nodes} open=${new Set(open)} selected="leaf 150" height=${200} />`;
    await shown(tree([]), async (place, show) => {
      const box = place.querySelector(".tree");
      box.style.setProperty("overflow", "auto");
      show(tree(["branch"]));
      await until(() => place.querySelector("[aria-selected=true]")?.textContent === "leaf 150", "the leaf that is selected");
    });
  },
};
