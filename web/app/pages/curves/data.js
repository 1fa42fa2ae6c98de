// Hooks that read what the page is about: the curves of its runs, their rows of the
// list, and what is set about the page.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "../../vendor/preact.js";
import { get, patch } from "../../core/api.js";
import { nextFrame } from "../../core/tick.js";

const first = 4;
const atOnce = 4;
const later = 1500; // milliseconds
const together = 50; // names in one address

// each calls read(name) for all names, a few at a time, and done(name, answer,
// error) as the answers come. The first ones are read at once, the others later and
// one by one: runs that are compared mostly have the same curves. The answer gives up.
function each(names, read, done) {
  const control = new AbortController();
  const next = async (queue) => {
    while (queue.length && !control.signal.aborted) {
      const name = queue.shift();
      try {
        done(name, await read(name, control.signal), null);
      } catch (error) {
        if (error.name !== "AbortError") done(name, null, error);
      }
    }
  };
  const queue = names.slice(0, first);
  for (let i = 0; i < atOnce; i++) next(queue);
  const timer = setTimeout(() => next(names.slice(first)), later);
  return () => {
    clearTimeout(timer);
    control.abort();
  };
}

// useCurves reads the lists of curves: {answers, errors, waiting, reload(run)}.
// Answers come in the order of the runs, as soon as they are there; wanted is the
// run that is read first. waiting: none is there yet.
export function useCurves(names, wanted) {
  const known = useRef(new Map());
  const [state, set] = useState({ answers: [], errors: [], waiting: names.length > 0 });
  const [turn, again] = useState(0);
  const key = names.join("\n");
  useLayoutEffect(() => {
    const collect = () => {
      const all = names.map((run) => known.current.get(run));
      set({
        answers: all.filter((a) => a?.curves),
        errors: all.filter((a) => a?.error),
        waiting: all.slice(0, first).some((a) => !a),
      });
    };
    collect();
    const missing = names.filter((run) => !known.current.get(run)?.curves || known.current.get(run).stale);
    missing.sort((a, b) => (b === wanted) - (a === wanted));
    let rest = 0;
    const collectRest = () => {
      rest = 0;
      collect();
    };
    const give = each(missing, (run, signal) => get(`runs/${encodeURIComponent(run)}/curves`, {}, { signal }), (run, answer, error) => {
      if (answer || !known.current.get(run)?.curves) known.current.set(run, answer ? { run, ...answer } : { run, error });
      if (missing.indexOf(run) < first) nextFrame(collect);
      else rest ||= setTimeout(collectRest, 700);
    });
    return () => {
      clearTimeout(rest);
      give();
    };
  }, [key, turn, wanted]);
  const reload = (run) => {
    const old = known.current.get(run);
    if (old) known.current.set(run, { ...old, stale: true });
    again((n) => n + 1);
  };
  return { ...state, reload };
}

// useRows are the runs' rows of the list, by name; of one run its own row.
export function useRows(names, row) {
  const [rows, set] = useState(new Map());
  const key = names.join("\n");
  useEffect(() => {
    if (row || !names.length) return undefined;
    const control = new AbortController();
    (async () => {
      const found = new Map();
      try {
        for (let i = 0; i < names.length; i += together) {
          const answer = await get("runs", { run: names.slice(i, i + together) }, { signal: control.signal });
          for (const one of answer.runs) found.set(one.name, one);
        }
        set(found);
      } catch (error) {
        if (error.name !== "AbortError") console.error(error);
      }
    })();
    return () => control.abort();
  }, [key, Boolean(row)]);
  return useMemo(() => (row ? new Map([[names[0], row]]) : rows), [rows, row, key]);
}

// useTensorStatistics are the statistics of each tensor, read when they are needed.
export function useTensorStatistics(names, when) {
  const [found, set] = useState(null);
  const key = names.join("\n");
  useEffect(() => {
    if (!when) return undefined;
    const tensors = new Map();
    return each(names.slice(0, 8), (run, signal) => get(`runs/${encodeURIComponent(run)}/tensors`, {}, { signal }), (run, answer) => {
      for (const t of answer?.tensors ?? []) {
        const stats = t.stats.filter((s) => s !== "value");
        if (stats.length) tensors.set(t.name, [...new Set([...(tensors.get(t.name) ?? []), ...stats])]);
      }
      set({ tensors: new Map(tensors), statistics: [...new Set([...tensors.values()].flat())] });
    });
  }, [key, when]);
  return found;
}

// useSet is what is set about the page: {ui, pinned, pin(key, yes, instead)}: pinned in the place of another one where instead is given.
// run is the key of pins; several runs share "*".
export function useSet(run) {
  const [ui, set] = useState({ colours: {}, pinned: {} });
  useEffect(() => {
    const control = new AbortController();
    get("ui", {}, { signal: control.signal }).then(set, () => {});
    return () => control.abort();
  }, []);
  const pinned = (ui.pinned?.[run] ?? []).filter((key) => typeof key === "string");
  const pin = async (key, yes, instead) => {
    const others = pinned.filter((k) => k !== key && k !== instead);
    const next = yes ? [...others, key] : others;
    set({ ...ui, pinned: { ...ui.pinned, [run]: next } });
    const answer = await patch("ui", { pinned: { [run]: next.length ? next : null } });
    set(answer);
  };
  return { ui, pinned, pin };
}
