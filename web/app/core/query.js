// The small language that the list of runs is searched with:
//   resnet tag:baseline loss<0.5 finding:dead_relu status:running,failed -tag:old (lr>=0.1 or lr<0.001) "two words" name:/^a.*b$/
// Terms are next to each other (all of them), "or" between alternatives, "-" or "not" before what must not be.
import { parse } from "./query/parse.js";
import { meaning } from "./query/meaning.js";

// query reads a text. fields reports what can be asked of a row: see fields() of pages/runs/fields.js.
// The answer: {test(row), errors: [{from, to, message}], terms}. With errors, test leaves the wrong terms out.
export function query(text, fields) {
  const errors = [];
  const tree = parse(text, errors);
  const terms = [];
  const test = tree ? judge(tree, fields, errors, terms) : null;
  return { test: test ?? (() => true), errors: errors.sort((a, b) => a.from - b.from), terms };
}

// judge makes a test of a part of the query; null where nothing of it can be tested.
function judge(node, fields, errors, terms) {
  if (node.kind === "term") {
    terms.push(node);
    try {
      return meaning(node, fields);
    } catch (error) {
      if (!error.at) throw error;
      errors.push({ from: error.at[0], to: error.at[1], message: error.message });
      return null;
    }
  }
  if (node.kind === "not") {
    const test = judge(node.of, fields, errors, terms);
    return test && ((row) => !test(row));
  }
  const tests = node.of.map((one) => judge(one, fields, errors, terms)).filter(Boolean);
  if (!tests.length) return null;
  if (tests.length === 1) return tests[0];
  return node.kind === "and" ? (row) => tests.every((test) => test(row)) : (row) => tests.some((test) => test(row));
}
