// The binary form of an answer: 8 bytes of magic, the length of a JSON header, the header, and columns padded to 8 bytes each.
export const mediaType = "application/vnd.vigil.columns";
const magic = "VIGILCO1";
const types = { f64: Float64Array, f32: Float32Array, u32: Uint32Array, i64: Int32Array };

// decode gives the header with a typed array in place of each {"column": i}. 64-bit integers come as exact doubles.
export function decode(buffer) {
  const bytes = new Uint8Array(buffer);
  if (String.fromCharCode(...bytes.subarray(0, 8)) !== magic) throw new Error("these are not columns");
  const length = new DataView(buffer).getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + length)));
  const start = Math.ceil((12 + length) / 8) * 8;
  const columns = header.columns.map(({ type, length, offset }) => {
    if (!types[type]) throw new Error(`a column of type ${type}`);
    return type === "i64" ? whole(new Int32Array(buffer, start + offset, 2 * length)) : new types[type](buffer, start + offset, length);
  });
  delete header.columns;
  return place("answer" in header && Object.keys(header).length === 1 ? header.answer : header, columns);
}

// whole makes doubles of 64-bit integers, each in two halves, the low one first.
function whole(halves) {
  const column = new Float64Array(halves.length / 2);
  for (let i = 0; i < column.length; i++) column[i] = halves[2 * i + 1] * 2 ** 32 + (halves[2 * i] >>> 0);
  return column;
}

function place(value, columns) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((one) => place(one, columns));
  if (Number.isInteger(value.column) && Object.keys(value).length === 1) return columns[value.column];
  for (const key of Object.keys(value)) value[key] = place(value[key], columns);
  return value;
}
