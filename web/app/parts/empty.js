// What stands where there is nothing (yet): no data, an error, or a wait.
import { html, useEffect, useState } from "../vendor/preact.js";
import { toast } from "../core/toast.js";
import { Icon } from "./icon.js";

// Empty says in one sentence that there are no data, and names the command that brings them.
// <Empty command="vigil run --collect weights ...">No weights were captured.<//>
export function Empty({ children, command, icon = "idle", compact = false }) {
  return html`<div class=${`empty ${compact ? "compact" : ""}`}>
    <${Icon} name=${icon} size=${20} />
    <p>${children}</p>
    ${command && html`<${Command} text=${command} />`}
  </div>`;
}

// Command is a command to copy.
export function Command({ text }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast("Copied.");
    } catch {
      toast("The browser does not allow copying here. Select the text instead.", { kind: "warning" });
    }
  };
  return html`<span class="command"><code>${text}</code><button type="button" class="button plain small icon" aria-label="Copy the command" title="Copy" onClick=${copy}><${Icon} name="copy" size=${14} /></button></span>`;
}

// Failed says what went wrong and lets it be tried again.
export function Failed({ error, what, again, compact = false }) {
  return html`<div class=${`empty failed ${compact ? "compact" : ""}`} role="alert">
    <${Icon} name="error" size=${20} />
    <p>${what && html`<strong>${what} </strong>`}<span class="said">${error?.message ?? String(error)}</span></p>
    ${again && html`<button type="button" class="button small" onClick=${again}>Try again</button>`}
  </div>`;
}

// Loading appears only after a moment, so that what comes at once does not flicker.
export function Loading({ children = "Loading", compact = false }) {
  const [late, set] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => set(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return html`<div class=${`empty loading ${compact ? "compact" : ""}`} role="status" aria-busy="true">${late && html`<span class="pulse" aria-hidden="true"></span><p>${children} …</p>`}</div>`;
}

// Answer shows what an answer of useGet stands for: its wait, its error, or children(data).
// <Answer of=${useGet(...)}>${(data) => html`...`}<//>
export function Answer({ of, children, what, compact }) {
  if (of.data !== undefined) return children(of.data);
  if (of.error) return html`<${Failed} error=${of.error} what=${what} again=${of.reload} compact=${compact} />`;
  return html`<${Loading} compact=${compact} />`;
}
