import { Component, html, render } from "../app/vendor/preact.js";
import { equal } from "./check.js";

// reaches is whether something is held by what from holds, through any number of objects.
function reaches(from, sought) {
  const seen = new Set([from]);
  for (const one of seen) {
    if (one === sought) return true;
    for (const value of Object.values(one)) if (value && typeof value === "object") seen.add(value);
  }
  return false;
}

export const tests = {
  // A kept node points to the tree in which it was shown last, and holds it with all its data.
  "what has no values in a template is made each time"() {
    const whole = () => html`<i>always the same</i>`;
    const part = (value) => html`<p>${value}<i>always the same</i></p>`;
    equal(whole() === whole(), false);
    equal(part(1).props.children[1] === part(2).props.children[1], false);
  },
  // The same holds for children that a component was given once and shows at each drawing.
  async "children do not hold what was drawn beside them before"() {
    let drawn = null;
    const Named = ({ children }) => html`<b>${children}</b>`;
    const Beside = ({ data }) => html`<i>${data.step}</i>`;
    class Chart extends Component {
      state = { data: { step: 0 } };
      render({ children }, { data }) {
        drawn = this;
        return html`<section><header><${Named}>Head<//>${children}</header><${Beside} data=${data} /></section>`;
      }
    }
    const given = html`<${Named}>Menu<//>`;
    const list = [html`<u>one <em>of</em></u>`, html`<u>two</u>`];
    const place = document.createElement("div");
    render(html`<${Chart}>${given}${list}<//>`, place);
    const inside = [given, ...list, list[0].props.children[1]];
    for (const step of [1, 2, 3]) {
      const before = drawn.state.data;
      equal(inside.map((one) => reaches(one, before)), [true, true, true, true], `step ${step}: what is shown`);
      await new Promise((done) => drawn.setState({ data: { step } }, done));
      equal(inside.map((one) => reaches(one, before)), [false, false, false, false], `step ${step}: what was shown`);
    }
    equal(place.innerHTML, "<section><header><b>Head</b><b>Menu</b><u>one <em>of</em></u><u>two</u></header><i>3</i></section>");
    render(null, place);
  },
};
