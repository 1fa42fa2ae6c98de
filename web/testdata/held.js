// Draws a chart and a heat map again and again, each time of other values, as a page does that follows a run. window.held() says of which drawings values are still there.
import { Chart } from "../app/parts/chart.js";
import { Heatmap } from "../app/parts/heatmap.js";
import { html, render, useState } from "../app/vendor/preact.js";

const values = []; // [drawing, what of it, a weak reference]
function numbers(drawing, what) {
  const made = Float64Array.from({ length: 100 }, (_, i) => i + drawing);
  values.push([drawing, what, new WeakRef(made)]);
  return made;
}

let draw = null;
// Followed has its own state and is given children, as a chart of the page of the machine.
function Followed({ children }) {
  const [drawing, set] = useState(1);
  draw = set;
  const series = [{ label: "loss", x: numbers(drawing, "x of the chart"), y: numbers(drawing, "y of the chart") }];
  const rows = [{ name: "core", values: numbers(drawing, "a row of the heat map") }];
  return html`<${Chart} title="Chart" series=${series} legend=${true}>${children}<//><${Heatmap} title="Map" rows=${rows} columns=${numbers(drawing, "columns of the heat map")} height=${100} />`;
}

const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

async function run() {
  render(html`<${Followed}><b>given <i>once</i></b><//>`, document.body);
  await frame();
  for (let drawing = 2; drawing <= 5; drawing++) {
    draw(drawing);
    for (let i = 0; i < 3; i++) await frame();
  }
  window.drawn = document.querySelectorAll("canvas").length;
}

window.held = () => values.filter(([, , ref]) => ref.deref()).map(([drawing, what]) => `${drawing}: ${what}`).join("\n");
run();
