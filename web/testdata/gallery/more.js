// The larger parts with made-up data.
import { html, useState } from "../vendor/preact.js";
import { Diff, Source, Text } from "../parts/code.js";
import { Flame } from "../parts/flame.js";
import { Heatmap } from "../parts/heatmap.js";
import { Histogram, Ridge } from "../parts/histogram.js";
import { Search } from "../parts/search.js";
import { StepSlider } from "../parts/slider.js";
import { Shares, Stats } from "../parts/stat.js";
import { Choice, Tabs } from "../parts/tabs.js";
import { nested, Tree } from "../parts/tree.js";

const names = Array.from({ length: 24 }, (_, i) => `layer${1 + Math.floor(i / 6)}.${Math.floor(i / 3) % 2}.${["conv1", "bn1", "conv2"][i % 3]}.weight`);
const steps = Array.from({ length: 120 }, (_, i) => i * 100);
const heat = names.map((name, r) => ({ name, values: steps.map((s, c) => (r === 5 && c > 90 ? "NaN" : r === 9 && c < 10 ? null : 10 ** (-1 - r / 8 - (c / 40) * (r % 3) + Math.sin(c / 6 + r) * 0.2))) }));
const edges = Array.from({ length: 41 }, (_, i) => -1 + i * 0.05);
const rsteps = Array.from({ length: 30 }, (_, i) => i * 200);
const shares = rsteps.map((_, s) => {
  const row = edges.slice(1).map((edge) => Math.exp(-(((edge - 0.1 - s / 60) / (0.12 + s / 150)) ** 2)) + 0.3 * Math.exp(-(((edge + 0.6) / 0.1) ** 2)));
  const sum = row.reduce((a, b) => a + b);
  return row.map((value) => value / sum);
});
const node = (name, total, file, line, children = [], before) => ({ name, total, file, line, before, self: total - children.reduce((a, b) => a + b.total, 0), children });
const lib = "/usr/lib/python3.12/site-packages/torch/";
const roots = (diff) => [node("<module>", 1000, "train.py", 1, [
  node("train_epoch", 820, "train.py", 31, [
    node("__next__", 340, `${lib}utils/data/dataloader.py`, 701, [node("_next_data", 330, `${lib}utils/data/dataloader.py`, 757, [node("__getitem__", 300, "data.py", 18, [node("augment", 240, "data.py", 40, [node("resize", 200, "", 0, [], diff && 80)], diff && 120)], diff && 180)], diff && 210)], diff && 220),
    node("forward", 210, "model.py", 12, [node("conv2d", 150, "", 0, [], diff && 170), node("relu", 40, `${lib}nn/functional.py`, 1471, [], diff && 42)], diff && 230),
    node("backward", 180, `${lib}_tensor.py`, 570, [node("run_backward", 175, "", 0, [], diff && 260)], diff && 270),
    node("step", 70, `${lib}optim/adam.py`, 213, [], diff && 80)], diff && 820),
  node("evaluate", 150, "train.py", 60, [node("forward", 130, "model.py", 12, [], diff && 125)], diff && 150)], diff && 1000)];
const source = `def train_epoch(model, loader, optimizer):\n    for x, y in loader:\n        out = model(x)\n        loss = F.cross_entropy(F.softmax(out, 1), y)\n        loss.backward()\n        optimizer.step()\n`;
const diff = `--- train.py\n+++ train.py\n@@ -34,3 +34,3 @@\n         out = model(x)\n-        loss = F.cross_entropy(F.softmax(out, 1), y)\n+        loss = F.cross_entropy(out, y)\n         loss.backward()\n`;
const tree = nested(names.concat(["conv1.weight", "fc.bias"]), (name) => name, () => ({ beside: "1,200" }));

function More() {
  const [step, setStep] = useState(1000);
  const [q, setQ] = useState("");
  const [tab, setTab] = useState("source");
  const [axis, setAxis] = useState("step");
  const [selected, setSelected] = useState("layer1.0.conv1.weight");
  return html`<div class="stack">
    <${Stats} label="Figures" items=${[{ label: "Loss (TRAIN)", value: "0.4213", detail: "lowest 0.4017 at step 11,200", spark: [3, 2, 1.5, 1.2, 1, 0.8, 0.7, 0.65, 0.6] }, { label: "GPU", value: "38 %", detail: "of 4 x H100", share: 0.38, tone: "warning" }, { label: "Time lost", value: "41 %", detail: "waiting for data", tone: "error" }, { label: "Steps", value: "12,000", detail: "of 50,000" }, { label: "Memory", value: "14.2 GB", share: 0.7 }]} />
    <section class="card"><header><h2>Where the time went</h2></header><div class="body"><${Shares} label="Shares" parts=${[{ name: "data", share: 0.34, token: "--part-data", text: "34 %" }, { name: "forward", share: 0.21, token: "--part-forward", text: "21 %" }, { name: "backward", share: 0.3, token: "--part-backward", text: "30 %" }, { name: "optimizer", share: 0.1, token: "--part-optimizer", text: "10 %" }, { name: "other", share: 0.05, token: "--part-other", text: "5 %" }]} /></div></section>
    <${Heatmap} title="Gradient, mean of absolute values" rows=${heat} columns=${steps} log />
    <section class="grid"><${Ridge} title="layer1.0.conv1.weight" steps=${rsteps} edges=${edges} shares=${shares} step=${step} onStep=${setStep} /><${Histogram} title="at step 5,800" edges=${edges} counts=${shares[29].map((share) => Math.round(share * 36864))} />
      <div class="card"><header><h2>Tensors</h2><${Search} label="Search tensors" value=${q} onChange=${setQ} count="26 of 26" /></header><${Tree} label="Tensors" nodes=${tree} selected=${selected} onSelect=${(node) => node.item && setSelected(node.id)} first=${["layer1.", "layer1.0."]} height=${260} /></div></section>
    <div class="line"><${StepSlider} steps=${rsteps} value=${step} onChange=${setStep} film /><${Choice} label="Axis" options=${[["step", "Step"], ["time", "Time"], ["relative", "Relative"]]} value=${axis} onChange=${setAxis} /></div>
    <${Flame} title="Window 3, steps 1,200 to 1,260" data=${{ total: 1000, roots: roots(false) }} search=${q} />
    <${Flame} title="Difference to window 1" data=${{ total: 1000, roots: roots(true) }} />
    <${Tabs} label="Evidence" tabs=${[{ id: "source", title: "Source" }, { id: "edit", title: "Suggested edit", count: 1 }, { id: "log", title: "Log" }]} value=${tab} onChange=${setTab}>
      ${tab === "source" ? html`<${Source} file="train.py" text=${source} first=${31} line=${34} />` : tab === "edit" ? html`<${Diff} file="train.py" diff=${diff} />` : html`<${Text} label="Output" text=${"\u001b[31mTraceback\u001b[0m (most recent call last):\n  10%\r 20%\r done\n<b>not bold</b>\n"} />`}<//>
  </div>`;
}

export const more = () => html`<${More} />`;
