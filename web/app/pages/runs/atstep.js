// Values of series at a step, which the list does not have: they are asked for, run by run, and kept.
import { signal } from "../../vendor/preact.js";
import { get, number, path } from "../../core/api.js";
import { nextFrame } from "../../core/tick.js";

const known = new Map();
const waiting = new Map();
const asked = new Set();
let busy = 0;

// came counts answers, so that a table that is sorted by such a value is sorted again.
export const came = signal(0);

// A run that goes on has other values at each look; those up to a step that it has passed stay.
const keyOf = (row, name, step) => `${row.name}\n${row.started}\n${step}\n${name}\n${(row.progress?.step ?? 0) > step || row.status !== "running" ? "" : row.progress?.step}`;

// atStep is the value, null where there is none, undefined where it is not known yet.
export const atStep = (row, name, step) => {
  came.value;
  return known.get(keyOf(row, name, step));
};

// want asks for a value that is not known. Those of one run at one step are asked for together.
export function want(row, name, step) {
  const key = keyOf(row, name, step);
  if (asked.has(key)) return;
  asked.add(key);
  const together = `${row.name}\n${step}`;
  const next = waiting.get(together) ?? { row, step, keys: new Map() };
  next.keys.set(name, key);
  waiting.set(together, next);
  nextFrame(ask);
}

// wantAll asks for the values of all rows in a column at.STEP.NAME.
export function wantAll(rows, id) {
  const found = /^at\.(\d+)\.(.+)$/s.exec(id);
  if (found) for (const row of rows) want(row, found[2], Number(found[1]));
}

function ask() {
  while (busy < 6 && waiting.size) {
    const [together, { row, step, keys }] = waiting.entries().next().value;
    waiting.delete(together);
    busy++;
    get(path("runs", row.name, "values"), { at: step, series: [...keys.keys()] }).then(
      (answer) => { for (const [name, key] of keys) known.set(key, name in answer.values ? number(answer.values[name]) : null); },
      () => { for (const key of keys.values()) known.set(key, null); },
    ).finally(() => {
      busy--;
      nextFrame(tell);
      ask();
    });
  }
}

const tell = () => came.value++;
