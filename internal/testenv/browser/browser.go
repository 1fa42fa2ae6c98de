// Package browser opens pages in a real browser, for the tests that look at
// them.
package browser

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp"
)

// Tab is a tab of a real browser, for one test.
type Tab struct {
	t   *testing.T
	ctx context.Context
}

// New opens a tab of the one browser, as a browser that was nowhere before has it.
// It is closed at the end of the test.
func New(t *testing.T) *Tab {
	t.Helper()
	b := &Tab{t, Context(t)}
	b.Do(chromedp.EmulateViewport(1280, 1000))
	b.Do(chromedp.Navigate("about:blank"))
	return b
}

// Collect has the scripts of the tab give back what nothing holds any more.
func (b *Tab) Collect() {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		b.t.Fatal(err)
	}
}

// Do does something in the tab.
func (b *Tab) Do(a chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, a); err != nil {
		b.t.Fatal(err)
	}
}

// Wait asks again and again until an expression is true. Where the page has
// just changed, the context that a question was put to may be gone before the
// answer: that one does not count.
func (b *Tab) Wait(expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		v, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](expression))
		if err == nil && v {
			return
		}
		if err != nil && !strings.Contains(err.Error(), "context") || time.Now().After(deadline) {
			b.t.Fatalf("wait for %s: %v, %v", expression, v, err)
		}
	}
}

// Evaluate says whether an expression is true.
func (b *Tab) Evaluate(expression string) bool {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](expression))
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}

// Text is the value of an expression that is a text.
func (b *Tab) Text(expression string) string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](expression))
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}

// Complaints are the errors that the page's script left behind.
func (b *Tab) Complaints() []string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`window.complaints || []`))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// Picture is a picture of the whole page in a theme, light or dark. The page
// has a button with the id theme.
func (b *Tab) Picture(theme string) []byte {
	b.t.Helper()
	b.Evaluate(`(() => { const r = document.documentElement; if (r.dataset.theme !== "` + theme + `") document.getElementById("theme").click(); return true; })()`)
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if len(png) < 10_000 {
		b.t.Errorf("the picture in the %s theme has %d bytes only", theme, len(png))
	}
	return png
}
