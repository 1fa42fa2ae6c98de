// The lines in which the time went: of the user's own code, each with all that it called, where there was any.
import { html } from "../../vendor/preact.js";
import { number } from "../../core/api.js";
import * as format from "../../core/format.js";

const few = 12;

export function Lines({ data, minus }) {
  return html`<div class="stack tight"><h3>${minus ? "Lines whose share changed most" : "Lines in which the time went"}</h3>
    <div class="scroll"><table class="plain code-lines">
      <thead><tr><th scope="col" class="n">Share</th>${minus > 0 && html`<th scope="col" class="n">Window ${minus}</th><th scope="col" class="n">Change</th>`}<th scope="col"><span class="sr">Bar</span></th><th scope="col">Line</th><th scope="col">Function</th></tr></thead>
      <tbody>${data.lines.slice(0, few).map((one, i) => {
        const share = number(one.share);
        const change = share - number(one.before);
        return html`<tr key=${i}><td class="n">${format.percent(share)}</td>
          ${minus > 0 && html`<td class="n quiet">${format.percent(number(one.before))}</td><td class="n"><span class=${`severity plain ${change > 0.005 ? "warning" : change < -0.005 ? "ok" : "idle"}`}>${change > 0 ? "+" : ""}${format.percent(change)}</span></td>`}
          <td class="code-share"><span ref=${(node) => node?.style.setProperty("width", `${share * 100}%`)}></span></td>
          <td class="mono said">${short(one.file)}:${one.line}</td><td class="mono said quiet" title=${one.file}>${one.function}</td></tr>`;
      })}</tbody></table></div></div>`;
}

const short = (file) => file.split("/").slice(-2).join("/");
