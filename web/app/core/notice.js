// New findings are shown where the reader is not looking at the page: in the tab's title, and as a notification if allowed.
import { computed, effect, signal } from "../vendor/preact.js";
import { several } from "./format.js";
import { kept, keep } from "./kept.js";

export const title = signal("Vigil");
export const unseen = signal(0);
export const wanted = signal(Boolean(kept("notify")) && globalThis.Notification?.permission === "granted");

effect(() => {
  document.title = (unseen.value ? `(${unseen.value} new) ` : "") + title.value;
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) unseen.value = 0;
});

// possible says whether this browser can show notifications here.
export const possible = computed(() => "Notification" in globalThis && Notification.permission !== "denied");

// allow asks the browser for permission, or gives it back.
export async function allow(yes) {
  wanted.value = yes && (await Notification.requestPermission()) === "granted";
  keep("notify", wanted.value || null);
  return wanted.value;
}

// found tells of new findings of a run.
export function found(run, findings, open) {
  if (!findings.length || !document.hidden) return;
  unseen.value += findings.length;
  if (!wanted.value) return;
  try {
    const note = new Notification(findings.length === 1 ? findings[0].message || findings[0].rule : several(findings.length, "new finding"), { body: run, tag: `vigil-${run}` });
    note.onclick = () => {
      window.focus();
      open();
      note.close();
    };
  } catch { /* some browsers have it only in service workers */ }
}
