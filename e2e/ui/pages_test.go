package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// pagesOfARun are the pages that each run has.
var pagesOfARun = []string{"overview", "curves", "tensors", "findings", "machine", "time", "controls"}

// Each page of each recorded run is drawn whole, says nothing in the console, and
// axe-core finds nothing serious, in both themes and on a narrow screen.
func TestPages(t *testing.T) {
	source := axe(t)
	for _, run := range []string{healthy, faulty, ranks, boosting, slow, damaged} {
		t.Run(run, func(t *testing.T) {
			b := open(t, shared, "/runs")
			for _, page := range pagesOfARun {
				b.visit("/runs/" + run + "/" + page)
				if h := b.text("h1"); h == "" {
					t.Errorf("%s: no heading", page)
				}
				b.picture(run + "-" + page)
				if run == healthy || run == faulty {
					b.accessible(source)
				}
			}
		})
	}
	t.Run("list", func(t *testing.T) {
		b := open(t, shared, "/runs")
		for _, run := range []string{healthy, faulty, ranks, boosting, slow, damaged} {
			b.shows(run)
		}
		b.picture("runs")
		b.accessible(source)
		b.visit("/best")
		b.accessible(source)
		b.picture("best-light")
		b.visit("/runs")
		b.theme("dark")
		b.accessible(source)
		b.picture("runs-dark")
		b.visit("/best")
		b.accessible(source)
		b.picture("best-dark")
		for _, page := range pagesOfARun {
			b.visit("/runs/" + faulty + "/" + page)
			b.accessible(source)
			b.picture(faulty + "-" + page + "-dark")
		}
		b.theme("light")
		b.size(390, 844)
		b.visit("/runs")
		b.narrow("/runs")
		b.picture("runs-narrow")
		b.visit("/best")
		b.narrow("/best")
		b.picture("best-narrow")
		for _, page := range pagesOfARun {
			b.visit("/runs/" + faulty + "/" + page)
			b.narrow(page)
			b.picture(faulty + "-" + page + "-narrow")
		}
	})
}

// narrow checks that nothing but a table or a chart of its own is wider than the screen.
func (b *tab) narrow(page string) {
	b.Helper()
	if wide := b.value(`document.documentElement.scrollWidth - window.innerWidth`); strings.TrimPrefix(wide, "-") == wide && wide != "0" {
		b.Errorf("%s is %s pixels wider than a narrow screen", page, wide)
	}
}

// picture writes a picture of the page where VIGIL_TEST_PICTURES names a directory.
func (b *tab) picture(name string) {
	b.Helper()
	dir := os.Getenv("VIGIL_TEST_PICTURES")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.Fatal(err)
	}
}
