// Sentences of Vigil in which names stand between backquotes, as code.
import { html } from "../vendor/preact.js";

// Prose: <Prose text="The gradient of `fc1.weight` vanishes." />
export function Prose({ text }) {
  const parts = String(text ?? "").split("`");
  if (parts.length % 2 === 0) return html`<span class="said">${text}</span>`; // one without its fellow
  return html`<span class="said">${parts.map((part, i) => (i % 2 ? html`<code key=${i}>${part}</code>` : part))}</span>`;
}
