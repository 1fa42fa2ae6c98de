// Keeps the page up to date while a run goes on.

import { useEffect, useMemo, useRef } from "../../vendor/preact.js";
import { useEvents } from "../../core/use.js";

const restful = 3000; // milliseconds between two readings of all runs, or of the list of curves
const [soon, late] = [300, 5000]; // the same between two readings of what has grown
const share = 8; // of the time that goes into them
const often = 10_000; // between two looks at which curves and checkpoints there are

// useLive has what has grown of the one run that is looked at read. grew(list of
// series) asks for it. found() reads again which curves there are.
export function useLive({ run, watched, loader, refresh, grew, found, empty }) {
  const due = useRef(new Set());
  const rest = useResting(() => {
    if (document.hidden) return rest();
    const list = [...due.current];
    due.current.clear();
    grew(list);
  }, () => (document.hidden ? late : Math.min(late, Math.max(soon, share * loader.took))));
  const look = useResting(found);
  const modes = useRef("");
  const live = run?.live ?? false;
  const was = useRef(live);
  useEffect(() => {
    if (was.current && !live) refresh();
    was.current = live;
  }, [live]);
  useEffect(() => {
    if (!live) return undefined;
    const timer = setInterval(() => document.hidden || look(), often);
    return () => clearInterval(timer);
  }, [live]);
  useEvents(run?.name ?? null, {
    steps: (event) => {
      const seen = Object.keys(event.steps ?? {}).sort().join();
      if (seen !== modes.current || empty) look();
      modes.current = seen;
      for (const s of event.grown ?? []) due.current.add(s);
      if (due.current.size) rest();
    },
    findings: look,
    reset: refresh,
  }, { series: watched.series.value, when: Boolean(run) && live });
}

// useLiveRuns reads the runs of a comparison again that have grown.
export function useLiveRuns({ names, refresh, when }) {
  const known = useMemo(() => new Set(names), [names.join("\n")]);
  const rest = useResting(refresh);
  useEvents(null, {
    runs: (event) => {
      if (event.rows?.some((row) => known.has(row.name))) rest();
    },
  }, { when });
}

function useResting(work, milliseconds = () => restful) {
  const latest = useRef(work);
  latest.current = work;
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ||= setTimeout(() => {
      timer.current = 0;
      latest.current();
    }, milliseconds());
  };
}
