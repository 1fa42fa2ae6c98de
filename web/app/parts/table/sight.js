// Which columns of a wide table have cells in the document: those in sight and a few next to them, those that stay, and the one with the focus. Gaps stand for the others.
const many = 16;
const beside = 2;

// inSight are the first column in sight and the first behind it, of columns of these widths.
export function inSight(widths, left, width) {
  if (widths.length <= many) return [0, widths.length];
  let [from, to, edge] = [0, 0, 0];
  for (const one of widths) {
    if (edge + one <= left) from++;
    if (edge < left + width) to++;
    edge += one;
  }
  return [Math.max(0, from - beside), Math.min(widths.length, to + beside)];
}

// focusedColumn is the place of the column that has the focus in the body of a table; -1 where none has.
export function focusedColumn(table, choosable) {
  const cell = document.activeElement?.closest?.("td[aria-colindex]");
  return cell && table.contains(cell) ? Number(cell.getAttribute("aria-colindex")) - (choosable ? 2 : 1) : -1;
}

// partsOf are the cells of a row in their order: {column, index}, or {gap: how many, index}.
export function partsOf(columns, [from, to], focused) {
  const parts = [];
  columns.forEach((column, index) => {
    const last = parts.at(-1);
    if ((index >= from && index < to) || column.pin || index === focused) parts.push({ column, index });
    else if (last?.gap) last.gap++;
    else parts.push({ gap: 1, index });
  });
  return parts;
}
