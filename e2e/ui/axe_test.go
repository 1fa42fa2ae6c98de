package ui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// violation is what axe-core says of a page.
type violation struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// axe is the source of axe-core 4.14.1, as its makers release it.
func axe(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatalf("read axe-core: %v", err)
	}
	return string(b)
}

// accessible fails the test for each serious finding of axe-core on the page as it is.
func (b *tab) accessible(source string) {
	b.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](source+"; true")); err != nil {
		b.Fatalf("load axe-core: %v", err)
	}
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](
		`axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations))`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("run axe-core: %v", err)
	}
	var list []violation
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		b.Fatal(err)
	}
	for _, v := range list {
		if v.Impact != "serious" && v.Impact != "critical" {
			b.Logf("axe: %s (%s): %s", v.ID, v.Impact, v.Help)
			continue
		}
		for i, n := range v.Nodes {
			if i < 3 {
				b.Errorf("axe: %s (%s): %s: %.300s: %s", v.ID, v.Impact, v.Help, n.HTML, n.Summary)
			}
		}
	}
}
