// Messages above the page: notices that stay, toasts that go.
import { html, useState } from "../vendor/preact.js";
import { newer, server, trouble } from "../core/server.js";
import { dismiss, toasts } from "../core/toast.js";
import { Icon } from "../parts/icon.js";

export function Notices() {
  const [later, setLater] = useState(null);
  if (trouble.value === "refused") return html`<div class="notice warning" role="status"><${Icon} name="warning" /> <span>The server was started anew and does not know this browser. Open the address that <code>vigil ui</code> printed.</span></div>`;
  if (trouble.value === "unreachable") return html`<div class="notice warning" role="status"><${Icon} name="warning" /> <span>The server does not answer. What is shown may be old; the page goes on by itself when <code>vigil ui</code> runs again.</span></div>`;
  if (newer.value && later !== server.value.app) {
    return html`<div class="notice info" role="status"><${Icon} name="info" /> <span>The server is newer than this page.</span>
      <button type="button" class="button small" onClick=${() => location.reload()}>Reload</button>
      <button type="button" class="button small plain" onClick=${() => setLater(server.value.app)}>Later</button></div>`;
  }
  return null;
}

export function Toasts() {
  return html`<div class="toasts" aria-live="polite">${toasts.value.map(({ id, text, kind, action }) => html`<div key=${id} class=${`toast ${kind}`} role=${kind === "error" ? "alert" : null}>
    <${Icon} name=${kind} /><span class="grow said">${text}</span>
    ${action && html`<button type="button" class="button small" onClick=${() => { dismiss(id); action.run(); }}>${action.label}</button>`}
    <button type="button" class="button plain small icon" aria-label="Close" onClick=${() => dismiss(id)}><${Icon} name="close" size=${14} /></button>
  </div>`)}</div>`;
}
