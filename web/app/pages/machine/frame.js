// The time frame: the span of time that all charts of the page show. The address holds it; without one it is the whole run.
import { useKeys } from "../../core/keys.js";

const narrowest = 0.2; // seconds

// useFrame is the frame and what changes it. whole is [from, to] in seconds since 1970.
export function useFrame(route, whole) {
  const asked = [Number(route.get("from", NaN)), Number(route.get("to", NaN))];
  const fixed = !(asked[0] < asked[1]) || asked[0] >= whole[1] || asked[1] <= whole[0];
  const view = fixed ? whole : asked;
  const write = (value) => Math.round(value * 1000) / 1000;
  const change = (next, how) => route[how](next ? { from: write(next[0]), to: write(next[1]) } : { from: null, to: null });

  // within keeps a frame in the run; one that is all of it is the whole.
  const within = ([from, to]) => {
    const width = Math.min(Math.max(to - from, narrowest), whole[1] - whole[0]);
    if (width >= (whole[1] - whole[0]) * 0.999) return null;
    const middle = (from + to) / 2;
    const start = Math.max(whole[0], Math.min(middle - width / 2, whole[1] - width));
    return [start, start + width];
  };
  const frame = {
    view, fixed, whole,
    zoom(factor) {
      const middle = (view[0] + view[1]) / 2;
      const half = ((view[1] - view[0]) * factor) / 2;
      change(within([middle - half, middle + half]), "push");
    },
    pan(share) {
      const by = (view[1] - view[0]) * share;
      change(fixed ? null : within([view[0] + by, view[1] + by]), "set");
    },
    show: (next) => change(next && within(next), "push"),
    // follow is what charts call while they are dragged or zoomed.
    follow: (next) => change(next && within(next), "set"),
    reset: () => change(null, "push"),
    // hold keeps the frame that is shown, also while the run goes on.
    hold: () => change(view, "push"),
  };
  useKeys("Time frame", [
    ["+", "zoom in", () => frame.zoom(0.5)], ["=", "", () => frame.zoom(0.5)], ["-", "zoom out", () => frame.zoom(2)],
    [",", "pan left", () => frame.pan(-0.25)], [".", "pan right", () => frame.pan(0.25)], ["0", "the whole run", () => frame.reset()],
  ]);
  return frame;
}

// seconds since 1970 of a time of the API.
export const at = (time) => Date.parse(time) / 1000;
// moment is the opposite, for queries.
export const moment = (seconds) => new Date(Math.round(seconds * 1000)).toISOString();
