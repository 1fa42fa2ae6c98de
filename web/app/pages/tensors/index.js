// The page of tensors: the network as a tree, a heat map of its layers over the steps, and one tensor with all that is known of it.
import { html, useMemo } from "../../vendor/preact.js";
import { useCommands } from "../../core/commands.js";
import { useGet } from "../../core/use.js";
import { Boundary } from "../../parts/boundary.js";
import { Answer, Empty } from "../../parts/empty.js";
import { Layers } from "./layers.js";
import { Outline } from "./outline.js";
import { OneTensor } from "./tensor.js";

// Tensors of a network larger than this are found by the search alone.
const mostCommands = 5000;

export function Page({ run, api, route }) {
  const of = useGet(run.path("tensors"), {}, { every: run.live ? 30000 : 0 });
  return html`<div class="tensors">
    <h1 class="sr">Tensors</h1>
    <${Answer} of=${of} what="The tensors could not be read.">${(data) => html`<${Tensors} run=${run} api=${api} route=${route} data=${data} />`}<//>
  </div>`;
}

function Tensors({ run, api, route, data }) {
  const all = useMemo(() => data.tensors.filter((tensor) => tensor.by === "step"), [data]);
  const name = route.get("tensor");
  const tensor = useMemo(() => all.find((one) => one.name === name) ?? null, [all, name]);
  const choose = (chosen) => route.push({ tensor: chosen?.name, at: null, rows: null, columns: null, matrix: null, order: null, image: null, channel: null, apart: null, bright: null, low: null, high: null });
  useCommands(() => all.slice(0, mostCommands).map((one) => ({ group: "Tensors", title: one.name, run: () => choose(one) })), [all]);
  if (!all.length) {
    return html`<${Empty} command="vigil run -- python train.py">${run.live ? "Nothing was captured yet: tensors appear with the first steps." : "Nothing was captured in this run."}<//>`;
  }
  return html`<div class="tensors-split">
    <${Boundary} what="The list of tensors"><${Outline} tensors=${all} collections=${data.collections} selected=${tensor} route=${route} choose=${choose} /><//>
    <div class="tensors-main stack">
      ${name && !tensor && html`<${Empty} compact icon="search">This run has no tensor <strong class="said">${name}</strong>.<//>`}
      <${Boundary} what="This panel" of=${name}>${tensor
        ? html`<${OneTensor} key=${tensor.name} run=${run} api=${api} route=${route} tensor=${tensor} back=${() => choose(null)} />`
        : html`<${Layers} run=${run} route=${route} tensors=${all} collections=${data.collections} />`}<//>
    </div>
  </div>`;
}
