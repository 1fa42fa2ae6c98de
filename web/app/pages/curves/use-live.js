// Keeps the page up to date while a run goes on.

import { useEffect, useMemo, useRef } from "../../vendor/preact.js";
import { numbers } from "../../core/api.js";
import { nextFrame } from "../../core/tick.js";
import { useEvents } from "../../core/use.js";
import { placed } from "./live.js";

const restful = 3000; // milliseconds between two readings of what cannot be appended
const often = 10_000; // between two looks at which curves and checkpoints there are
const mostTail = 800;

// useLive appends the points of the one run that is looked at; a series whose points
// cannot be appended (evaluations by update or epoch) is read again now and then.
// changed() draws. found() reads anew which curves there are.
export function useLive({ run, watched, tails, settings, changed, refresh, again, found, empty }) {
  const due = useRef(new Set());
  const rest = useResting(() => {
    const list = [...due.current];
    due.current.clear();
    again(list);
  });
  const look = useResting(found);
  const modes = useRef("");
  const started = run?.describe.run.started;
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
      for (const point of event.points ?? []) {
        const x = point.again ? null : placed(point, settings.axis, started);
        const follows = x && tails.add(point.s, x, numbers(point.values));
        if (!follows || tails.size(point.s) > mostTail) due.current.add(point.s);
      }
      if (due.current.size) rest();
      nextFrame(changed);
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

function useResting(work) {
  const latest = useRef(work);
  latest.current = work;
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ||= setTimeout(() => {
      timer.current = 0;
      latest.current();
    }, restful);
  };
}
