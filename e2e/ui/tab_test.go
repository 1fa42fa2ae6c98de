package ui

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv/browser"
)

// tab is one tab of the browser. What the page complains of in the console fails
// the test.
type tab struct {
	*testing.T
	ctx context.Context
	at  *dashboard

	mu        sync.Mutex
	forgiven  []string
	complaint []string
}

// open opens a page of the dashboard, such as "/runs", with the token.
func open(t *testing.T, d *dashboard, path string) *tab {
	t.Helper()
	b := empty(t, d)
	b.do(chromedp.Navigate(d.URL)) // sets the cookie
	b.visit(path)
	return b
}

// empty is a tab of a browser that has not been there.
func empty(t *testing.T, d *dashboard) *tab {
	t.Helper()
	ctx := browser.Context(t)
	b := &tab{T: t, ctx: ctx, at: d}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" || m.Type == "warning" {
				b.mu.Lock()
				b.complaint = append(b.complaint, m.String()+" "+m.URL)
				b.mu.Unlock()
			}
		}
	}()
	b.do(chromedp.EmulateViewport(1280, 900))
	t.Cleanup(b.checkConsole)
	return b
}

// forgive lets complaints pass that hold a text: those a test causes on purpose.
func (b *tab) forgive(text string) { b.forgiven = append(b.forgiven, text) }

func (b *tab) checkConsole() {
	b.mu.Lock()
	defer b.mu.Unlock()
next:
	for _, c := range b.complaint {
		for _, f := range b.forgiven {
			if strings.Contains(c, f) {
				continue next
			}
		}
		b.Errorf("the page complains: %s", c)
	}
}

// visit goes to a page and waits until it is drawn: nothing is loading any more.
func (b *tab) visit(path string) {
	b.Helper()
	b.do(chromedp.Navigate(b.at.base + path))
	b.settled()
}

// settled waits until the page has a heading and nothing is busy.
func (b *tab) settled() {
	b.Helper()
	b.wait(`document.querySelector("h1") && !document.querySelector("[aria-busy=true]")`)
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// wait asks until an expression of the page is true.
func (b *tab) wait(expression string) {
	b.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(30 * time.Millisecond) {
		v, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`!!(`+expression+`)`))
		if err == nil && v {
			return
		}
		if time.Now().After(deadline) {
			text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText.slice(0, 2000)`))
			b.Fatalf("wait for %s: %v, %v; on the page: %s", expression, v, err, text)
		}
	}
}

// still waits until a canvas has been painted in the size it has on the page, and three
// frames in a row change nothing: a page that gets a scrollbar paints once more.
func (b *tab) still(selector string) {
	b.Helper()
	b.value(`(() => {
		window.still = false;
		let before = "", same = 0;
		const look = () => {
			const canvas = document.querySelector(` + quote(selector) + `);
			const now = canvas && canvas.width === Math.round(canvas.clientWidth * devicePixelRatio) ? canvas.toDataURL() : "";
			same = now && now === before ? same + 1 : 0;
			before = now;
			if (same === 3) window.still = true;
			else requestAnimationFrame(look);
		};
		look();
	})()`)
	b.wait(`window.still`)
}

// shows waits until the page has a text.
func (b *tab) shows(text string) {
	b.Helper()
	b.wait(`document.body.innerText.includes(` + quote(text) + `)`)
}

// text is what the page shows at a selector.
func (b *tab) text(selector string) string {
	return b.value(`document.querySelector(` + quote(selector) + `).innerText`)
}

// value evaluates an expression to a text.
func (b *tab) value(expression string) string {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`String(`+expression+`)`))
	if err != nil {
		b.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}

// click clicks what a person would call by this name: a button, link or tab, once it can be clicked.
func (b *tab) click(name string) {
	b.Helper()
	find := `[...document.querySelectorAll("button, a, [role=tab], [role=menuitem], [role=option], summary")].find(e =>
		(e.getAttribute("aria-label") || e.innerText).trim().startsWith(` + quote(name) + `) && e.offsetParent !== null && !e.disabled)`
	b.wait(find)
	b.value(find + `.click()`)
}

// keys presses keys where the focus is.
func (b *tab) keys(keys string) {
	b.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// theme makes the page light or dark, as the system would ask for it.
func (b *tab) theme(name string) {
	b.Helper()
	feature := emulation.MediaFeature{Name: "prefers-color-scheme", Value: name}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{&feature}}); err != nil {
		b.Fatal(err)
	}
	b.wait(`document.documentElement.dataset.theme === ` + quote(name) + ` && !document.getAnimations().some(a => a instanceof CSSTransition)`)
}

// size makes the window so large.
func (b *tab) size(width, height int64) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

func quote(text string) string {
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	return `"` + r.Replace(text) + `"`
}
