// Charts that a person made: of an expression ("e:a / b") or of all series that a
// pattern picks ("m:loss*"). A chart of the grid is "s:" and its key. So they stand
// in the address and among the pinned ones.

export const kinds = { e: "expression", m: "pattern", s: "series" };

export const write = (kind, text) => `${kind[0] === "p" ? "m" : kind[0]}:${text}`;

// read is {kind, text, key} of such a text, or null.
export function read(key) {
  const kind = kinds[key?.[0]];
  if (!kind || key[1] !== ":" || key.length < 3) return null;
  return { kind, text: key.slice(2), key };
}
