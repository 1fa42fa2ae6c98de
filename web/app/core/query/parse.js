// From the text of a query to its parts. Each part knows where it stands, so that an error can be shown there.

const operators = ["<=", ">=", "!=", "==", "=", "<", ">", ":"];
const stops = /[\s()]/;

// parse gives {kind: "and" | "or", of: []}, {kind: "not", of}, {kind: "term", from, to, field, operator, values} or null for an empty text.
// field and values are words {text, quoted, regular, from, to}; a bare word has no field.
export function parse(text, errors) {
  const reader = { text, at: 0, errors };
  const tree = either(reader, 0);
  skip(reader);
  return tree;
}

const skip = (reader) => {
  while (/\s/.test(reader.text[reader.at] ?? "")) reader.at++;
};

// keyword takes a word of the language ("or") where it is alone.
function keyword(reader, word) {
  skip(reader);
  const found = reader.text.slice(reader.at, reader.at + word.length);
  const after = reader.text[reader.at + word.length];
  if (found.toLowerCase() !== word || (after !== undefined && !stops.test(after))) return false;
  reader.at += word.length;
  return true;
}

function either(reader, depth) {
  const list = [];
  for (;;) {
    const one = together(reader, depth);
    if (one) list.push(one);
    const at = reader.at;
    if (keyword(reader, "or") || keyword(reader, "|")) {
      if (!one) error(reader, at, reader.at, "\u201cor\u201d stands between two terms; write \u201cor\u201d in quotation marks to search for the word");
      continue;
    }
    return list.length > 1 ? { kind: "or", of: list } : list[0] ?? null;
  }
}

function together(reader, depth) {
  const list = [];
  for (;;) {
    skip(reader);
    if (reader.at >= reader.text.length) break;
    const at = reader.at;
    if (reader.text[at] === ")") {
      if (depth > 0) break;
      reader.at++;
      error(reader, at, at + 1, "this parenthesis was not opened");
      continue;
    }
    if (keyword(reader, "or") || keyword(reader, "|")) {
      reader.at = at;
      break;
    }
    if (keyword(reader, "and") || keyword(reader, "&")) continue;
    const one = single(reader, depth);
    if (one) list.push(one);
  }
  return list.length > 1 ? { kind: "and", of: list } : list[0] ?? null;
}

function single(reader, depth) {
  const at = reader.at;
  const dash = reader.text[at] === "-" && reader.text[at + 1] !== undefined && !/[\s\d.]/.test(reader.text[at + 1]);
  if (dash) reader.at++;
  if (dash || keyword(reader, "not")) {
    skip(reader);
    if (reader.at >= reader.text.length || reader.text[reader.at] === ")") {
      error(reader, at, reader.at, "what must not be is missing");
      return null;
    }
    const of = single(reader, depth);
    return of && { kind: "not", of };
  }
  if (reader.text[at] === "(") {
    if (depth > 50) {
      error(reader, at, reader.text.length, "there are too many parentheses within each other");
      reader.at = reader.text.length;
      return null;
    }
    reader.at++;
    const inside = either(reader, depth + 1);
    skip(reader);
    if (reader.text[reader.at] === ")") reader.at++;
    else error(reader, at, at + 1, "this parenthesis is not closed");
    if (!inside) error(reader, at, reader.at, "there is nothing between these parentheses");
    return inside;
  }
  return term(reader);
}

function term(reader) {
  const from = reader.at;
  const first = word(reader, true);
  const operator = operators.find((one) => reader.text.startsWith(one, reader.at));
  if (!operator) {
    if (reader.at === from) reader.at++; // nothing that a word can begin with
    return { kind: "term", from, to: reader.at, field: null, operator: "", values: [first] };
  }
  if (first.regular || (!first.text && !first.quoted)) error(reader, from, reader.at + operator.length, `what is compared stands before \u201c${operator}\u201d, as in loss${operator === ":" ? "<" : operator}0.5`);
  reader.at += operator.length;
  const values = [];
  for (;;) {
    const one = word(reader, false);
    if (one.text || one.quoted) values.push(one);
    else if (!values.length || reader.text[reader.at] === ",") error(reader, from, reader.at, `a value is missing after \u201c${reader.text.slice(from, reader.at)}\u201d`);
    if (reader.text[reader.at] !== ",") break;
    reader.at++;
    if (stops.test(reader.text[reader.at] ?? " ")) break; // a comma at the end: more is being written
  }
  if (!values.length || first.regular || (!first.text && !first.quoted)) return null;
  return { kind: "term", from, to: reader.at, field: first, operator: operator === "==" ? "=" : operator, values };
}

// word reads a name (up to an operator) or a value (up to a comma): bare, "quoted", or /regular/.
function word(reader, name) {
  const from = reader.at;
  const quote = reader.text[from];
  if (quote === "\"" || quote === "'" || (quote === "/" && regular(reader.text, from))) {
    let text = "";
    let at = from + 1;
    for (; at < reader.text.length && reader.text[at] !== quote; at++) {
      if (reader.text[at] === "\\" && (quote !== "/" ? /["'\\]/ : /\//).test(reader.text[at + 1] ?? "")) at++;
      text += reader.text[at];
    }
    if (at >= reader.text.length) error(reader, from, at, "this quotation mark is not closed");
    reader.at = Math.min(at + 1, reader.text.length);
    return { text, quoted: quote !== "/", regular: quote === "/", from, to: reader.at };
  }
  while (reader.at < reader.text.length) {
    const rest = reader.text[reader.at];
    if (stops.test(rest) || (name ? operators.some((one) => reader.text.startsWith(one, reader.at)) : rest === ",")) break;
    // Within a value, quotation marks hold spaces together: tag:note="a b".
    const end = rest === "\"" && !name ? reader.text.indexOf("\"", reader.at + 1) : -1;
    reader.at = end < 0 ? reader.at + 1 : end + 1;
  }
  return { text: reader.text.slice(from, reader.at), quoted: false, regular: false, from, to: reader.at };
}

// regular reports whether a slash begins a regular expression: another one ends it, and the term or the value after it.
function regular(text, from) {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "/") return /^[\s),]?$/.test(text[at + 1] ?? "");
  }
  return false;
}

function error(reader, from, to, message) {
  reader.errors.push({ from, to: Math.max(to, from + 1), message: message[0].toUpperCase() + message.slice(1) + "." });
}
