// The series that one chart needs, asked for while it is seen.

import { useLayoutEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { forget, nextFrame } from "../../core/tick.js";

const moment = 25; // milliseconds

// useSeries asks for series of runs: {got(run, s), errors, loading, version, limit}.
// While another view is read, what was there stays, so that nothing flickers.
export function useSeries({ loader, tails, runs, needs, view, when, turn }) {
  const results = useRef(new Map());
  const [state, set] = useState({ version: 0, waiting: 0, of: "" });
  const failed = useRef(new Map());
  const of = `${view.axis}\t${runs.join("\n")}\t${needs.join("\n")}`;
  const settled = useMemo(() => view, [view.axis, view.from, view.to, view.columns]);

  // What was read on another axis, or of a run that is not compared any more, goes.
  const axis = useRef(view.axis);
  useLayoutEffect(() => {
    const same = axis.current === view.axis;
    axis.current = view.axis;
    failed.current = new Map();
    const kept = new Set(same ? runs.flatMap((run) => needs.map((s) => `${run}\n${s}`)) : []);
    for (const key of results.current.keys()) if (!kept.has(key)) results.current.delete(key);
  }, [of]);

  useLayoutEffect(() => {
    if (!when || !needs.length) return undefined;
    let waiting = runs.length * needs.length;
    let given = false;
    const update = () => !given && set((old) => ({ version: old.version + 1, waiting, of }));
    const cancels = [];
    const take = (key, s) => (series, error) => {
      waiting--;
      if (series) {
        results.current.set(key, series);
        failed.current.delete(key);
        tails?.read(s, series);
      } else failed.current.set(key, error);
      nextFrame(update);
    };
    const ask = () => {
      for (const run of runs) for (const s of needs) cancels.push(loader.want(run, s, settled, take(`${run}\n${s}`, s)));
    };
    // While a chart is dragged or zoomed by the wheel, not every moment is asked for.
    const timer = results.current.size ? setTimeout(ask, moment) : ask();
    return () => {
      given = true;
      clearTimeout(timer);
      forget(update);
      for (const cancel of cancels) cancel();
    };
  }, [of, settled, when, turn, loader]);

  const got = (run, s) => {
    const series = results.current.get(`${run}\n${s}`) ?? null;
    return tails && series ? tails.joined(s, series) : series;
  };
  const limit = () => {
    let [from, to] = [Infinity, -Infinity];
    for (const { first, last } of results.current.values()) {
      if (Number.isFinite(first)) from = Math.min(from, first);
      if (Number.isFinite(last)) to = Math.max(to, last);
    }
    return from < to ? [from, to] : undefined;
  };
  const errors = [...new Map([...failed.current.values()].map((e) => [e.message, e])).values()];
  return { got, errors, loading: state.of !== of || state.waiting > 0, version: state.version, limit };
}
