package ui

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// leaping logs a loss that grows out of bounds: one finding is the root, others follow from it.
const leaping = `
import time
import vigil

for i in range(300):
    time.sleep(0.0005)
    vigil.log({"loss": 2 * 1.2 ** i}, step=i)
`

// silent leaves nothing to judge.
const silent = `print("done")`

// loops writes the two programs and records a run of each.
func loops(t *testing.T, root string) {
	t.Helper()
	dir := t.TempDir()
	for _, p := range []struct{ name, text string }{{"leaping", leaping}, {"silent", silent}} { // in this order
		path := filepath.Join(dir, p.name+".py")
		if err := os.WriteFile(path, []byte(p.text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := recordRun(dir, root, p.name, []string{testenv.Python(t), path}); err != nil {
			t.Fatal(err)
		}
	}
}

// Who mutes a root is asked about what follows from it: that still counts, or it is muted, too.
// Neither a muted run nor one in which nothing was judged looks like one in which all is well.
func TestMuteARoot(t *testing.T) {
	root := t.TempDir()
	loops(t, root)
	b := open(t, serving(t, root), "/runs/leaping/findings")
	mute := func(follows string) {
		t.Helper()
		b.visit("/runs/leaping/findings")
		b.click("Mute")
		b.wait(`document.querySelector("dialog[open] input[type=text]")`)
		b.shows("from it:")
		b.click(follows)
		b.do(chromedp.SendKeys("dialog input[type=text]", "it is meant to"))
		b.value(`document.querySelector("dialog button[type=submit]").click()`)
		b.wait(`!document.querySelector("dialog[open]")`)
	}
	rootFinding := b.value(`document.querySelector(".finding").getAttribute("aria-label")`)

	mute("Still count")
	b.visit("/runs/leaping/overview")
	b.shows("muted and do")
	if !b.has("1 note, no problems") || b.has(rootFinding) {
		t.Errorf("%q is muted, what follows from it is not: %s", rootFinding, b.text("main"))
	}
	b.visit("/runs/leaping/findings?show=muted")
	b.click("Let it count again")
	b.visit("/runs/leaping/findings")
	b.shows(rootFinding)

	mute("Muted with it")
	b.visit("/runs/leaping/overview")
	b.wait(`document.querySelector("h1").innerText.startsWith("Nothing that counts: 3 findings are muted.")`)
	b.visit("/runs/silent/overview")
	b.wait(`document.querySelector("h1").innerText.startsWith("Nothing was judged")`)
	b.visit("/")
	b.lists("silent leaping")
	for _, title := range []string{"Muted", "Nothing judged"} {
		b.wait(`document.querySelector('.table .severity[title="` + title + `"]')`)
	}
	if b.value(`document.querySelector('.table .severity[title="No findings"]')`) != "null" {
		t.Error("a run that was not judged, or is muted, has the sign of one in which all is well")
	}
}
