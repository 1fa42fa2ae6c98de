// What happens before the first frame, and only once.
import { equal } from "./check.js";
import { useGet, useSize } from "../app/core/use.js";
import { Plot } from "../app/parts/chart/plot.js";
import { useShown } from "../app/parts/shown.js";
import { html, render } from "../app/vendor/preact.js";

// drawnBy renders a component, lets all come to rest that needs no frame, and gives what it drew.
async function drawnBy(Component) {
  const place = document.body.appendChild(document.createElement("div"));
  try {
    render(html`<${Component} />`, place);
    for (let i = 0; i < 20; i++) await null;
    return place.textContent;
  } finally {
    render(null, place);
    place.remove();
  }
}

const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));

export const tests = {
  async "what is asked for is asked for at once"() {
    const before = globalThis.fetch;
    const asked = [];
    globalThis.fetch = async (url) => {
      asked.push(new URL(url).pathname.split("/").at(-1));
      return new Response("{}");
    };
    try {
      await drawnBy(() => {
        useGet("this");
        return "";
      });
    } finally {
      globalThis.fetch = before;
    }
    equal(asked, ["this"]);
  },

  async "what is in sight is known to be at once"() {
    equal(await drawnBy(() => {
      const [ref, shown] = useShown();
      return html`<p ref=${ref}>${shown ? "in sight" : "far away"}</p>`;
    }), "in sight");
  },

  async "a size is known at once, without what is around it"() {
    equal(await drawnBy(() => {
      const [ref, { width, height }] = useSize();
      return html`<div ref=${(node) => {
        ref.current = node;
        for (const [name, value] of Object.entries({ width: "200px", height: "50px", padding: "7px", border: "3px solid", "box-sizing": "border-box" })) node?.style.setProperty(name, value);
      }}>${width} x ${height}</div>`;
    }), "180 x 30");
  },

  async "a plot is measured and painted once when it is made"() {
    const place = document.body.appendChild(document.createElement("div"));
    let [measured, painted] = [0, 0];
    const series = { y: [1, 2], label: "loss", get x() { return [0, 1]; } };
    const state = () => ({ series: { filter: () => (measured++, [series]), keys: () => [0].values(), 0: series }, hidden: new Set(), strong: -1, marks: [], regions: [], lines: [], x: { kind: "step" }, y: {}, view: null, height: 100, group: null, bare: true });
    const plot = new Plot(place, state, { zoom() {}, point() {}, drawn: () => painted++ });
    try {
      plot.ask();
      await frames();
      equal([measured, painted], [2, 1], "range of x and y; paintings");
      plot.ask();
      await frames();
      equal([measured, painted], [4, 2], "asked for again");
    } finally {
      plot.destroy();
      place.remove();
    }
  },
};
