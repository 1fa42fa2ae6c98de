// One uPlot: it has the axes, the cursor and the selection; what is drawn in it is painted by paint.js and marks.js.
import uPlot from "../../vendor/uplot.js";
import { forget, nextFrame } from "../../core/tick.js";
import { axes } from "./axes.js";
import { paintBehind, paintMarks } from "./marks.js";
import { paintSeries } from "./paint.js";
import { join, tell } from "./sync.js";
import { extent, roomy, span } from "./values.js";

// Plot draws state into element. state() gives what is to be drawn at this moment:
//   {series, hidden, strong, marks, regions, lines, x: {kind}, y: {unit, log, range, zero, clip}, view: [from, to] or null, height, group, bare}
// on: zoom(range or null), point(x or null, left, top), pick(event), drawn(facts).
export class Plot {
  constructor(element, state, on) {
    this.state = state;
    this.on = on;
    this.placed = [];
    this.inside = false;
    this.at = null;
    this.redraw = this.redraw.bind(this);
    this.measure();
    const { x, y, height, group, bare } = state();
    this.made = `${x.kind}|${x.log}|${y.unit}|${y.log}|${bare}`;
    this.width = Math.max(60, element.clientWidth);
    this.u = new uPlot({
      width: this.width, height, padding: bare ? [2, 0, 2, 0] : [10, x.kind === "time" || x.kind === "relative" ? 32 : 18, 0, 0], legend: { show: false }, pxAlign: 1,
      scales: {
        x: { time: x.kind === "time", auto: false, distr: x.log ? 3 : 1, range: () => this.ranges.x },
        y: { auto: false, distr: y.log ? 3 : 1, log: 10, range: () => this.ranges.y },
      },
      series: [{}, { scale: "y", auto: false, show: true, paths: () => null, points: { show: false } }],
      axes: axes({ kind: x.kind, unit: y.unit, bare, room: y.size, logX: x.log, logY: y.log }),
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 4 }, bind: { mousedown: (u, target, handler) => (event) => (event.shiftKey ? null : handler(event)), dblclick: () => () => on.zoom(null) } },
      hooks: {
        drawAxes: [(u) => paintBehind(u, this.state().regions, this.state().lines)],
        draw: [(u) => this.paint(u)],
        setSelect: [(u) => this.selected(u)],
        setCursor: [(u) => this.moved(u)],
      },
    }, [[0, 1], [null, null]], element);
    // uPlot tells of the cursor at each drawing too: only the chart under the pointer leads.
    this.u.over.addEventListener("mousemove", () => (this.inside = true), { capture: true });
    this.u.over.addEventListener("mouseleave", () => this.left());
    this.u.over.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.u.over.addEventListener("mousedown", (event) => event.shiftKey && event.button === 0 && this.pan(event));
    this.u.over.addEventListener("click", (event) => on.pick?.(event));
    this.leave = group ? join(group, this) : null;
    // It is painted once, when what made it is done.
    this.scale();
    this.fresh = true;
    queueMicrotask(() => (this.fresh = false));
  }

  // measure looks through the values once for each drawing; uPlot asks several times.
  measure() {
    this.ranges = { x: this.range("x"), y: this.range("y") };
  }

  // range is what an axis shows: the view or all of x; of y what is seen in it.
  range(key) {
    const { series, hidden, view, x, y } = this.state();
    const seen = series.filter((one) => !hidden.has(one.label));
    const all = span(seen.length ? seen : series) ?? [0, 1];
    if (key === "x") {
      const [from, to] = view ?? all;
      if (x.log) return [Math.max(from, to * 1e-9, 1e-12), Math.max(to, 1e-9)];
      return from === to ? [from - 0.5, to + 0.5] : [from, to];
    }
    if (y.range) return y.range;
    let found = extent(seen, view ?? all, { positive: y.log, clip: y.clip }) ?? (y.log ? [0.1, 1] : [0, 1]);
    if (y.zero && !y.log) found = [Math.min(0, found[0]), Math.max(0, found[1])];
    return roomy(found, y.log);
  }

  // ask has it drawn in the next frame.
  ask() {
    if (!this.fresh) nextFrame(this.redraw);
  }

  redraw() {
    this.measure();
    this.u.batch(() => this.scale());
    if (!this.inside && this.at !== null) this.put(this.at);
  }

  scale() {
    for (const key of ["x", "y"]) this.u.setScale(key, { min: this.ranges[key][0], max: this.ranges[key][1] });
  }

  paint(u) {
    const state = this.state();
    paintSeries(u, state.series, state);
    this.placed = state.bare ? [] : paintMarks(u, state.marks ?? []);
    this.on.drawn?.(u);
  }

  resize(width, height) {
    if (width < 1 || (width === this.u.width && height === this.u.height)) return;
    this.u.setSize({ width, height });
  }

  selected(u) {
    const { left, width } = u.select;
    if (width < 4) return;
    u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
    this.on.zoom([u.posToVal(left, "x"), u.posToVal(left + width, "x")]);
  }

  moved(u) {
    if (!this.inside) return;
    const { left, top } = u.cursor;
    const x = left >= 0 ? u.posToVal(left, "x") : null;
    this.on.point(x, left, top, true);
    this.announce(x);
  }

  left() {
    this.inside = false;
    this.put(null);
    this.on.point(null, -1, -1, false);
    this.announce(null);
  }

  // announce tells the other charts of the group where the cursor is.
  announce(x) {
    tell(this.state().group, this, x);
  }

  // follow puts the cursor where another chart of the group has it.
  follow(x) {
    this.put(x);
    const left = x === null ? -1 : this.u.valToPos(x, "x");
    this.on.point(x, left, -1, false);
  }

  // put moves the line of the cursor, without telling anybody.
  put(x) {
    this.at = x;
    const left = x === null ? -10 : this.u.valToPos(x, "x");
    const inside = left >= 0 && left <= this.u.over.clientWidth + 1;
    this.u.setCursor({ left: inside ? left : -10, top: inside ? 0 : -10 }, false);
  }

  // zoom by a factor around x (by default the middle).
  zoom(factor, around) {
    const { min, max } = this.u.scales.x;
    const at = around ?? (min + max) / 2;
    this.on.zoom(this.within([at - (at - min) * factor, at + (max - at) * factor]));
  }

  // move shifts the view by a share of its width.
  move(share) {
    const { min, max } = this.u.scales.x;
    const by = (max - min) * share;
    this.on.zoom(this.within([min + by, max + by]));
  }

  // within keeps a view in the data; a view of all is null.
  within([from, to]) {
    const all = span(this.state().series);
    const limit = this.state().limit ?? all;
    if (!limit) return null;
    const width = Math.min(to - from, limit[1] - limit[0]);
    if (width >= (limit[1] - limit[0]) * 0.999) return null;
    const start = Math.max(limit[0], Math.min(from, limit[1] - width));
    return [start, start + width];
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left } = this.u.over.getBoundingClientRect();
    this.zoom(1.0015 ** Math.max(-400, Math.min(400, event.deltaY)), this.u.posToVal(event.clientX - left, "x"));
  }

  pan(event) {
    event.preventDefault();
    const { min, max } = this.u.scales.x;
    const start = event.clientX;
    const width = this.u.over.clientWidth;
    const move = (event) => {
      const by = ((start - event.clientX) / width) * (max - min);
      this.on.zoom(this.within([min + by, max + by]));
    };
    const up = () => {
      removeEventListener("mousemove", move);
      removeEventListener("mouseup", up);
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", up);
  }

  destroy() {
    forget(this.redraw);
    this.leave?.();
    this.u.destroy();
  }
}
