import { svg } from "../app/parts/chart/export.js";
import { equal } from "./check.js";

// written is the text of the file that a chart would be saved as.
async function written(series) {
  const box = { left: 0, top: 0, width: 100, height: 100 };
  const element = { getBoundingClientRect: () => box };
  const u = { over: element, root: element, valToPos: (value) => value, axes: [], scales: { x: { min: 0, max: 10 }, y: { distr: 1 } } };
  const { createObjectURL } = URL;
  const { click } = HTMLAnchorElement.prototype;
  let blob = null;
  URL.createObjectURL = (given) => { blob = given; return "blob:none"; };
  HTMLAnchorElement.prototype.click = () => {};
  try {
    svg(u, "loss", [series]);
  } finally {
    URL.createObjectURL = createObjectURL;
    HTMLAnchorElement.prototype.click = click;
  }
  return new DOMParser().parseFromString(await blob.text(), "image/svg+xml");
}

export const tests = {
  async "a smoothed line is saved with what lies behind it"() {
    const file = await written({ label: "a<b", x: [0, 5], y: [1, 2], behind: [3, 4] });
    equal([...file.querySelectorAll("path")].map((path) => [path.getAttribute("d"), path.querySelector("title").textContent]), [["M0.00 27.00L5.00 28.00", "a<b, before smoothing"], ["M0.00 25.00L5.00 26.00", "a<b"]]);
    equal((await written({ label: "a", x: [0, 5], y: [1, 2] })).querySelectorAll("path").length, 1);
  },
};
