package browser

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// The one browser of a test program. To start one takes a second or more.
var shared struct {
	sync.Mutex
	ctx   context.Context // nil: none was needed yet
	main  bool            // Main ends it
	close func()
}

// Main is what TestMain of a package calls whose tests look at pages: it runs the
// tests, ends the browser that they share, and returns the exit code.
func Main(m *testing.M) int {
	shared.main = true
	defer func() {
		if shared.close != nil {
			shared.close()
		}
	}()
	return m.Run()
}

// Context is that of a new tab in the one browser, with cookies and storage of its
// own. It is closed at the end of the test.
func Context(t testing.TB) context.Context {
	t.Helper()
	one, err := start(t)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(one, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	return ctx
}

func start(t testing.TB) (context.Context, error) {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	switch {
	case !shared.main:
		t.Fatal("start the browser: TestMain of this package does not call browser.Main, which ends it")
	case shared.ctx != nil:
		return shared.ctx, nil
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(testenv.Browser(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.WindowSize(1280, 1000))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		end()
		return nil, fmt.Errorf("start the browser: %w", err)
	}
	shared.ctx, shared.close = ctx, func() { cancel(); end() }
	return ctx, nil
}
