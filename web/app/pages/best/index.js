// The page Best run: which of the runs is best by a number, what they differ in, and which parameters go with it.
import { html, useEffect, useMemo, useState } from "../../vendor/preact.js";
import * as format from "../../core/format.js";
import { useEvents, useGet } from "../../core/use.js";
import { Boundary } from "../../parts/boundary.js";
import { Answer, Empty } from "../../parts/empty.js";
import { Table } from "../../parts/table.js";
import { Choice } from "../../parts/tabs.js";
import { axesOf, brushesOf, most, rowsOf, spelled, within } from "./answer.js";
import { ByValue } from "./by-value.js";
import { Correlations } from "./correlations.js";
import { Parallel } from "./parallel.js";
import { columnsOf } from "./rows.js";
import { Scatter } from "./scatter.js";

export function Page({ route }) {
  const runs = route.all("run");
  const of = useGet("best", { run: runs, metric: route.get("metric"), better: route.get("better") });
  useEvents(null, { runs: () => of.reload() });
  const building = of.data?.building;
  useEffect(() => {
    const timer = building ? setTimeout(of.reload, 2000) : 0;
    return () => clearTimeout(timer);
  }, [of.data]);
  return html`<div class="stack best-page"><div class="line apart"><h1>Best run</h1><a class="button" href=${route.href("/runs", { run: runs })}>All runs</a></div>
    ${building && html`<p class="quiet best-building" role="status">Reading runs: ${format.count(building.done)} of ${format.count(building.of)}. The best may still be among the others.</p>`}
    <${Answer} of=${of} what="The runs could not be ranked.">${(answer) => (answer.runs.length < 2
      ? html`<${Empty} command="vigil run -- python train.py --lr 0.01">${answer.runs.length ? "There is only one run here" : "There are no runs here"}; the best is found among two or more.<//>`
      : html`<${Ranked} answer=${answer} route=${route} />`)}<//></div>`;
}

function Ranked({ answer, route }) {
  const [over, setOver] = useState(null);
  const rows = useMemo(() => rowsOf(answer), [answer]);
  const axes = useMemo(() => axesOf(answer, rows), [answer, rows]);
  const columns = useMemo(() => columnsOf(answer), [answer]);
  const brushes = brushesOf(route);
  const key = spelled(brushes).join("\n");
  const inside = useMemo(() => {
    const names = new Set(rows.filter((row) => within(row, axes, brushes)).map((row) => row.name));
    return (row) => names.has(row.name);
  }, [rows, axes, key]);
  const kept = useMemo(() => rows.filter(inside), [rows, inside]);
  const parameters = axes.slice(0, -1);
  const x = parameters.find((axis) => axis.id === (route.get("x") || answer.decisive)) ?? parameters[0];
  const open = (row) => route.follow(route.to(row.name));
  const brushed = (next) => route.set({ b: spelled(next) });
  const shared = { rows, inside, over, onOver: setOver, onOpen: open };
  const known = answer.metrics.find((one) => one.name === answer.metric);
  return html`<p class="best-answer said" role="status">${answer.text} ${answer.difference}</p>
    <div class="line best-tools">
      <label class="field">By <select value=${answer.metric} onChange=${(event) => route.push({ metric: event.target.value, better: "", b: "" })}>${answer.metrics.map((one) => html`<option key=${one.name} value=${one.name} selected=${one.name === answer.metric}>${one.name}, ${format.several(one.runs, "run")}</option>`)}</select></label>
      <${Choice} label="Which is better" options=${[["less", "Less is better"], ["more", "More is better"]]} value=${answer.better} onChange=${(better) => route.push({ better: better === known?.better ? "" : better })} />
      ${parameters.length > 0 && html`<label class="field">Against <select value=${x.id} onChange=${(event) => route.set({ x: event.target.value })}>${parameters.map((axis) => html`<option key=${axis.id} value=${axis.id} selected=${axis.id === x.id}>${axis.title}</option>`)}</select></label>`}
      <span class="grow"></span>
      <ul class="line best-legend"><li><i class="best"></i>best</li><li><i class="plain"></i>other runs</li><li><i class="doubtful"></i>error finding: not to be trusted, and left out of the range</li></ul>
    </div>
    ${parameters.length > 0 && html`<div class="best-pair">
      <section class="card"><header><h2>${answer.metric} by ${x.title}</h2></header><div class="body"><${Boundary} what="The chart"><${Scatter} ...${shared} parameter=${x.title} axis=${x} metric=${answer.metric} /><//></div></section>
      <section class="card"><header><h2>What goes with ${answer.metric}</h2></header><div class="body"><${Correlations} parameters=${answer.parameters} metric=${answer.metric} chosen=${x.id} onChoose=${(name) => route.set({ x: name })} />
        <${ByValue} parameter=${answer.parameters.find((one) => one.name === x.id)} metric=${answer.metric} better=${answer.better} /></div></section></div>
    <section class="card"><header><h2>All parameters</h2>${brushes.size > 0 && html`<span class="quiet">${format.count(kept.length)} of ${format.several(rows.length, "run")}</span><button type="button" class="button small" onClick=${() => route.set({ b: "" })}>Show all runs</button>`}</header>
      <div class="body"><${Boundary} what="The parallel coordinates"><${Parallel} ...${shared} axes=${axes} brushes=${brushes} onBrushes=${brushed} /><//>
      <p class="quiet small">Drag along an axis to keep the runs that pass there.${answer.parameters.length > most ? ` The table has ${format.several(answer.parameters.length - most, "more parameter")}.` : ""}</p></div></section>`}
    <section class="card"><header><h2>What the runs differ in</h2><span class="quiet">${answer.parameters.length ? `${format.several(answer.same, "other parameter")} ${answer.same === 1 ? "is" : "are"} the same in all` : "No parameter that is known differs"}</span></header>
      <${Table} label="Ranking" name="best" rows=${kept} columns=${columns} rowKey=${nameOf} height=${Math.min(520, 44 + 32 * Math.max(kept.length, 3))} active=${over} onActive=${(row) => setOver(row.name)} onOpen=${open} empty="No run passes all the marked parts of the axes." /></section>`;
}

const nameOf = (row) => row.name;
