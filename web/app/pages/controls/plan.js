// What is captured and how it came about, and the one way to change it.
import { useCallback, useState } from "../../vendor/preact.js";
import { attempt } from "../../core/toast.js";
import { useEvents, useGet } from "../../core/use.js";

// usePlan is {of, busy, may, change(what, said)}; change answers whether it was accepted.
export function usePlan(run, api) {
  const of = useGet(run.path("plan"));
  const [busy, setBusy] = useState(false);
  useEvents(run.name, { plan: of.reload }, { when: run.live });
  const change = useCallback(async (what, said) => {
    setBusy(true);
    const answer = await attempt(() => api.post(run.path("plan"), what), said);
    setBusy(false);
    of.reload();
    return answer !== undefined;
  }, [run.name, of.reload]);
  return { of, busy, may: run.can("plan"), change };
}

// intervalOf is a schedule of a mode in words.
export function intervalOf(schedule) {
  if (!schedule || (schedule.off && !schedule.steps?.length)) return "not captured";
  if (schedule.steps?.length) return `at steps ${schedule.steps.slice(0, 4).join(", ")}${schedule.steps.length > 4 ? " …" : ""}`;
  if (schedule.every === 0) return "as often as the budget allows";
  return schedule.every === 1 ? "every step" : `every ${schedule.every} steps`;
}
