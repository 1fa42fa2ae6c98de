// Expressions over series: `a / b`, `ema(loss, 0.9)`, `"gradient/fc.weight" * 2`.
//
//   sum     = product (("+" | "-") product)*
//   product = sign (("*" | "/") sign)*
//   sign    = ("-" | "+") sign | power
//   power   = value ("^" sign)?
//   value   = number | name | name "(" sum ("," sum)* ")" | "(" sum ")"
//
// A name is a word of letters, digits, "_", "." and ":"; any other name is in
// quotes (", ' or `), where a backslash takes the next character as it is.
// Nothing is ever handed to the browser to run.

import { functions } from "./evaluate.js";

// Fault is an error in an expression, from one character up to another.
export class Fault extends Error {
  constructor(message, from, to) {
    super(message);
    this.from = from;
    this.to = Math.max(to, from + 1);
  }
}

const numberAt = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const wordAt = /[\p{L}_][\p{L}\p{N}_.:]*/uy;
const signs = "+-*/^(),";
const mostText = 2000;
const deepest = 100;

// tokens are the words of an expression: {kind, text, value, from, to}, the last
// one of kind "end".
export function tokens(text) {
  if (text.length > mostText) throw new Fault(`An expression has at most ${mostText} characters.`, mostText, text.length);
  const list = [];
  let at = 0;
  const add = (kind, to, value) => {
    list.push({ kind, text: text.slice(at, to), value, from: at, to });
    at = to;
  };
  while (at < text.length) {
    const c = text[at];
    if (/\s/.test(c)) at++;
    else if (text.startsWith("**", at)) add("^", at + 2);
    else if (signs.includes(c)) add(c, at + 1);
    else if (c === '"' || c === "'" || c === "`") {
      const [name, end] = quoted(text, at);
      add("name", end, name);
    } else if (match(numberAt, text, at)) {
      const end = numberAt.lastIndex;
      if (match(wordAt, text, end)) throw new Fault(`“${text.slice(at, wordAt.lastIndex)}” is not a number; a name that begins with a digit needs quotes.`, at, wordAt.lastIndex);
      add("number", end, Number(text.slice(at, end)));
    } else if (match(wordAt, text, at)) add("name", wordAt.lastIndex, text.slice(at, wordAt.lastIndex));
    else throw new Fault(`“${String.fromCodePoint(text.codePointAt(at))}” means nothing here; a name with such characters needs quotes.`, at, at + 1);
  }
  list.push({ kind: "end", text: "", from: text.length, to: text.length });
  return list;
}

function match(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function quoted(text, from) {
  let name = "";
  for (let i = from + 1; i < text.length; i++) {
    if (text[i] === text[from]) return [name, i + 1];
    if (text[i] === "\\" && i + 1 < text.length) i++;
    name += text[i];
  }
  throw new Fault(`The name that begins with ${text[from]} has no closing ${text[from]}.`, from, text.length);
}

// quote is a name as it stands in an expression.
export function quote(name) {
  if (match(wordAt, name, 0) && wordAt.lastIndex === name.length && !Object.hasOwn(functions, name)) return name;
  return `"${name.replace(/["\\]/g, "\\$&")}"`;
}

// parse makes a tree of an expression: {kind: "number", value}, {kind: "series",
// name}, {kind: "sign", of}, {kind: "+" and so on, left, right} and {kind: "call",
// name, arguments}, each with the place where it stands (from, to).
export function parse(text) {
  const list = tokens(text);
  let at = 0;
  let depth = 0;
  const peek = () => list[at].kind;

  const deeper = (make) => {
    if (++depth > deepest) throw new Fault("The expression is nested too deeply.", list[at].from, list[at].to);
    const node = make();
    depth--;
    return node;
  };
  const chain = (kinds, next) => () => {
    let left = next();
    while (kinds.includes(peek())) {
      const kind = list[at++].kind;
      const right = next();
      left = { kind, left, right, from: left.from, to: right.to };
    }
    return left;
  };

  function value() {
    const token = list[at];
    switch (token.kind) {
      case "number":
        at++;
        return { kind: "number", value: token.value, from: token.from, to: token.to };
      case "name":
        at++;
        return peek() === "(" ? call(token) : { kind: "series", name: token.value, from: token.from, to: token.to };
      case "(": {
        at++;
        const inner = deeper(sum);
        close(token);
        return inner;
      }
      case "end":
        throw new Fault(at === 0 ? "The expression is empty." : "Something is missing at the end.", Math.max(0, token.from - 1), token.from);
    }
    throw new Fault(`A name, a number or “(” belongs before “${token.text}”.`, token.from, token.to);
  }

  function call(name) {
    const f = Object.hasOwn(functions, name.value) ? functions[name.value] : null;
    if (!f) throw new Fault(`There is no function “${name.value}”. There are ${Object.keys(functions).join(", ")}.`, name.from, name.to);
    const open = list[at++];
    const given = [];
    if (peek() !== ")") {
      given.push(deeper(sum));
      while (peek() === ",") {
        at++;
        given.push(deeper(sum));
      }
    }
    const to = close(open);
    const node = { kind: "call", name: name.value, arguments: given, from: name.from, to };
    if (given.length < f.least || given.length > f.most) throw new Fault(`“${name.value}” is written ${f.form}.`, node.from, node.to);
    return node;
  }

  function close(open) {
    const token = list[at];
    if (token.kind === "end") throw new Fault("This “(” is never closed.", open.from, open.to);
    if (token.kind !== ")") throw new Fault(`An operator, a comma or “)” belongs before “${token.text}”.`, token.from, token.to);
    at++;
    return token.to;
  }

  function power() {
    const left = value();
    if (peek() !== "^") return left;
    at++;
    const right = deeper(sign);
    return { kind: "^", left, right, from: left.from, to: right.to };
  }

  function sign() {
    const token = list[at];
    if (token.kind !== "-" && token.kind !== "+") return power();
    at++;
    const of = deeper(sign);
    return token.kind === "+" ? of : { kind: "sign", of, from: token.from, to: of.to };
  }

  const product = chain(["*", "/"], sign);
  const sum = chain(["+", "-"], product);

  const tree = sum();
  const rest = list[at];
  if (rest.kind === ")") throw new Fault("This “)” closes nothing.", rest.from, rest.to);
  if (rest.kind !== "end") throw new Fault(`An operator belongs before “${rest.text}”.`, rest.from, rest.to);
  return tree;
}

// names are the series that a tree needs, each once, with the place of its first use.
export function names(tree) {
  const found = new Map();
  const walk = (node) => {
    if (node.kind === "series" && !found.has(node.name)) found.set(node.name, { name: node.name, from: node.from, to: node.to });
    for (const child of [node.left, node.right, node.of, ...(node.arguments || [])]) if (child) walk(child);
  };
  walk(tree);
  return [...found.values()];
}

export { evaluate } from "./evaluate.js";
