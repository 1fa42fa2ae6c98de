package boosting

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv/browser"
)

// The page works in a real browser in both themes: charts are drawn, nothing
// complains, hostile names stay text. VIGIL_TEST_PICTURES names a directory for
// pictures, for a person to look at.
func TestReportInBrowser(t *testing.T) {
	for name, training := range map[string]training{"two": twoClasses, "three": threeClasses, "numbers": numbers} {
		path := filepath.Join(t.TempDir(), "report.html")
		if err := WriteFile(path, makeRun(t, training), Options{Now: time.Unix(0, 0)}); err != nil {
			t.Fatal(err)
		}
		b := browser.New(t)
		b.Do(chromedp.Navigate("file://" + path))
		b.Wait(`document.documentElement.dataset.ready === "yes"`)
		for _, tt := range []struct{ what, expression string }{
			{"hostile names stay text", `window.broken === undefined && document.querySelectorAll("b").length === 0`},
			{"every chart has a size", `[...document.querySelectorAll("svg")].length > 1 && [...document.querySelectorAll("svg")].every((s) => s.getBoundingClientRect().height > 20)`},
			{"the links lead somewhere", `[...document.querySelectorAll("nav a")].every((a) => document.querySelector(a.getAttribute("href")))`},
			{"the page is no wider than the window", `document.documentElement.scrollWidth <= window.innerWidth`},
			{"the theme changes", `(() => { const r = document.documentElement, was = getComputedStyle(document.body).backgroundColor; document.getElementById("theme").click(); return getComputedStyle(document.body).backgroundColor !== was; })()`},
		} {
			if !b.Evaluate(tt.expression) {
				t.Errorf("%s: %s: %s is not true", name, tt.what, tt.expression)
			}
		}
		if name == "two" {
			for _, e := range []string{
				`document.querySelectorAll("#importance svg rect.bar").length === 4`, `document.querySelectorAll("#metrics svg path.line").length === 3`,
				`document.querySelectorAll("#confusion td.right").length === 2`, `document.querySelectorAll("#shap circle").length === 6`,
			} {
				if !b.Evaluate(e) {
					t.Errorf("%s is not true", e)
				}
			}
		}
		for _, theme := range []string{"light", "dark"} {
			png := b.Picture(theme)
			if dir := os.Getenv("VIGIL_TEST_PICTURES"); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, "xgboost-"+name+"-"+theme+".png"), png, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
