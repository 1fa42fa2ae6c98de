// The keys of a chart.
import { route } from "../../core/router.js";
import { middles, nearest, span } from "./values.js";

// steer does what a key says and answers whether it did.
export function steer(event, { plot, point, markAt, toggleTable, toggleLog, reset, series }) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === "t") return toggleTable() ?? true;
  if (!plot) return false;
  const { u } = plot;
  const at = point.value.x;
  const { min, max } = u.scales.x;
  const most = series.reduce((best, one) => (one.x.length > best.x.length ? one : best), series[0]);
  const longest = middles(most.x, most.xLast);
  const put = (x) => {
    plot.put(x);
    const left = u.valToPos(x, "x");
    plot.on.point(x, left, u.over.clientHeight / 3, true);
    point.value = { ...point.value, spoken: true };
    plot.announce(x);
    return true;
  };
  const step = (by) => {
    const i = at === null ? nearest(longest, by > 0 ? min : max) : nearest(longest, at) + by;
    const x = longest[Math.max(0, Math.min(longest.length - 1, i))];
    if (x < min || x > max) plot.on.zoom(plot.within([x - (max - min) / 2, x + (max - min) / 2]));
    return put(x);
  };
  const marks = plot.placed.map(({ mark }) => mark.x).sort((a, b) => a - b);
  switch (event.key) {
    case "ArrowRight": return step(event.shiftKey ? 10 : 1);
    case "ArrowLeft": return step(event.shiftKey ? -10 : -1);
    case "Home": return put(Math.max(min, span(series)[0]));
    case "End": return put(Math.min(max, span(series)[1]));
    case "+": case "=": return plot.zoom(0.5, at ?? undefined) ?? true;
    case "-": case "\u2212": return plot.zoom(2, at ?? undefined) ?? true;
    case "0": return reset() ?? true;
    case "l": return toggleLog() ?? true;
    case "]": return marks.some((x) => x > (at ?? -Infinity)) && put(marks.find((x) => x > (at ?? -Infinity)));
    case "[": return marks.some((x) => x < (at ?? Infinity)) && put(marks.findLast((x) => x < (at ?? Infinity)));
    case "Enter": {
      const mark = at === null ? null : markAt(plot, u.valToPos(at, "x"));
      return mark?.href ? route.follow(mark.href) ?? true : false;
    }
    case "Escape":
      if (at === null) return false;
      plot.put(null);
      point.value = { x: null };
      plot.announce(null);
      return true;
    default: return false;
  }
}
