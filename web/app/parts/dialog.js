// Dialogs: one that holds anything, and confirm(), which asks before something that cannot be taken back.
import { html, signal, useEffect, useId, useRef, useState } from "../vendor/preact.js";
import { Icon } from "./icon.js";

// Dialog is shown as long as it is rendered. onClose is called by Escape, the cross, and a click next to it.
export function Dialog({ title, onClose, children, wide = false, bare = false, label }) {
  const ref = useRef(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (before?.isConnected) before.focus();
    };
  }, []);
  const outside = (event) => event.target === ref.current && onClose();
  return html`<dialog ref=${ref} class=${`dialog ${wide ? "wide" : ""} ${bare ? "bare" : ""}`} aria-labelledby=${bare ? null : id} aria-label=${bare ? label : null}
      onCancel=${(event) => { event.preventDefault(); onClose(); }} onMouseDown=${outside}>
    ${bare ? children : html`<div class="dialog-inside">
      <header><h2 id=${id}>${title}</h2><button type="button" class="button plain icon" aria-label="Close" onClick=${onClose}><${Icon} name="close" /></button></header>
      ${children}
    </div>`}
  </dialog>`;
}

const asked = signal(null);

// confirm asks and answers true or false. With type: "NAME" the reader has to write that name first.
// if (await confirm({title: "Stop this run?", text: "...", action: "Stop", danger: true})) ...
export const confirm = (question) => new Promise((resolve) => {
  asked.value?.resolve(false);
  asked.value = { ...question, resolve };
});

// Dialogs is rendered once, by the frame.
export function Dialogs() {
  const question = asked.value;
  if (!question) return null;
  const answer = (yes) => {
    asked.value = null;
    question.resolve(yes);
  };
  return html`<${Question} key=${question.title} question=${question} answer=${answer} />`;
}

function Question({ question, answer }) {
  const [typed, setTyped] = useState("");
  const ready = !question.type || typed === question.type;
  const submit = (event) => {
    event.preventDefault();
    if (ready) answer(true);
  };
  return html`<${Dialog} title=${question.title} onClose=${() => answer(false)}>
    <form onSubmit=${submit} class="stack">
      ${question.text && html`<p class="quiet">${question.text}</p>`}
      ${question.type && html`<label class="stack tight"><span>Write <strong class="said">${question.type}</strong> to go on:</span>
        <input type="text" autofocus autocomplete="off" spellcheck=${false} value=${typed} onInput=${(event) => setTyped(event.target.value)} /></label>`}
      <footer class="line">
        <span class="grow"></span>
        <button type="button" class="button" autofocus=${question.danger && !question.type} onClick=${() => answer(false)}>${question.cancel ?? "Cancel"}</button>
        <button type="submit" class=${`button ${question.danger ? "danger" : "main"}`} autofocus=${!question.danger} disabled=${!ready}>${question.action ?? "OK"}</button>
      </footer>
    </form>
  <//>`;
}
