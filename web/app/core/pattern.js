// What a person types to pick names: words, a glob or a regular expression.
//
//   loss eval        every word occurs, in any case
//   layer*.weight    * any characters, ? one; the whole name
//   /fc[12]\.bias$/  a regular expression; /.../i in any case

// matcher makes of a text {kind, test, error}. An empty one picks everything; a
// broken regular expression picks nothing and says why.
export function matcher(text) {
  const t = text.trim();
  if (t === "") return { kind: "all", test: () => true, error: "" };
  const slashes = /^\/(.*)\/(i?)$/s.exec(t);
  if (slashes) return expression(slashes[1], slashes[2]);
  if (/[*?]/.test(t)) return { kind: "glob", test: glob(t), error: "" };
  const words = t.toLowerCase().split(/\s+/);
  if (words.length === 1) {
    const [word] = words;
    return { kind: "words", test: (name) => name.toLowerCase().includes(word), error: "" };
  }
  return {
    kind: "words",
    test: (name) => {
      const lower = name.toLowerCase();
      return words.every((w) => lower.includes(w));
    },
    error: "",
  };
}

function expression(source, flags) {
  try {
    const e = new RegExp(source, flags + "u");
    return { kind: "expression", test: (name) => e.test(name), error: "" };
  } catch (err) {
    const reason = String(err.message).replace(/^Invalid regular expression: \/.*\/\w*: /s, "");
    return { kind: "expression", test: () => false, error: `The regular expression cannot be read: ${reason}.` };
  }
}

// glob compares without going back more than to the last star, so that no text
// takes long.
function glob(pattern) {
  const p = pattern.toLowerCase();
  return (name) => {
    const s = name.toLowerCase();
    let [i, j, star, mark] = [0, 0, -1, 0];
    while (i < s.length) {
      if (p[j] === "*") [star, mark] = [j++, i];
      else if (j < p.length && (p[j] === "?" || p[j] === s[i])) i++, j++;
      else if (star < 0) return false;
      else [i, j] = [++mark, star + 1];
    }
    while (p[j] === "*") j++;
    return j === p.length;
  };
}

// pick are the names that a text picks, in their order, at most `most`.
export function pick(names, text, most = Infinity) {
  const { test, error } = matcher(text);
  const out = [];
  if (error) return out;
  for (const name of names) {
    if (out.length >= most) break;
    if (test(name)) out.push(name);
  }
  return out;
}
