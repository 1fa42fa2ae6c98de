// A button that opens a list of actions. Arrow keys, Home, End and first letters move in it, Escape closes it.
import { html, useId, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { Icon } from "./icon.js";

// items: {label, run | href, checked, disabled, why, danger, key, icon, keep} or {heading} or {divider: true}. keep: the menu stays open.
// <Menu label="Export" icon="download" items=${[{label: "PNG", run: ...}]} />; with words=${false} the button shows only its icon.
export function Menu({ label, icon, words = true, items, button = "", align = "end", children }) {
  const id = useId();
  const anchor = useRef(null);
  const list = useRef(null);
  const [open, setOpen] = useState(false);
  // The list is drawn when it is open; only then it has a size and something to focus.
  useLayoutEffect(() => {
    if (!open) return;
    place(list.current, anchor.current, align);
    (list.current.querySelector("[aria-checked=true]") ?? entries(list.current)[0])?.focus();
  }, [open]);
  const choose = (item) => {
    if (item.disabled) return;
    if (!item.keep) {
      list.current.hidePopover();
      anchor.current.focus();
    }
    item.run?.();
  };
  return html`<span class="menu-anchor">
    <button type="button" ref=${anchor} class=${`button ${button} ${words ? "" : "icon"}`} popovertarget=${id} aria-haspopup="menu" aria-expanded=${open} aria-label=${words ? null : label} title=${words ? null : label}
      onKeyDown=${(event) => { if (event.key === "ArrowDown" && !open) { event.preventDefault(); list.current.showPopover(); } }}>
      ${children ?? html`${icon && html`<${Icon} name=${icon} />`}${words && label}${words && html`<${Icon} name="down" size=${12} />`}`}
    </button>
    <div id=${id} ref=${list} popover="auto" role="menu" aria-label=${label} class="menu" onToggle=${(event) => setOpen(event.newState === "open")} onKeyDown=${(event) => steer(event, list.current)}>
      ${open && items.filter(Boolean).map((item, i) => html`<${Entry} key=${item.label ?? item.heading ?? i} item=${item} choose=${choose} />`)}
    </div>
  </span>`;
}

function Entry({ item, choose }) {
  if (item.divider) return html`<div role="separator" class="menu-divider"></div>`;
  if (item.heading) return html`<div class="menu-heading">${item.heading}</div>`;
  const mark = item.checked === undefined ? item.icon && html`<${Icon} name=${item.icon} size=${14} />` : item.checked && html`<${Icon} name="check" size=${14} />`;
  const inside = html`<span class="menu-mark">${mark}</span><span class="grow cut">${item.label}</span>${item.key && html`<kbd>${item.key}</kbd>`}`;
  const shared = { role: item.checked === undefined ? "menuitem" : "menuitemcheckbox", "aria-checked": item.checked === undefined ? null : Boolean(item.checked), tabIndex: -1, class: `menu-item ${item.danger ? "danger" : ""}`, title: item.disabled ? item.why : item.title };
  if (item.href) return html`<a ...${shared} href=${item.href} download=${item.download} onClick=${() => choose({ keep: false })}>${inside}</a>`;
  return html`<button type="button" ...${shared} aria-disabled=${item.disabled ? "true" : null} onClick=${() => choose(item)}>${inside}</button>`;
}

const entries = (list) => [...list.querySelectorAll(".menu-item")];

function steer(event, list) {
  const all = entries(list);
  const at = all.indexOf(document.activeElement);
  let to = -1;
  if (event.key === "ArrowDown") to = (at + 1) % all.length;
  else if (event.key === "ArrowUp") to = (at - 1 + all.length) % all.length;
  else if (event.key === "Home") to = 0;
  else if (event.key === "End") to = all.length - 1;
  else if (event.key === "Tab") return list.hidePopover();
  else if (event.key.length === 1 && event.key !== " " && !event.ctrlKey) {
    const letter = event.key.toLowerCase();
    to = [...all.keys()].map((i) => (i + at + 1) % all.length).find((i) => all[i].textContent.trim().toLowerCase().startsWith(letter)) ?? -1;
  } else return;
  event.preventDefault();
  event.stopPropagation();
  all[to]?.focus();
}

// place puts a popover below its anchor, or above where there is no room, and never outside the window.
export function place(popover, anchor, align = "start") {
  const from = anchor.getBoundingClientRect();
  const size = popover.getBoundingClientRect();
  const left = align === "end" ? from.right - size.width : from.left;
  const below = from.bottom + 4;
  const top = below + size.height > innerHeight - 8 && from.top - size.height - 4 > 8 ? from.top - size.height - 4 : below;
  popover.style.setProperty("left", `${Math.max(8, Math.min(left, innerWidth - size.width - 8))}px`);
  popover.style.setProperty("top", `${Math.max(8, Math.min(top, innerHeight - size.height - 8))}px`);
}
