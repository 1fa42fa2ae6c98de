"use strict";
// The page is whole without this: it only follows, and switches, light and dark.
(function () {
  const root = document.documentElement;
  root.dataset.theme = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  });
  root.dataset.ready = "yes";
})();
