// The search of the list: a field that underlines what is wrong in its text, says why, and offers what may come next.
import { html, useId, useLayoutEffect, useRef, useState } from "../../vendor/preact.js";
import { useKeys } from "../../core/keys.js";
import { Icon } from "../../parts/icon.js";
import { suggest } from "./suggest.js";

export function RunSearch({ value, onChange, errors, rows, names, count }) {
  const id = useId();
  const field = useRef(null);
  const behind = useRef(null);
  const [offer, setOffer] = useState(null);
  const [at, setAt] = useState(-1);
  const [focused, setFocused] = useState(false);
  useKeys("Runs", [["/", "search runs", () => { field.current.focus(); field.current.select(); }]]);
  const scroll = () => { if (behind.current) behind.current.scrollLeft = field.current.scrollLeft; };
  useLayoutEffect(scroll);

  const look = (text, caret) => {
    const found = suggest(text, caret, { rows, names });
    setOffer(found.list.length ? found : null);
    setAt(-1);
  };
  const input = (event) => {
    onChange(event.target.value);
    look(event.target.value, event.target.selectionStart);
  };
  const take = (one) => {
    const text = value.slice(0, offer.from) + one.insert + value.slice(offer.to).replace(/^ /, one.insert.endsWith(" ") ? "" : " ");
    const caret = offer.from + one.insert.length;
    onChange(text);
    requestAnimationFrame(() => {
      field.current.setSelectionRange(caret, caret);
      look(text, caret);
    });
  };
  const keys = (event) => {
    const list = offer?.list ?? [];
    if (event.key === "Escape") {
      event.stopPropagation();
      if (offer) setOffer(null);
      else if (value) onChange("");
      else field.current.blur();
    } else if (event.key === "ArrowDown" && !offer) look(value, field.current.selectionStart);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") setAt((at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1) + list.length) % list.length);
    else if ((event.key === "Enter" || event.key === "Tab") && offer && at >= 0) take(list[at]);
    else if (event.key === "Enter") setOffer(null);
    else return;
    event.preventDefault();
  };
  // While the reader still writes a term, what is not finished there is no error.
  const writing = focused && field.current ? field.current.selectionStart : -1;
  const shown = errors.filter(({ to }) => !(to === writing && to === value.length && /is missing|not closed/.test(errors[0].message)));
  return html`<div class="runs-search" role="search">
    <span class=${`search wide ${shown.length ? "wrong" : ""}`}>
      <${Icon} name="search" size=${14} />
      <span class="runs-search-text">
        <span class="runs-search-behind" aria-hidden="true" ref=${behind}>${marked(value, shown)}</span>
        <input ref=${field} type="text" role="combobox" aria-label="Search runs" aria-expanded=${Boolean(offer)} aria-controls=${`${id}-list`} aria-autocomplete="list" aria-activedescendant=${offer && at >= 0 ? `${id}-${at}` : null}
          aria-invalid=${shown.length ? "true" : null} aria-describedby=${shown.length ? `${id}-wrong` : null} placeholder="Search: resnet  tag:baseline  loss<0.5  finding:dead_relu" value=${value} autocomplete="off" spellcheck=${false}
          onInput=${input} onKeyDown=${keys} onScroll=${scroll} onFocus=${() => setFocused(true)} onBlur=${() => { setFocused(false); setOffer(null); }} />
      </span>
      <span class="search-count faint n" role="status">${count}</span>
      ${value ? html`<button type="button" class="button plain small icon" aria-label="Empty the search" onClick=${() => { onChange(""); field.current.focus(); }}><${Icon} name="close" size=${12} /></button>` : html`<kbd aria-hidden="true">/</kbd>`}
    </span>
    ${offer && html`<ul class="runs-offer menu" id=${`${id}-list`} role="listbox" aria-label="What may come next">${offer.list.map((one, i) => html`<li key=${one.label} id=${`${id}-${i}`} role="option" aria-selected=${i === at} class="menu-item" onMouseDown=${(event) => { event.preventDefault(); take(one); }}>
      <span class="said cut">${one.label}</span><span class="faint small cut">${one.hint}</span></li>`)}</ul>`}
    ${shown.length > 0 && html`<div id=${`${id}-wrong`} role="alert"><ul class="runs-wrong">${shown.slice(0, 3).map((one) => html`<li key=${one.from}><button type="button" class="button plain small" onClick=${() => { field.current.focus(); field.current.setSelectionRange(one.from, one.to); }}>
      <${Icon} name="error" size=${12} /><span class="said">${one.message}</span></button></li>`)}</ul></div>`}
  </div>`;
}

// marked is the text with its wrong parts underlined, to lie behind the field.
function marked(text, errors) {
  const parts = [];
  let at = 0;
  for (const { from, to } of errors) {
    if (from < at) continue;
    parts.push(text.slice(at, from), html`<mark key=${from}>${text.slice(from, to) || " "}</mark>`);
    at = to;
  }
  return [...parts, text.slice(at)];
}
