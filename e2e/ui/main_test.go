// Package ui looks at the dashboard from outside: the built program, recorded runs,
// and a real browser.
package ui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// What all tests share: the program, the runs, a dashboard over them, a browser.
var (
	binary   string
	root     string // of the recorded runs
	shared   *dashboard
	chromium context.Context
)

func TestMain(m *testing.M) {
	testenv.DefaultSignals()
	os.Exit(func() int {
		if err := prepare(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(filepath.Dir(binary))
		defer shared.end()
		if flag.Parse(); flag.Lookup("test.run").Value.String() == "" {
			generated()
		}
		return m.Run()
	}())
}

func prepare() error {
	dir, err := os.MkdirTemp("", "vigil-ui-")
	if err != nil {
		return fmt.Errorf("make a directory for the tests: %w", err)
	}
	binary, root = filepath.Join(dir, "vigil"), filepath.Join(dir, "runs")
	if err := testenv.Build(binary); err != nil {
		return err
	}
	if err := recordRuns(dir, root); err != nil {
		return err
	}
	shared, err = serve(dir, root)
	return err
}

// browser is the one browser of all tests; each test has tabs of its own.
func browser(t *testing.T) context.Context {
	t.Helper()
	if chromium != nil {
		return chromium
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(testenv.Browser(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.WindowSize(1280, 900))
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	chromium = ctx
	return ctx
}
