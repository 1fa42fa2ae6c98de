package ui

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/chromedp"
)

// mouse clicks with the mouse in the middle of an element, as soon as nothing lies over it.
func (b *tab) mouse(element string, options ...chromedp.MouseOption) {
	b.Helper()
	place := `(() => { const e = ` + element + `; const r = e?.getBoundingClientRect(); if (!r) return null; const [x, y] = [r.left + r.width / 2, r.top + r.height / 2]; return e.contains(document.elementFromPoint(x, y)) ? [x, y] : null; })()`
	b.wait(place)
	var at [2]float64
	if err := json.Unmarshal([]byte(b.value(`JSON.stringify(`+place+`)`)), &at); err != nil {
		b.Fatal(err)
	}
	b.do(chromedp.MouseClickXY(at[0], at[1], options...))
}

// row is the line of a run in the list.
func row(name string) string {
	return `[...document.querySelectorAll("tbody tr")].find(tr => tr.querySelector(".runs-name a")?.textContent === ` + quote(name) + `)`
}

// box is what a run is ticked by.
func box(name string) string { return row(name) + `?.querySelector("input[type=checkbox]")` }

// Runs are ticked with the mouse, one after another, and are all compared; so are
// those between two ticks, with Shift. A click on a line makes its run the active one,
// whatever was clicked before.
func TestListIsChosenByMouse(t *testing.T) {
	root := t.TempDir()
	listedRuns(t, root)
	b := open(t, serving(t, root), "/runs?sort=name&c=name&c=status")
	b.lists("resnet-0 resnet-2 resnet-4 resnet-6 vit-1 vit-3 vit-5 vit-7")
	chosen := func(names string) {
		t.Helper()
		b.wait(`[...document.querySelectorAll("tbody tr.chosen .runs-name a")].map(a => a.textContent).join(" ") === ` + quote(names))
	}

	b.mouse(box("resnet-2"))
	b.shows("1 run chosen")
	b.mouse(box("vit-5"))
	b.shows("2 runs chosen")
	b.mouse(box("resnet-0"))
	b.shows("3 runs chosen")
	chosen("resnet-0 resnet-2 vit-5")
	b.wait(`new URLSearchParams(location.search).getAll("run").sort().join(" ") === "resnet-0 resnet-2 vit-5"`)
	b.mouse(`document.querySelector(".runs-chosen a")`)
	b.wait(`location.pathname.endsWith("/curves") && new URLSearchParams(location.search).get("runs").split(",").sort().join(" ") === "resnet-0 resnet-2 vit-5"`)
	b.shows("3 shown")
	b.value(`history.back()`)
	b.shows("3 runs chosen")
	chosen("resnet-0 resnet-2 vit-5")

	b.mouse(box("resnet-2"))
	b.shows("2 runs chosen")
	b.mouse(box("vit-7"))
	b.mouse(box("vit-1"), chromedp.ButtonModifiers(chromedp.ModifierShift))
	chosen("resnet-0 vit-1 vit-3 vit-5 vit-7")
	b.shows("5 runs chosen")

	// A click on a line, not on its name, which is a link.
	for _, name := range []string{"resnet-6", "vit-3", "resnet-4"} {
		b.mouse(row(name) + `?.querySelector(".runs-status")`)
		b.wait(row(name) + `.classList.contains("active") && document.querySelectorAll("tr.active").length === 1`)
	}
	chosen("resnet-0 vit-1 vit-3 vit-5 vit-7")
	b.table()
	b.keys("x") // chooses the active one
	b.shows("6 runs chosen")
	chosen("resnet-0 resnet-4 vit-1 vit-3 vit-5 vit-7")
}
