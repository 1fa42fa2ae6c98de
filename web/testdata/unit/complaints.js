// Whatever a page complains about, as texts for the tests. Imported first.
const complaints = (window.complaints = []);
const wanted = /made for (looking|the test)/;
const note = (text) => wanted.test(text) || complaints.push(text);
addEventListener("error", (event) => note(`error: ${event.message}`));
addEventListener("unhandledrejection", (event) => note(`rejection: ${event.reason}`));
addEventListener("securitypolicyviolation", (event) => note(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
for (const kind of ["error", "warn"]) {
  const say = console[kind];
  console[kind] = (...words) => {
    note(`console.${kind}: ${words.map((word) => word?.stack ?? String(word)).join(" ")}`);
    say(...words);
  };
}
