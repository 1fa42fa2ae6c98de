import { offer } from "../app/core/keys.js";
import { equal } from "./check.js";

export const tests = {
  "a key that opens a dialog is not written into its field"() {
    const field = document.createElement("input");
    document.body.append(field);
    const end = offer("Test", [["e", "write", () => field.focus()]]);
    const press = (type, target, key) => {
      const event = new KeyboardEvent(type, { key, bubbles: true, cancelable: true });
      target.dispatchEvent(event);
      return event.defaultPrevented;
    };
    document.activeElement.blur();
    equal(press("keydown", document.body, "e"), true, "the key acts");
    equal(document.activeElement === field, true, "the field has the focus");
    equal(press("keypress", field, "e"), true, "its letter is kept back");
    equal(press("keydown", field, "e"), false, "the next one is written");
    equal(press("keypress", field, "e"), false, "the next one's letter");
    end();
    field.remove();
  },
};
