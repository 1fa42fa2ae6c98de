// What the charts of the page have in common: one range where that is wanted, and
// which series are seen now.

import { signal } from "../../vendor/preact.js";
import { roomy } from "../../parts/chart/values.js";
import { nextFrame } from "../../core/tick.js";

export class Shared {
  constructor() {
    this.own = new Map();
    this.range = signal({ x: null, y: null });
    this.log = false;
    this.join = this.join.bind(this);
  }

  // tell takes the range of a chart, {x: [from, to], y: [low, high]}, or null when it goes.
  tell(key, own) {
    if (own) this.own.set(key, own);
    else this.own.delete(key);
    nextFrame(this.join);
  }

  join() {
    const [x, y] = ["x", "y"].map((axis) => {
      let [low, high] = [Infinity, -Infinity];
      for (const own of this.own.values()) {
        if (!own[axis]) continue;
        low = Math.min(low, own[axis][0]);
        high = Math.max(high, own[axis][1]);
      }
      return low <= high ? [low, high] : null;
    });
    const next = { x, y: y && roomy(y, this.log) };
    if (JSON.stringify(next) !== JSON.stringify(this.range.peek())) this.range.value = next;
  }
}

// Watched knows which series are seen, so that the stream sends their points.
export class Watched {
  constructor(most = 64) {
    this.most = most;
    this.charts = new Map();
    this.series = signal([]);
    this.timer = 0;
  }

  // watch is called when a chart comes into sight; the answer, when it goes. gone(s)
  // is called for each series that no chart shows any more.
  watch(needs, gone) {
    const entry = {};
    this.charts.set(entry, needs);
    this.soon();
    return () => {
      this.charts.delete(entry);
      this.soon();
      const left = new Set([...this.charts.values()].flat());
      for (const s of needs) if (!left.has(s)) gone?.(s);
    };
  }

  // soon waits until scrolling rests: each change is a new request.
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const next = [...new Set([...this.charts.values()].flat())].sort().slice(0, this.most);
      if (next.join("\n") !== this.series.peek().join("\n")) this.series.value = next;
    }, 300);
  }
}
