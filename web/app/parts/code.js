// Lines of a script around one that matters, and the difference of two versions: as text, never as markup.
import { html } from "../vendor/preact.js";
import { toast } from "../core/toast.js";
import { Icon } from "./icon.js";

// Source shows text (lines) that begins at line first; line is the one that matters.
export function Source({ file, text, first = 1, line }) {
  return html`<figure class="code"><figcaption class="code-head"><${File} file=${file} line=${line} /></figcaption>
    <pre tabindex="0" aria-label=${`${file ?? "Source"}, line ${line}`}>${text.replace(/\n$/, "").split("\n").map((one, i) => html`<span class=${`code-line ${first + i === line ? "here" : ""}`} key=${i} aria-current=${first + i === line ? "true" : null}><span class="code-number" aria-hidden="true">${first + i}</span><span class="said">${one || " "}</span></span>`)}</pre></figure>`;
}

// Diff shows a unified diff: what comes, what goes, what stays, each with its sign.
export function Diff({ file, diff }) {
  const kind = (line) => (/^(\+\+\+|---|diff |index )/.test(line) ? "name" : line.startsWith("@@") ? "place" : line.startsWith("+") ? "comes" : line.startsWith("-") ? "goes" : "stays");
  return html`<figure class="code"><figcaption class="code-head"><${File} file=${file ?? "Suggested edit"} /><${Copy} text=${diff} what="the diff" /></figcaption>
    <pre tabindex="0" aria-label="Suggested edit">${diff.replace(/\n$/, "").split("\n").map((line, i) => html`<span class=${`code-line ${kind(line)}`} key=${i}><span class="said">${line || " "}</span></span>`)}</pre></figure>`;
}

// Text is output or a log: long lines wrap, colour codes of terminals are left out. It can be scrolled by keys.
export const Text = ({ text, label, height = 320 }) => html`<pre class="code output said" tabindex="0" role="log" aria-label=${label} ref=${(node) => node?.style.setProperty("max-height", `${height}px`)}>${plain(text)}</pre>`;

// plain leaves out control sequences of terminals and carriage returns that overwrite a line.
export const plain = (text) => text.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g, "").replace(/[^\n]*\r(?!\n)/g, "").replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");

function File({ file, line }) {
  if (!file) return html`<span class="quiet grow">Source</span>`;
  return html`<span class="mono said grow">${file}${line ? `:${line}` : ""}</span>${line && html`<${Copy} text=${`${file}:${line}`} what="the place" />`}`;
}

export function Copy({ text, what = "it" }) {
  const copy = () => navigator.clipboard.writeText(text).then(() => toast("Copied."), () => toast("The browser does not allow copying here. Select the text instead.", { kind: "warning" }));
  return html`<button type="button" class="button plain small icon" aria-label=${`Copy ${what}`} title=${`Copy ${what}`} onClick=${copy}><${Icon} name="copy" size=${14} /></button>`;
}
