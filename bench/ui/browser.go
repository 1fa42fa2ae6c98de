//go:build linux

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// probe runs in each page before its own scripts.
//
//go:embed probe.js
var probe string

func browserPath() string {
	if path := os.Getenv("VIGIL_TEST_BROWSER"); path != "" {
		return path
	}
	return "chromium"
}

// browser is a Chromium without a window.
type browser struct {
	ctx    context.Context
	cancel []context.CancelFunc
}

func openBrowser(ctx context.Context) (*browser, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browserPath()), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1600, 1000),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	allocator, end := chromedp.NewExecAllocator(ctx, options...)
	in, cancel := chromedp.NewContext(allocator)
	b := &browser{in, []context.CancelFunc{cancel, end}}
	if err := chromedp.Do(in, chromedp.Navigate("about:blank")); err != nil {
		b.close()
		return nil, fmt.Errorf("start the browser: %w", err)
	}
	return b, nil
}

func (b *browser) close() {
	for _, cancel := range b.cancel {
		cancel()
	}
}

// pid is the browser's process; its others descend from it.
func (b *browser) pid() int {
	if p := chromedp.FromContext(b.ctx).Browser.Process(); p != nil {
		return p.Pid
	}
	return 0
}

// tab is a page in a profile of its own: nothing is in its cache.
type tab struct {
	ctx   context.Context
	close context.CancelFunc

	mu         sync.Mutex
	complaints []string
}

// open makes a tab whose pages are watched. ready is an expression that is true when
// what is asked for is on the screen, see probe.js.
func (b *browser) open(ready string) (*tab, error) {
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t := &tab{ctx: ctx, close: cancel}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" {
				t.mu.Lock()
				t.complaints = append(t.complaints, m.Text)
				t.mu.Unlock()
			}
		}
	}()
	source := strings.Replace(probe, "READY", ready, 1)
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source}); err != nil {
		cancel()
		return nil, err
	}
	return t, nil
}

// visit opens an address and gives the seconds until it was on the screen.
func (t *tab) visit(url string) (float64, error) {
	began := time.Now()
	if err := chromedp.Do(t.ctx, chromedp.Navigate(url)); err != nil {
		return 0, err
	}
	at, err := chromedp.Run(t.ctx, chromedp.Evaluate[float64](`bench.shown`, chromedp.EvalAwaitPromise))
	if err != nil {
		return 0, errors.Join(fmt.Errorf("it was never on the screen: %w", err), t.says())
	}
	return at/1000 - float64(began.UnixMicro())/1e6, nil
}

// number is the value of an expression, which may be a promise.
func (t *tab) number(expression string) (float64, error) {
	return chromedp.Run(t.ctx, chromedp.Evaluate[float64](expression, chromedp.EvalAwaitPromise))
}

// says is an error of what the page complained of in the console, and of what it shows.
func (t *tab) says() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	picture := filepath.Join(made, "failed.png")
	if png, err := chromedp.Run(t.ctx, chromedp.CaptureScreenshot()); err != nil || os.WriteFile(picture, png, 0o644) != nil {
		picture = ""
	}
	state, _ := chromedp.Run(t.ctx, chromedp.Evaluate[string](`bench.missing()`))
	return fmt.Errorf("the page is %s, and complains of %q; a picture of it: %s", state, t.complaints, picture)
}

// sound is an error where the page complained of something.
func (t *tab) sound() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.complaints) > 0 {
		return fmt.Errorf("the page complains %d times, first: %s", len(t.complaints), t.complaints[0])
	}
	return nil
}
