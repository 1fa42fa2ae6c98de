// Where the time of the last steps went, step by step, and what the machine did meanwhile.
import { html, useMemo, useState } from "../../vendor/preact.js";
import { number, numbers } from "../../core/api.js";
import * as format from "../../core/format.js";
import { useGet, useLatest } from "../../core/use.js";
import { Chart } from "../../parts/chart.js";
import { Empty } from "../../parts/empty.js";
import { moment } from "./frame.js";
import { stacked } from "./stacked.js";

const axis = { kind: "step" };
const seconds = { unit: "s", zero: true, size: 64 };
const percent = { unit: "%", range: [0, 100], size: 64 };
const tokens = { CPU: "--series-1", "I/O wait": "--series-2", GPU: "--series-3" };

export function LastSteps({ run, frame, every }) {
  const [here, setHere] = useState(false);
  const before = useLatest(here && !frame.fixed ? moment(frame.view[1]) : "");
  const answer = useGet(run.path("metrics", "phases"), { last: 30, before }, { every });
  const data = answer.data;
  const bars = useMemo(() => (data?.steps.length ? stacked(data.parts, data.steps.map((one) => one.step), data.steps.map((one) => one.step + one.steps), (part, i) => (number(data.steps[i].parts[part] ?? 0) || 0) / data.steps[i].steps) : []), [data]);
  const uses = useMemo(() => (data?.steps.length ? data.metrics.map((one) => ({ label: one.name, unit: "%", x: Float64Array.from(data.steps, (step) => step.step + step.steps / 2), y: numbers(one.values), colour: tokens[one.name], dash: [], kind: "steps" })) : []), [data]);
  const view = useMemo(() => (data?.steps.length ? [data.steps[0].step, data.steps.at(-1).step + data.steps.at(-1).steps] : null), [data]);
  return html`<section class="card" aria-labelledby="last-title">
    <header><h2 id="last-title">The last ${format.several(data?.steps.length || 30, "step")} against the metrics</h2>
      <label class="check" title="Those that closed before the end of the time frame, rather than the last of the run"><input type="checkbox" checked=${here} onChange=${(event) => setHere(event.target.checked)} />only those before the end of the frame</label></header>
    <div class="body last-steps">
      ${data && !data.steps.length
        ? html`<${Empty} compact command=${`vigil run -- ${run.describe.run.command?.join(" ") ?? "python train.py"}`}>Nothing is known of single training steps${here && !frame.fixed ? " before this time" : ""}. Their parts are recorded by default when a training runs under Vigil.<//>`
        : html`<${Chart} title=${`Parts of each step${data ? ` of ${data.worker}` : ""}`} series=${bars} x=${axis} y=${seconds} height=${170} range=${view} limit=${view} group="last-steps" loading=${answer.loading && !data} error=${answer.error} retry=${answer.reload} caption=${false} />
          <${Chart} title=${`Meanwhile on ${data?.host ?? "the machine"}`} series=${uses} x=${axis} y=${percent} height=${110} range=${view} limit=${view} group="last-steps" loading=${answer.loading && !data} caption=${false}
            empty="Nothing of the machine was sampled during these steps." command=${`vigil plan ${run.name} --monitor 500`} />`}
      ${data?.steps.length > 0 && html`<p class="faint small">Steps ${format.count(data.steps[0].step)} to ${format.count(data.steps.at(-1).step)}, ${format.clock(data.steps[0].from)} to ${format.clock(data.steps.at(-1).to)}${data.steps.some((one) => one.steps > 1) ? "; a bar of several short steps is their mean" : ""}. A step shorter than the time between two samples has the value of the nearest one.</p>`}
    </div>
  </section>`;
}
