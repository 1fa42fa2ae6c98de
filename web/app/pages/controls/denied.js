// Why something cannot be done here, next to the button that would do it.
import { html } from "../../vendor/preact.js";

export const Denied = ({ may }) => (may.allowed ? null : html`<p class="small quiet controls-why">${may.why_not}</p>`);
