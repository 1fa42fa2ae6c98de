// How figures are written.
import { equal } from "./check.js";
import { duration } from "../app/core/format.js";

export const tests = {
  // internal/record reads the same list.
  async "a length of time is written as in the terminal and the report"() {
    const list = await (await fetch("/testdata/durations.json")).json();
    for (const [seconds, want] of list) equal(duration(seconds), want, String(seconds));
    equal(list.length > 20, true);
  },
};
