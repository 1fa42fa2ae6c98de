// The frame around the pages, and pages that follow a run.
import { equal } from "./check.js";
import { open, Palette } from "../app/frame/palette.js";
import { TopBar } from "../app/frame/topbar.js";
import { Choose } from "../app/pages/curves/choose.js";
import { Losses } from "../app/pages/overview/losses.js";
import { html, render, signal } from "../app/vendor/preact.js";

const route = { to: (...parts) => `/${parts.join("/")}` };
const path = (...parts) => `runs/a/${parts.join("/")}`;
const runs = ["a", "b", "c"].map((name) => ({ name, status: "completed", started: "2026-11-26T08:00:00Z", losses: [] }));

// until waits for what a page comes to by itself.
async function until(is, what) {
  for (let i = 0; i < 2000; i++) {
    if (is()) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`it does not come: ${what}`);
}

// shown renders a tree beside answers of a server, and takes both away again.
async function shown(tree, answers, look) {
  const before = globalThis.fetch;
  const asked = [];
  globalThis.fetch = async (url) => {
    const name = new URL(url, location).pathname.split("/").at(-1);
    asked.push(name);
    return new Response(JSON.stringify(answers[name] ?? {}), { headers: { "Content-Type": "application/json" } });
  };
  const place = document.body.appendChild(document.createElement("div"));
  try {
    render(tree, place);
    await look(place, asked);
  } finally {
    render(null, place);
    place.remove();
    globalThis.fetch = before;
  }
}

export const tests = {
  async "times in the head move on"() {
    const { now } = Date;
    const every = globalThis.setInterval;
    const ticks = [];
    let at = Date.parse("2026-11-26T08:02:10Z");
    Date.now = () => at;
    globalThis.setInterval = (tick) => ticks.push(tick);
    const run = { name: "a", live: false, row: { ended: "2026-11-26T08:00:00Z" }, now: signal({ status: "completed", steps: { TRAIN: 9 }, progress: null }) };
    try {
      await shown(html`<${TopBar} name="a" run=${run} />`, {}, async (place) => {
        const said = () => place.querySelector(".how-far").textContent;
        equal(said(), "ended 2 min ago");
        await until(() => ticks.length > 0, "a clock");
        at += 60_000;
        for (const tick of ticks) tick();
        await until(() => said() === "ended 3 min ago", said());
      });
    } finally {
      Date.now = now;
      globalThis.setInterval = every;
    }
  },

  async "the switcher marks the current run"() {
    open("runs");
    await shown(html`<${Palette} run=${{ name: "b" }} />`, { runs: { runs } }, async (place) => {
      await until(() => place.querySelectorAll("[role=option]").length === 3, "the runs");
      const here = [...place.querySelectorAll("[aria-current=true]")];
      equal(here.map((one) => one.querySelector(".said").textContent), ["b"]);
      equal(here[0].querySelector(".tag").textContent, "this run");
      equal(here[0].getAttribute("aria-selected"), "true", "it is where the choice begins");
    });
  },

  async "one run is not compared"() {
    await shown(html`<${Choose} names=${["a"]} />`, { runs: { runs } }, async (place) => {
      await until(() => place.querySelectorAll("input[type=checkbox]").length === 3, "the runs");
      const button = place.querySelector("button[type=submit]");
      const why = () => document.getElementById(button.getAttribute("aria-describedby")).textContent;
      equal([button.disabled, why()], [true, "1 run chosen: two or more can be compared"]);
      place.querySelectorAll("input[type=checkbox]")[2].click();
      await until(() => !button.disabled, "the button");
      equal(why(), "2 runs chosen");
    });
  },

  async "the overview reads at once at a new step"() {
    const before = { EventSource: globalThis.EventSource, setTimeout: globalThis.setTimeout, now: performance.now };
    const later = globalThis.setTimeout;
    const sources = [];
    const delays = [];
    globalThis.EventSource = class extends EventTarget {
      constructor() {
        super();
        sources.push(this);
      }
      close() {}
    };
    const step = () => sources.at(-1).dispatchEvent(new MessageEvent("steps", { data: "{}" }));
    const curves = [{ name: "loss", series: "loss||TRAIN|", mode: "TRAIN", group: "losses" }];
    const series = [{ name: "loss", mode: "TRAIN", raw: true, points: 2, x: [0, 1], mean: [2, 1], min: [], max: [], x_last: [], last_value: [], odd: [], unit: "" }];
    const answers = { curves: { curves, marks: [], checkpoints: [], epochs: [] }, series: { series } };
    try {
      await shown(html`<${Losses} run=${{ name: "a", live: true, path }} route=${route} />`, answers, async (place, asked) => {
        const read = () => asked.filter((name) => name === "series").length;
        await until(() => sources.length > 0 && read() === 1, "the first reading");
        performance.now = () => 5;
        globalThis.setTimeout = (work, delay, ...more) => {
          delays.push(delay);
          return later(work, delay, ...more);
        };
        step();
        await until(() => read() === 2, "the reading at a step");
        equal(delays.filter((delay) => delay > 300), [], "waits");
        step();
        await until(() => delays.includes(400), "the wait after the step that follows at once");
      });
    } finally {
      Object.assign(globalThis, { EventSource: before.EventSource, setTimeout: before.setTimeout });
      performance.now = before.now;
    }
  },
};
