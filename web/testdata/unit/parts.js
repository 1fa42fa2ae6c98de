// What a reader does with parts: keys, pointer, search.
import { html, render, signal } from "../vendor/preact.js";
import { Boundary } from "../parts/boundary.js";
import { Chart } from "../parts/chart.js";
import { confirm, Dialogs } from "../parts/dialog.js";
import { Heatmap } from "../parts/heatmap.js";
import { Histogram } from "../parts/histogram.js";
import { Table } from "../parts/table.js";
import { Tree } from "../parts/tree.js";

const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 30)));
const press = async (element, ...keys) => {
  for (const key of keys) {
    element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    await frame();
  }
};

export async function parts(root, check) {
  const show = async (tree) => {
    render(null, root);
    render(tree, root);
    await frame();
    await frame();
  };
  const text = (selector) => root.querySelector(selector)?.textContent ?? "";

  const y = Array.from({ length: 50 }, (_, i) => 100 - i);
  const series = [{ label: "loss", x: y.map((_, i) => i * 10), y, min: y.map((v) => v - 1), max: y.map((v) => v + 1), points: 500, raw: false }];
  const ranges = [];
  const marks = [{ x: 100, kind: "finding", severity: "error", title: "Vanishing <gradient>" }];
  await show(html`<${Chart} title="loss <b>" series=${series} marks=${marks} onRange=${(range) => ranges.push(range)} />`);
  const chart = root.querySelector(".chart-body");
  check("a chart says what is drawn", text(".chart-drawn") === "500 points, minimum and maximum of 50 columns");
  check("a chart is named by its title and a sentence", chart.getAttribute("aria-label") === "loss <b>. Falls from 100 to 51, lowest 50, highest 101.");
  check("the canvas is painted", painted(root.querySelector("canvas")));
  await press(chart, "Home", "ArrowRight");
  check("arrow keys move the cursor", text(".tip-place") === "step 10" && text(".tip").includes("99"));
  check("the value under the cursor is in the head", text(".chart-now") === "99");
  check("the cursor is spoken", text(".chart-body .sr") === "step 10: loss 99.00");
  await press(chart, "]");
  check("] goes to the next mark, whose text is no markup", text(".tip-mark").includes("Vanishing <gradient>"));
  await press(chart, "+");
  check("+ zooms around the cursor", ranges.length === 1 && ranges[0][0] > 0 && ranges[0][1] < 490 && ranges[0][0] < 100 && ranges[0][1] > 100);
  await press(chart, "0");
  check("0 shows all", ranges.at(-1) === null);
  const over = root.querySelector(".u-over");
  const box = over.getBoundingClientRect();
  const mouse = (type, x, more = {}) => (type === "mousedown" || type === "mousemove" ? over : document).dispatchEvent(new MouseEvent(type, { clientX: box.left + box.width * x, clientY: box.top + 20, movementX: 5, bubbles: true, cancelable: true, view: window, ...more }));
  mouse("mousemove", 0.2);
  mouse("mousedown", 0.2);
  mouse("mousemove", 0.6);
  mouse("mouseup", 0.6);
  await frame();
  check("a drag zooms", ranges.at(-1) && Math.abs(ranges.at(-1)[0] - 98) < 6 && Math.abs(ranges.at(-1)[1] - 294) < 6);
  const before = ranges.at(-1);
  mouse("mousedown", 0.5, { shiftKey: true });
  window.dispatchEvent(new MouseEvent("mousemove", { clientX: box.left + box.width * 0.25 }));
  window.dispatchEvent(new MouseEvent("mouseup"));
  await frame();
  check("a drag with Shift moves along", ranges.at(-1)[0] > before[0] + 20 && Math.abs(ranges.at(-1)[1] - ranges.at(-1)[0] - (before[1] - before[0])) < 1);
  const moved = ranges.at(-1);
  over.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, ctrlKey: true, clientX: box.left + box.width / 2, clientY: box.top + 20, bubbles: true, cancelable: true }));
  await frame();
  check("the wheel with Ctrl zooms", ranges.at(-1)[1] - ranges.at(-1)[0] < moved[1] - moved[0]);
  const unmoved = ranges.length;
  over.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, clientX: box.left + 50, clientY: box.top + 20, bubbles: true, cancelable: true }));
  await frame();
  check("the wheel alone scrolls the page", ranges.length === unmoved);
  over.dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  await frame();
  check("a double click shows all", ranges.at(-1) === null);
  const saved = await files(chart.closest(".chart"));
  check("PNG, SVG and CSV are saved", saved[0]?.startsWith("\u0089PNG") && saved[1]?.startsWith("<svg") && saved[1].includes("loss &#60;b&#62;") && saved[2]?.startsWith("series,step,mean,min,max\nloss,0,100,99,101\n"));
  await press(chart, "t");
  check("t shows a table", root.querySelectorAll(".chart .table tbody tr").length > 5 && text(".chart .table thead").includes("loss min"));
  await press(chart, "t", "l");
  check("l makes the axis logarithmic", root.querySelector("canvas") && painted(root.querySelector("canvas")));

  const live = signal(0);
  const flow = { label: "live", x: [0, 1], y: [1, 2] };
  await show(html`<${Chart} title="live" series=${[flow]} live=${live} />`);
  flow.x.push(2);
  flow.y.push(7.5);
  live.value++;
  for (let i = 0; i < 100 && text(".chart-now") !== "7.5"; i++) await frame();
  check("live points appear", text(".chart-now") === "7.5" && text(".chart-drawn") === "3 points");

  await show(html`<${Chart} title="none" empty="No weights were captured." command="vigil plan run --collect weights" />`);
  check("an empty chart names the command", text(".empty").includes("No weights were captured.") && text(".command code") === "vigil plan run --collect weights");

  const Broken = () => { throw new Error("made for the test"); };
  await show(html`<div><${Boundary}><${Broken} /><//><p>beside</p></div>`);
  check("one broken panel leaves the others", text("[role=alert]").includes("made for the test") && text("#app > div > p") === "beside");

  const opened = [];
  const rows = Array.from({ length: 5000 }, (_, i) => ({ name: `run-${i}`, loss: i % 7 }));
  const columns = [{ id: "name", title: "Run", value: (row) => row.name }, { id: "loss", title: "Loss", number: true, value: (row) => row.loss }];
  await show(html`<${Table} label="Runs" rows=${rows} columns=${columns} rowKey=${(row) => row.name} height=${300} onOpen=${(row) => opened.push(row.name)} />`);
  const table = root.querySelector(".table");
  check("only rows in sight are in the document", root.querySelectorAll("tbody tr").length < 60 && table.querySelector("table").getAttribute("aria-rowcount") === "5001");
  await press(table, "End", "Enter");
  check("End and Enter open the last row", opened[0] === "run-4999" && table.querySelector(`#${CSS.escape(table.getAttribute("aria-activedescendant"))}`)?.textContent.includes("run-4999"));
  root.querySelectorAll("button.head")[1].click();
  await frame();
  check("a click sorts figures from the largest", root.querySelectorAll("th")[1].getAttribute("aria-sort") === "descending");
  await press(table, "Home");
  check("the first row has the largest", text("tbody tr:not(.space)") === "run-66");

  const wide = Array.from({ length: 60 }, (_, i) => ({ id: `c${i}`, title: `C${i}`, width: 100, pin: i === 0, value: (row) => `${row.name} ${i}`, cell: (row) => html`<button type="button">${row.name} ${i}</button>` }));
  await show(html`<${Table} label="Wide" rows=${rows.slice(0, 20)} columns=${wide} rowKey=${(row) => row.name} height=${300} chosen=${new Set()} onChosen=${() => {}} />`);
  const broad = root.querySelector(".table");
  const line = () => [...broad.querySelectorAll("tbody tr")[1].children].map((cell) => (cell.classList.contains("gap") ? `(${cell.colSpan})` : cell.getAttribute("aria-colindex"))).join(" ");
  // A cell is below its head, and says which column it is.
  const below = () => [...broad.querySelectorAll("tbody tr td[aria-colindex]")].every((cell) => {
    const head = broad.querySelector(`th[aria-colindex="${cell.getAttribute("aria-colindex")}"]`);
    return head && (head.classList.contains("stays") || Math.abs(head.getBoundingClientRect().left - cell.getBoundingClientRect().left) < 1);
  });
  const heads = [...broad.querySelectorAll("th")].map((head) => head.getAttribute("aria-colindex")).join(" ");
  check("every column has a head and a number", heads === Array.from({ length: 61 }, (_, i) => i + 1).join(" ") && broad.querySelector("[role=grid]").getAttribute("aria-colcount") === "61");
  check("of many columns only those in sight have cells", /^1 2 3 .*\(\d+\)$/.test(line()) && broad.querySelectorAll("tbody tr:nth-child(2) td").length < 30 && below());
  broad.querySelectorAll("tbody tr")[1].querySelector("td[aria-colindex='4'] button").focus();
  broad.scrollLeft = 3000;
  await frame();
  await frame();
  check("the column that stays and the one with the focus are not left out", /^1 2 \(1\) 4 \(\d+\) 3\d .* \(\d+\)$/.test(line()) && document.activeElement.textContent === "run-1 2" && below());
  document.activeElement.blur();
  broad.querySelectorAll("th button.head")[59].focus();
  await frame();
  await frame();
  check("keys in the head come to every column", / 61$/.test(line()) && broad.querySelectorAll("tbody tr")[1].lastElementChild.textContent === "run-1 59" && below());

  const filtered = async (top) => {
    render(html`<${Table} label="Runs" top=${top} rows=${rows.slice(0, top === "" ? 5000 : 3000)} columns=${columns} rowKey=${(row) => row.name} height=${300} />`, root);
    await frame();
    await frame();
  };
  await show(html`<p></p>`);
  await filtered("");
  root.querySelector(".table").scrollTop = 9000;
  await frame();
  await filtered("");
  check("a table stays where it is", root.querySelector(".table").scrollTop === 9000);
  await filtered("a");
  check("a table begins at its top after a filter", root.querySelector(".table").scrollTop === 0 && text("tbody tr:not(.space)") === "run-00");

  const picked = [];
  await show(html`<${Heatmap} title="heat" rows=${[{ name: "low", values: [0, 1, 2] }, { name: "high", values: [8, 9, 10] }]} columns=${[0, 10, 20]} onPick=${(cell) => picked.push(cell)} />`);
  const heat = root.querySelector(".chart-body");
  await press(heat, "Home", "Home", "ArrowUp", "Enter");
  check("keys pick a cell", picked[0]?.row.name === "low" && picked[0].value === 0);
  check("the cell is told", text(".heat-words") === "low, step 0: 0");
  const canvas = root.querySelector(".heat-cells canvas");
  const tone = (x, y) => { const [r, g, b] = canvas.getContext("2d").getImageData(x * canvas.width, y, 1, 1).data; return r + g + b; };
  check("bright is low, dark is high", tone(0.4, 8) > tone(0.9, 30) + 200);

  check("columns that are equally far apart need no word", text(".chart-drawn") === "2 rows x 3 columns");
  const many = Array.from({ length: 200 }, (_, i) => ({ name: `layer ${i}`, values: [i, 1], severity: i === 101 ? "error" : undefined }));
  await show(html`<${Heatmap} title="heat" rows=${many} columns=${[0, 1, 100]} height=${300} />`);
  check("columns that are not say so", text(".chart-drawn") === "200 rows x 3 columns; columns are saved steps, not equally far apart");
  await press(root.querySelector(".chart-body"), "Home", "ArrowDown");
  const beside = root.querySelector(".heat-name");
  check("the row under the cursor is named beside it", beside.textContent === "layer 1" && beside.getBoundingClientRect().left === root.querySelector(".heat-cells").getBoundingClientRect().left);
  check("what was not found of a row is not said", !text(".heat-words").includes("found"));
  for (let i = 0; i < 10; i++) root.querySelector(".chart-body").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", shiftKey: true, bubbles: true, cancelable: true })), await frame();
  check("what was found of a row is said with it", text(".heat-name") === "layer 101" && text(".heat-words").endsWith("; error found"));

  await show(html`<${Histogram} title="one" edges=${[0.5, 1]} counts=${[64]} only=${0.5} />`);
  const single = root.querySelector(".ridge canvas");
  const filled = (() => {
    const { data } = single.getContext("2d").getImageData(0, Math.round(single.height / 2), single.width, 1);
    return data.filter((value, i) => i % 4 === 3 && value > 0).length / single.width;
  })();
  check("a constant tensor is one narrow bar", filled > 0 && filled < 0.05);
  check("a constant tensor says its value", text(".chart-drawn") === "all values are 0.5" && root.querySelector(".chart-body").getAttribute("aria-label") === "one. All values are 0.5.");

  await show(html`<${Heatmap} title="heat" rows=${[{ name: "one", values: [NaN, 1] }]} columns=${[0, 1]} />`);
  await press(root.querySelector(".chart-body"), "Home", "Home");
  check("a hole has no value", text(".heat-words") === "one, step 0: no value");

  const chosen = [];
  await show(html`<${Tree} label="Tensors" nodes=${[{ id: "a", label: "a", children: [{ id: "a.b", label: "b" }] }, { id: "c", label: "c" }]} onSelect=${(node) => chosen.push(node.id)} />`);
  const tree = root.querySelector(".tree");
  await press(tree, "ArrowRight", "ArrowRight", "Enter");
  check("keys open and choose in a tree", chosen[0] === "a.b" && root.querySelectorAll("[role=treeitem]").length === 3);
  await press(tree, "ArrowLeft", "ArrowLeft");
  check("keys close a tree", root.querySelectorAll("[role=treeitem]").length === 2);

  await show(html`<${Dialogs} />`);
  const answer = confirm({ title: "Delete?", action: "Delete", danger: true, type: "run-1" });
  await frame();
  const button = root.querySelector("button[type=submit]");
  check("the name has to be written first", button.disabled);
  const input = root.querySelector("dialog input");
  input.value = "run-1";
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await frame();
  button.click();
  check("then it is done", (await answer) === true);
}

// files are what the chart's menu saves, in place of downloads: PNG, SVG, CSV.
async function files(chart) {
  const saved = [];
  const made = URL.createObjectURL;
  const click = HTMLAnchorElement.prototype.click;
  URL.createObjectURL = (blob) => {
    saved.push(blob);
    return made(blob);
  };
  HTMLAnchorElement.prototype.click = () => {};
  for (const name of ["PNG", "SVG", "CSV"]) {
    const count = saved.length;
    chart.querySelector(".chart-tools [aria-haspopup]").click();
    await frame();
    [...chart.querySelectorAll(".menu-item")].find((item) => item.textContent.trim() === name).click();
    for (let i = 0; i < 100 && saved.length === count; i++) await frame();
  }
  URL.createObjectURL = made;
  HTMLAnchorElement.prototype.click = click;
  return Promise.all(saved.map(async (blob) => (blob.type === "image/png" ? String.fromCharCode(...new Uint8Array(await blob.arrayBuffer()).subarray(0, 8)) : blob.text())));
}

// painted says whether anything was drawn.
function painted(canvas) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.some((value) => value !== 0);
}
