// The time page: where the time of a run went, step by step, rank by rank, and in which lines of code.
import { html } from "../../vendor/preact.js";
import { useGet } from "../../core/use.js";
import { Boundary } from "../../parts/boundary.js";
import { Answer, Empty } from "../../parts/empty.js";
import { Code } from "./code.js";
import { Loaders } from "./loaders.js";
import { Ranks } from "./ranks.js";
import { Spent } from "./spent.js";
import { Steps } from "./steps.js";
import { command, going } from "./words.js";

export function Page({ run, route }) {
  const every = going(run) ? 3000 : 0;
  const time = useGet(run.path("time"), {}, { every });
  return html`<div class="stack time">
    <h1 class="sr">Time</h1>
    <${Answer} of=${time} what="Where the time went could not be read.">${(data) => html`
      ${data.known
        ? html`<${Boundary} what="The shares of the time"><${Spent} run=${run} data=${data} /><//>
          <${Boundary} what="The length of steps"><${Steps} run=${run} route=${route} data=${data} every=${every} /><//>
          ${data.workers.length > 1 && html`<${Boundary} what="The ranks"><${Ranks} run=${run} route=${route} data=${data} every=${every} /><//>`}`
        : html`<div class="card"><${Empty} command=${`vigil run -- ${command(run)}`}>${going(run) ? "No step has closed yet. Where its time went is recorded by default as soon as one does." : "Nothing is known of the time of its steps. It is recorded by default when a training runs under Vigil."}<//></div>`}
      <${Boundary} what="Where the code stood"><${Code} run=${run} route=${route} data=${data} /><//>
      <${Boundary} what="The loaders"><${Loaders} run=${run} data=${data} /><//>`}<//>
  </div>`;
}
