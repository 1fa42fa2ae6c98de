// Runs the tests of the modules that the address names, one after another, and
// leaves what came of them in window.outcome.

const outcome = [];
for (const module of location.hash.slice(1).split(",")) {
  let tests;
  try {
    ({ tests } = await import(`/${module}`));
  } catch (e) {
    outcome.push({ module, name: "import", error: String(e.stack || e) });
    continue;
  }
  for (const [name, test] of Object.entries(tests)) {
    let error = "";
    try {
      await test();
    } catch (e) {
      error = String(e.stack || e);
    }
    outcome.push({ module, name, error });
  }
}
window.outcome = outcome;
document.body.textContent = JSON.stringify(outcome, null, 2);
