// Short messages at the edge of the page: what was done, and what could not be done.
import { signal } from "../vendor/preact.js";

export const toasts = signal([]);
let number = 0;

// toast shows a message. kind: "ok", "info", "warning", "error". action: {label, run}. Errors stay until they are closed.
export function toast(text, { kind = "info", action = null, seconds = kind === "error" ? 0 : 5 } = {}) {
  const id = ++number;
  toasts.value = [...toasts.value.filter((one) => one.text !== text), { id, text, kind, action }].slice(-4);
  if (seconds) setTimeout(() => dismiss(id), seconds * 1000);
  return id;
}

export const dismiss = (id) => {
  toasts.value = toasts.value.filter((one) => one.id !== id);
};

// attempt does something that may fail and says how it went: await attempt(() => api.post(...), "The run is stopped.").
export async function attempt(work, done) {
  try {
    const result = await work();
    if (done) toast(typeof done === "function" ? done(result) : done, { kind: "ok" });
    return result;
  } catch (error) {
    toast(error.message, { kind: "error" });
    return undefined;
  }
}
