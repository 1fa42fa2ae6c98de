// The plot of a chart, as long as the chart is drawn.
import { effect, useLayoutEffect } from "../../vendor/preact.js";
import { nextFrame } from "../../core/tick.js";
import { theme } from "../../core/theme.js";
import { Plot } from "./plot.js";

// usePlot puts a plot into the element while drawing, and makes it again when one of the values in of changes. All else comes by refs: what is made here lives as long as
// the plot, and within Chart it would hold the series of the drawing that made it.
export function usePlot({ element, plot, state, on }, drawing, of) {
  useLayoutEffect(() => {
    if (!drawing) return undefined;
    const made = new Plot(element.current, () => state.current(), {
      zoom: (next) => on.current.zoom(next), point: (...where) => on.current.point(...where), pick: (event) => on.current.pick(event),
    });
    plot.current = made;
    const observer = new ResizeObserver(([entry]) => nextFrame(() => plot.current === made && made.resize(Math.floor(entry.contentRect.width), state.current().height)));
    observer.observe(element.current);
    const painted = effect(() => {
      theme.value;
      made.ask();
    });
    return () => {
      painted();
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [drawing, ...of]);
}
