// What a reader sets for this browser alone (theme, widths of columns). What belongs to a run or a folder goes to the server.
const prefix = "vigil.";

export function kept(key, otherwise = null) {
  try {
    const text = localStorage.getItem(prefix + key);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

export function keep(key, value) {
  try {
    if (value === null || value === undefined) localStorage.removeItem(prefix + key);
    else localStorage.setItem(prefix + key, JSON.stringify(value));
  } catch { /* without storage it holds until the page is closed */ }
}
