import { html } from "../../vendor/preact.js";

export function Page() {
  return html`<h1>Findings</h1>`;
}
