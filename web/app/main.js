// The start of the page.
import { html, render } from "./vendor/preact.js";
import { watch } from "./core/server.js";
import { Frame } from "./frame/frame.js";
import "./frame/keys.js";

watch();
render(html`<${Frame} />`, document.getElementById("app"));
