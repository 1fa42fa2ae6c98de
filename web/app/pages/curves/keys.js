// The keys of the page.

import { axes } from "./settings.js";

const smoothings = [0, 0.3, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999];

// pageKeys are the keys with what they do: [[key, words, function]].
export function pageKeys(page, field) {
  const { settings, set, runs } = page;
  const there = axes.filter((a) => a.name !== "epoch" || page.epochs);
  const smoother = (by) => {
    const at = smoothings.findIndex((w) => w >= settings.smoothing);
    const i = by > 0 && smoothings[at] > settings.smoothing ? at : at + by;
    set({ smoothing: smoothings[Math.max(0, Math.min(smoothings.length - 1, i))] });
  };
  const next = (by) => {
    const shown = runs.filter((r) => !r.hidden);
    if (!shown.length) return;
    const at = shown.findIndex((r) => r.name === settings.picked);
    page.pick(shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : (at + by + shown.length) % shown.length].name);
  };
  return [
    ["/", "search the curves", () => field.current?.focus()],
    ["a", "next horizontal axis", () => set({ axis: there[(there.findIndex((a) => a.name === settings.axis) + 1) % there.length].name })],
    [".", "smooth more", () => smoother(1)],
    [",", "smooth less", () => smoother(-1)],
    ["y", "logarithmic values", () => set({ logY: !settings.logY })],
    ["r", "one range for all charts", () => set({ oneRange: !settings.oneRange })],
    ["0", "show all steps", () => set({ zoom: null })],
    ["e", "add a chart of an expression or a pattern", () => page.compose(null)],
    ...(runs.length > 1
      ? [
          ["n", "pick the next run", () => next(1)],
          ["p", "pick the run before", () => next(-1)],
          ["Escape", "pick no run", () => page.pick("")],
        ]
      : []),
    ...(settings.large ? [["Backspace", "back to all charts", () => page.enlarge("")]] : []),
  ];
}
