// The end of what the job printed, or the exception that ended it.
import { html, useEffect, useRef } from "../../vendor/preact.js";
import { useGet } from "../../core/use.js";
import { Text } from "../../parts/code.js";
import { Empty } from "../../parts/empty.js";

export function Output({ run, which }) {
  const { describe } = run;
  const title = which === "traceback" ? "Traceback" : "Last output";
  const stored = which === "traceback" ? describe.traceback : describe.last_output;
  const of = useGet(run.live && which === "output" && stored ? run.path("logs") : null, { which, tail: 8192 }, { every: 2000 });
  const text = whole(of.data ?? { text: stored, from: which === "output" && stored.length > 8000 ? 1 : 0 });
  const box = useRef(null);
  // What came last is in sight, unless the reader has scrolled up.
  const low = useRef(true);
  useEffect(() => {
    const pre = box.current?.querySelector("pre");
    if (pre && low.current) pre.scrollTop = pre.scrollHeight;
  }, [text]);
  const scrolled = (event) => {
    const { scrollTop, scrollHeight, clientHeight } = event.target;
    low.current = scrollTop + clientHeight > scrollHeight - 8;
  };
  return html`<section class="card" aria-labelledby=${which}>
    <header><h2 id=${which}>${title}</h2>${text && html`<a class="button plain small" href=${run.url("files", "logs", `${which}.log`)} download>Whole log</a>`}</header>
    <div class="body flush" ref=${box} onScrollCapture=${scrolled}>${text ? html`<${Text} text=${text} label=${title} height=${320} />`
      : html`<${Empty} compact command="vigil run --keep-output -- python train.py">What the job printed was not kept.<//>`}</div>
  </section>`;
}

// whole is a piece of a log without the line that it begins in the middle of.
function whole({ text, from }) {
  const first = text.indexOf("\n");
  return (from > 0 && first >= 0 ? text.slice(first + 1) : text).trimEnd();
}
