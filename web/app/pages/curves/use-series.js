// The series that one chart needs, asked for while it is seen.

import { useLayoutEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { forget, nextFrame } from "../../core/tick.js";
import { joined, viewOfNew } from "./live.js";

const moment = 25; // milliseconds

// useSeries asks for series of runs: {got(run, s), errors, loading, version, limit}.
// While another view is read, what was there stays, so that nothing flickers. growth:
// of the one run that is watched; grown changes when it has to be looked at.
export function useSeries({ loader, growth, grown, runs, needs, view, when, turn }) {
  const results = useRef(new Map());
  const parts = useRef(new Map()); // from the end of a result on
  const counted = useRef(new Map()); // how often a series had grown when it was asked for
  const [state, set] = useState({ version: 0, waiting: 0, of: "" });
  const failed = useRef(new Map());
  const of = `${view.axis}\t${runs.join("\n")}\t${needs.join("\n")}`;
  const settled = useMemo(() => view, [view.axis, view.from, view.to, view.columns]);

  // What was read on another axis, or of a run that is not compared any more, goes.
  const axis = useRef(view.axis);
  const drop = (key) => [results, parts, counted].forEach((of) => of.current.delete(key));
  useLayoutEffect(() => {
    const same = axis.current === view.axis;
    axis.current = view.axis;
    failed.current = new Map();
    const kept = new Set(same ? runs.flatMap((run) => needs.map((s) => `${run}\n${s}`)) : []);
    for (const key of results.current.keys()) if (!kept.has(key)) drop(key);
  }, [of]);

  useLayoutEffect(() => {
    if (!when || !needs.length) return undefined;
    let waiting = runs.length * needs.length;
    let given = false;
    const update = () => !given && set((old) => ({ version: old.version + 1, waiting, of }));
    const cancels = [];
    const take = (key) => (series, error) => {
      waiting--;
      if (series) {
        results.current.set(key, series);
        parts.current.delete(key);
        failed.current.delete(key);
      } else failed.current.set(key, error);
      nextFrame(update);
      latest.current();
    };
    const ask = () => {
      for (const run of runs) {
        for (const s of needs) {
          counted.current.set(`${run}\n${s}`, growth?.count(s) ?? 0);
          cancels.push(loader.want(run, s, settled, take(`${run}\n${s}`)));
        }
      }
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

  // look asks for what has grown: from where it ended.
  const drawn = useRef(() => {});
  drawn.current = () => set((old) => ({ ...old, version: old.version + 1 }));
  const redraw = useMemo(() => () => drawn.current(), []);
  const look = () => {
    if (!growth || !when) return;
    for (const s of needs) {
      const key = `${runs[0]}\n${s}`;
      const series = results.current.get(key);
      if (counted.current.get(key) === growth.count(s) || !(series || failed.current.has(key))) continue;
      counted.current.set(key, growth.count(s));
      const take = (answer) => {
        if (!answer) return; // what is there stays, and the next growth asks again
        results.current.set(key, answer);
        parts.current.delete(key);
        failed.current.delete(key);
        nextFrame(redraw);
      };
      const takePart = (answer) => {
        if (!answer || results.current.get(key) !== series) return;
        if (!answer.raw) return loader.want(runs[0], s, settled, take);
        parts.current.set(key, answer);
        nextFrame(redraw);
      };
      const asked = series ? viewOfNew(series, parts.current.get(key), settled) : settled;
      loader.want(runs[0], s, asked, asked === settled ? take : takePart);
    }
  };
  const latest = useRef(look);
  latest.current = look;
  useLayoutEffect(look, [grown]);
  useLayoutEffect(() => () => forget(redraw), []);

  const got = (run, s) => {
    const key = `${run}\n${s}`;
    const series = results.current.get(key) ?? null;
    return series && joined(series, parts.current.get(key));
  };
  const limit = () => {
    let [from, to] = [Infinity, -Infinity];
    for (const [key, series] of results.current) {
      const { first, last } = joined(series, parts.current.get(key));
      if (Number.isFinite(first)) from = Math.min(from, first);
      if (Number.isFinite(last)) to = Math.max(to, last);
    }
    return from < to ? [from, to] : undefined;
  };
  const errors = [...new Map([...failed.current.values()].map((e) => [e.message, e])).values()];
  return { got, errors, loading: state.of !== of || state.waiting > 0, version: state.version, limit };
}
