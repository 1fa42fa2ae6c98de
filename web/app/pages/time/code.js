import { html } from "../../vendor/preact.js";
export const Code = () => html``;
