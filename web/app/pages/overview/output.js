// The end of what the job printed, or the exception that ended it.
import { html } from "../../vendor/preact.js";
import { Text } from "../../parts/code.js";
import { Empty } from "../../parts/empty.js";

export function Output({ run, which }) {
  const { describe } = run;
  const text = which === "traceback" ? describe.traceback : describe.last_output;
  const title = which === "traceback" ? "Traceback" : "Last output";
  return html`<section class="card" aria-labelledby=${which}>
    <header><h2 id=${which}>${title}</h2>${text && html`<a class="button plain small" href=${run.url("files", "logs", `${which}.log`)} download>Whole log</a>`}</header>
    <div class="body flush">${text ? html`<${Text} text=${text} label=${title} height=${320} />`
      : html`<${Empty} compact command="vigil run --keep-output -- python train.py">What the job printed was not kept.<//>`}</div>
  </section>`;
}
