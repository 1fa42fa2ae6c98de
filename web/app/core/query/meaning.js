// What a term of a query asks of a row.
import { amount } from "./amount.js";
import { nearest } from "./nearest.js";

const wrong = (word, message) => Object.assign(new Error(message), { at: [word.from, Math.max(word.to, word.from + 1)] });

// meaning makes a test of a term. fields: {anywhere(row) -> texts, known(name) -> field or null, names() -> list}.
// A field is {name, type, get(row)}: "text" (get gives texts), "number", "duration", "share", "time" (get gives a number), or "tags" (get gives an object),
// "choice" (texts of a closed list, choices).
export function meaning(term, fields) {
  if (!term.field) {
    const has = pattern(term.values[0], "contains");
    return (row) => fields.anywhere(row).some(has);
  }
  const field = fields.known(term.field.text);
  if (!field) {
    const like = nearest(term.field.text, fields.names());
    throw wrong(term.field, `Unknown field \u201c${term.field.text}\u201d.${like ? ` Did you mean \u201c${like}\u201d?` : " Fields, tags, parameters and values can be searched."}`);
  }
  const some = (tests) => (row) => tests.some((test) => test(row));
  if (term.operator === "!=") {
    const test = some(term.values.map((value) => one(field, "=", value)));
    return (row) => !test(row);
  }
  if (term.values.length > 1 && !["=", ":"].includes(term.operator)) throw wrong(term.values[1], `\u201c${term.operator}\u201d compares with one value.`);
  return some(term.values.map((value) => one(field, term.operator, value)));
}

// one is the test of one value.
function one(field, operator, value) {
  if (field.type === "tags") {
    if (operator !== ":" && operator !== "=") throw wrong(value, `Tags are searched with a colon: tag:${value.text}. A tag's number is compared by its name: lr${operator}0.1.`);
    return tagged(field, value);
  }
  if (field.type === "text" || field.type === "choice") {
    if (operator !== ":" && operator !== "=") return compared(field, operator, value);
    if (field.type === "choice" && !value.regular && !value.text.includes("*")) {
      if (!field.choices.some((choice) => choice === value.text.toLowerCase())) throw wrong(value, `${field.name} is one of ${field.choices.join(", ")}.`);
    }
    const is = pattern(value, operator === ":" && field.contains ? "contains" : "is");
    return (row) => field.get(row).some(is);
  }
  if (field.type === "mixed") return mixed(field, operator, value);
  const want = amount(value.text, field.type);
  if (want === null) throw wrong(value, `\u201c${value.text}\u201d is not a ${{ number: "number", share: "share, such as 20%", duration: "duration, such as 90s, 5min, 2h or 3d", time: "time, such as 2026-11-20 or 7d (ago)" }[field.type]}.`);
  return number((row) => field.get(row), operator, want, field.type);
}

// number compares a number of the row; what is not there is never equal, less or more.
function number(get, operator, want, type) {
  if (type === "time" && want.age) {
    // started<7d: less than 7 days ago.
    const flipped = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" }[operator] ?? ">=";
    return number(get, flipped, Date.now() / 1000 - want.age, "number");
  }
  if (type === "time") {
    const [from, to] = want.span;
    switch (operator) {
      case "<": return (row) => get(row) < from;
      case "<=": return (row) => get(row) < to;
      case ">": return (row) => get(row) >= to;
      case ">=": return (row) => get(row) >= from;
      default: return (row) => get(row) >= from && get(row) < to;
    }
  }
  switch (operator) {
    case "<": return (row) => missing(get(row), (v) => v < want);
    case "<=": return (row) => missing(get(row), (v) => v <= want);
    case ">": return (row) => missing(get(row), (v) => v > want);
    case ">=": return (row) => missing(get(row), (v) => v >= want);
    default: return Number.isNaN(want) ? (row) => Number.isNaN(get(row)) : (row) => missing(get(row), (v) => v === want);
  }
}

const missing = (value, test) => value !== null && value !== undefined && test(value);

// mixed is a tag or a parameter: a number where both are numbers, else a text.
function mixed(field, operator, value) {
  const want = value.quoted || value.regular ? null : amount(value.text, "number");
  if (want !== null) return number((row) => amountOf(field.get(row)), operator, want, "number");
  return compared({ ...field, get: (row) => [field.get(row)].filter((v) => v !== undefined && v !== null).map(String) }, operator, value);
}

const amountOf = (text) => (text === undefined || text === null || text === "" ? null : typeof text === "number" ? text : amount(text, "number"));

// compared compares texts.
function compared(field, operator, value) {
  if (operator === ":" || operator === "=") {
    const is = pattern(value, "is");
    return (row) => field.get(row).some(is);
  }
  if (value.regular) throw wrong(value, `A regular expression goes after a colon: ${field.name}:/${value.text}/.`);
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const test = { "<": (d) => d < 0, "<=": (d) => d <= 0, ">": (d) => d > 0, ">=": (d) => d >= 0 }[operator];
  return (row) => field.get(row).some((text) => test(order.compare(text, value.text)));
}

// tagged is tag:key, tag:key=value; both may have stars.
function tagged(field, value) {
  const [key, wanted] = value.quoted || value.regular ? [value.text, undefined] : split(value.text);
  const isKey = pattern({ ...value, text: key }, "is");
  const isValue = wanted === undefined ? () => true : pattern({ text: wanted.replace(/^"(.*)"$/, "$1"), from: value.from, to: value.to }, "is");
  return (row) => Object.entries(field.get(row)).some(([k, v]) => isKey(k) && isValue(v));
}

function split(text) {
  const at = text.indexOf("=");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

// pattern makes a test of a text: a regular expression, a text with stars, or the text itself; capitals do not matter.
function pattern(word, how) {
  if (word.regular) {
    try {
      const expression = new RegExp(word.text, "iu");
      return (text) => expression.test(text);
    } catch (error) {
      throw wrong(word, `This is not a regular expression: ${error.message.replace(/^Invalid regular expression: /, "")}.`);
    }
  }
  const want = word.text.toLowerCase();
  if (!word.quoted && want.includes("*")) {
    const expression = new RegExp(`${how === "is" ? "^" : ""}${want.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*")}${how === "is" ? "$" : ""}`, "isu");
    return (text) => expression.test(text);
  }
  return how === "is" ? (text) => text.toLowerCase() === want : (text) => text.toLowerCase().includes(want);
}
