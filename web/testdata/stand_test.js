// When a run is read again because of what the stream tells.
import { equal } from "./check.js";
import { Stand } from "../app/core/stand.js";

const running = { status: "running", live: true };
const over = { status: "completed", live: false };
const away = { status: "running", live: false };

export const tests = {
  "a run is read again when the stream tells something else"() {
    for (const [what, turns] of Object.entries({
      "the stream is first": [["tells", running, false], ["reads", running, false]],
      "the run is first": [["reads", running, false], ["tells", running, false]],
      "it ends": [["reads", running, false], ["tells", running, false], ["tells", over, true], ["reads", over, false]],
      "it ends between the two": [["tells", over, false], ["reads", running, true], ["reads", over, false]],
      "it was read when it had ended, before that is told": [["tells", running, false], ["reads", over, true], ["reads", over, false], ["tells", over, false]],
      "its agent goes": [["reads", running, false], ["tells", away, true], ["reads", away, false]],
      "it is resumed, and read for another reason": [["reads", over, false], ["tells", over, false], ["reads", running, false], ["tells", running, false]],
      "one that cannot be read stays as it is": [["tells", over, false], ["reads", running, true], ["reads", running, false]],
    })) {
      const stand = new Stand();
      turns.forEach(([by, how, again], i) => equal(stand[by](how), again, `${what}, turn ${i + 1}`));
    }
  },
};
