// How long the steps took, over the steps: durations with those that took long, how often which length came, and the parts of a step.
import { html, useMemo } from "../../vendor/preact.js";
import { number, numbers } from "../../core/api.js";
import * as format from "../../core/format.js";
import { useGet, useLatest } from "../../core/use.js";
import { Chart } from "../../parts/chart.js";
import { Failed } from "../../parts/empty.js";
import { stacked } from "../machine/stacked.js";
import { Lengths } from "./lengths.js";

const axis = { kind: "step" };
const none = [];

export function Steps({ run, route, data, every }) {
  const modes = data.modes.map((one) => one.mode);
  const mode = modes.includes(route.get("mode")) ? route.get("mode") : modes.includes("TRAIN") ? "TRAIN" : modes[0] ?? "TRAIN";
  const worker = data.workers.includes(route.get("worker")) ? route.get("worker") : "";
  const asked = [Number(route.get("s0", NaN)), Number(route.get("s1", NaN))];
  const view = asked[0] < asked[1] ? asked : null;
  const settled = useLatest(view ? view.join(" ") : "");
  const [from, to] = settled ? settled.split(" ").map(Number) : [];
  const whole = useGet(run.path("time", "steps"), { worker, mode, columns: 900 }, { columns: true, every });
  const part = useGet(settled ? run.path("time", "steps") : null, { worker, mode, columns: 900, from: from && Math.max(0, Math.floor(from)), to: to && Math.ceil(to) + 1 }, { columns: true, every });
  const shown = (settled && part.data) || whole.data;
  const zoom = (next) => route.push({ s0: next && Math.round(next[0]), s1: next && Math.round(next[1]) });
  const limit = useMemo(() => (whole.data?.x.length ? [whole.data.x[0], whole.data.x_last.at(-1)] : null), [whole.data]);
  const series = useMemo(() => lines(shown), [shown]);
  const parts = useMemo(() => (shown?.x.length ? stacked(shown.parts, shown.x, Float64Array.from(shown.x_last, (x) => x + 1), (name, i) => shown.parts.find((one) => one.name === name).values[i]).map((one) => ({ ...one, raw: shown.raw, points: 0 })) : none), [shown]);
  const long = number(whole.data?.longest) > 8 * number(whole.data?.typical);
  const y = useMemo(() => ({ unit: "s", log: long, zero: !long, size: 64 }), [long]);
  const guides = useMemo(() => (shown?.x.length ? [{ y: number(shown.typical), label: `typical ${format.duration(number(shown.typical))}` }] : none), [shown]);
  const shared = { x: axis, range: view ?? limit, onRange: zoom, limit, group: "steps" };
  return html`<section class="card" aria-labelledby="steps-title">
    <header><h2 id="steps-title">Step time</h2>
      ${modes.length > 1 && html`<label class="field">Mode <select value=${mode} onChange=${(event) => route.push({ mode: event.target.value, s0: null, s1: null })}>${modes.map((one) => html`<option key=${one}>${one}</option>`)}</select></label>`}
      ${data.workers.length > 1 && html`<label class="field">Worker <select value=${worker || data.worker} onChange=${(event) => route.push({ worker: event.target.value === data.worker ? null : event.target.value })}>${data.workers.map((one) => html`<option key=${one}>${one}</option>`)}</select></label>`}
    </header>
    <div class="steps-panel">
      <div class="steps-charts">
        ${whole.error && !whole.data ? html`<${Failed} error=${whole.error} again=${whole.reload} />` : html`
        <${Chart} title="Seconds per step" ...${shared} series=${series} y=${y} lines=${guides} height=${230} loading=${whole.loading && !whole.data} legend=${true}
          caption=${shown ? sentence(shown) : false} empty=${`No steps of mode ${mode} were seen${worker ? ` of ${worker}` : ""}.`} />
        <${Chart} title="Breakdown" ...${shared} series=${parts} y=${seconds} height=${220} loading=${whole.loading && !whole.data} caption=${shown?.raw ? "each bar is one step" : "means of the steps in each column"} empty="There are no parts to show." />`}
      </div>
      ${shown?.x.length > 0 && html`<${Lengths} run=${run} route=${route} data=${shown} zoom=${zoom} />`}
    </div>
  </section>`;
}

const seconds = { unit: "s", zero: true, size: 64 };

function lines(data) {
  if (!data?.x.length) return none;
  const x = numbers(data.x);
  const list = [{ label: data.raw ? "step" : "mean", unit: "s", x, y: numbers(data.mean), raw: data.raw, points: data.steps, colour: "--series-1", dash: [], ...(data.raw ? {} : { xLast: numbers(data.x_last), min: numbers(data.min), max: numbers(data.max) }) }];
  if (data.outliers.length) {
    const sorted = [...data.outliers].sort((a, b) => a.step - b.step);
    list.push({ label: "slow steps (3× the median or more)", kind: "points", unit: "s", raw: true, points: 0, x: Float64Array.from(sorted, (one) => one.step), y: Float64Array.from(sorted, (one) => number(one.seconds)), colour: "--warning", dash: [] });
  }
  return list;
}

function sentence(data) {
  const columns = data.raw ? "" : `, minimum and maximum of ${format.several(data.x.length, "column")}`;
  return `${format.several(data.steps, "step")}${columns}`;
}
