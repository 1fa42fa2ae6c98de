// What the tests of modules say with.

const show = (v) => (ArrayBuffer.isView(v) ? `[${[...v]}]` : JSON.stringify(v, (_, x) => (typeof x === "number" && !Number.isFinite(x) ? String(x) : x)));

// same is whether two values are alike: numbers by Object.is, lists and objects by
// what they hold. A typed array is like a list.
function same(a, b) {
  if (Object.is(a, b) || a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  const [k, l] = [Object.keys(a), Object.keys(b)];
  return k.length === l.length && k.every((key) => same(a[key], b[key]));
}

export function equal(got, want, what = "value") {
  if (!same(got, want)) throw new Error(`${what}: ${show(got)}, want ${show(want)}`);
}

export function near(got, want, what = "value") {
  const [g, w] = [got, want].map((v) => (typeof v === "number" ? [v] : [...v]));
  const close = (a, b) => Object.is(a, b) || a === b || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));
  if (g.length !== w.length || !g.every((v, i) => close(v, w[i]))) throw new Error(`${what}: ${show(got)}, want ${show(want)}`);
}

// thrown is the error that a function throws.
export function thrown(f, what = "call") {
  try {
    f();
  } catch (e) {
    return e;
  }
  throw new Error(`${what}: no error`);
}
