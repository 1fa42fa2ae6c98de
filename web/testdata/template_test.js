import { html } from "../app/vendor/preact.js";
import { equal } from "./check.js";

export const tests = {
  // A kept node points to the tree in which it was shown last, and holds it with all its data.
  "what has no values in a template is made each time"() {
    const whole = () => html`<i>always the same</i>`;
    const part = (value) => html`<p>${value}<i>always the same</i></p>`;
    equal(whole() === whole(), false);
    equal(part(1).props.children[1] === part(2).props.children[1], false);
  },
};
