// Which colour and which kind of line a run has wherever runs are shown next to each other: what was set for the run itself, else the first rule
// that it matches, else by the value of a field.
// ui: {colours: {RUN: "3 dashed"}, styles: {colour_by, line_by, rules: [{field, expression, colour: 1..8 | 0, line}]}} of GET /ui.

export const lines = ["solid", "dashed", "dotted"];

// parse reads "3 dashed" (a colour of the palette, a kind of line; each may be missing).
export function parse(text) {
  const words = String(text ?? "").trim().split(/\s+/);
  const colour = words.map((word) => /^(?:--)?(?:series-)?([1-8])$/.exec(word)?.[1]).find(Boolean);
  return { colour: colour ? Number(colour) : 0, line: words.find((word) => lines.includes(word)) ?? "" };
}

export const spell = ({ colour, line }) => [colour || "", line || ""].filter(Boolean).join(" ");

// styler answers for each row {colour: 1..8, or 0 where nothing is set, line: "" where nothing is set}. text(row, field) is a row's text in a field.
export function styler(ui, rows, text) {
  const { colour_by: colourBy = "", line_by: lineBy = "", rules = [] } = ui?.styles ?? {};
  const places = (field) => {
    if (!field) return null;
    const values = [...new Set(rows.map((row) => text(row, field)).filter((value) => value !== ""))].sort(new Intl.Collator("en", { numeric: true }).compare);
    return new Map(values.map((value, i) => [value, i]));
  };
  const [byColour, byLine] = [places(colourBy), places(lineBy)];
  const tests = (Array.isArray(rules) ? rules : []).map(ruleOf).filter(Boolean);
  const known = new WeakMap();
  return (row) => {
    if (known.has(row)) return known.get(row);
    const set = parse(ui?.colours?.[row.name]);
    const rule = tests.find(({ field, expression }) => expression.test(text(row, field)));
    const colourPlace = byColour?.get(text(row, colourBy));
    const linePlace = byLine?.get(text(row, lineBy));
    const style = {
      colour: set.colour || rule?.colour || (colourPlace === undefined ? 0 : (colourPlace % 8) + 1),
      line: set.line || rule?.line || (linePlace === undefined ? "" : lines[linePlace % lines.length]),
    };
    known.set(row, style);
    return style;
  };
}

// ruleOf makes a rule ready; a wrong expression matches nothing.
function ruleOf({ field = "name", expression = "", colour = 0, line = "" } = {}) {
  if (!expression) return null;
  try {
    return { field, expression: new RegExp(expression, "iu"), colour: Number(colour) || 0, line: lines.includes(line) ? line : "" };
  } catch {
    return null;
  }
}
