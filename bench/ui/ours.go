//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/chromedp/chromedp"
)

func build(dir string) (string, error) {
	binary := filepath.Join(dir, "vigil")
	cmd := exec.Command("go", "build", "-o", binary, "./cmd/vigil")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build vigil: %w\n%s", err, out)
	}
	return binary, nil
}

// measureOurs opens the page in new tabs of one browser, a server of its own each time.
func measureOurs(binary, root string, s scenario, turns int) (opened, zooms []time.Duration, err error) {
	ctx, cancel, err := openBrowser()
	if err != nil {
		return nil, nil, err
	}
	defer cancel()
	for range turns {
		url, end, err := serve(binary, root)
		if err != nil {
			return nil, nil, err
		}
		if s.cold {
			if err := dropCache(); err != nil {
				end()
				return nil, nil, err
			}
		}
		base, _, _ := strings.Cut(url, "/?")
		tab, shut := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
		took, err := timeOpen(tab, url, base+s.path, s.ready)
		if err == nil && s.zoom {
			var list []time.Duration
			list, err = timeZoom(tab, base, s)
			zooms = append(zooms, list...)
		}
		shut()
		end()
		if err != nil {
			return nil, nil, err
		}
		opened = append(opened, took)
	}
	return opened, zooms, nil
}

// serve starts `vigil ui` and gives its address and how to end it.
func serve(binary, root string) (string, func(), error) {
	cmd := exec.Command(binary, "ui", root, "--listen", "127.0.0.1:0", "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	end := func() { _ = cmd.Process.Signal(syscall.SIGINT); _ = cmd.Wait() }
	line, err := bufio.NewReader(out).ReadBytes('}')
	var at struct{ URL string }
	if err == nil {
		err = json.Unmarshal(line, &at)
	}
	if err != nil {
		end()
		return "", nil, fmt.Errorf("read the address of vigil ui: %w", err)
	}
	return at.URL, end, nil
}

func openBrowser() (context.Context, context.CancelFunc, error) {
	path := os.Getenv("VIGIL_TEST_BROWSER")
	if path == "" {
		path = "chromium"
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1600, 1000))
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		cancel()
		end()
		return nil, nil, fmt.Errorf("start the browser: %w", err)
	}
	return ctx, func() { cancel(); end() }, nil
}

// timeOpen is the time from asking for a page until its content is painted: two
// frames after it is there.
func timeOpen(tab context.Context, first, url, ready string) (time.Duration, error) {
	if first != "" { // sets the cookie
		if err := chromedp.Do(tab, chromedp.Navigate(first), chromedp.Navigate("about:blank")); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	if err := chromedp.Do(tab, chromedp.Navigate(url)); err != nil {
		return 0, err
	}
	if err := until(tab, ready); err != nil {
		return 0, err
	}
	return time.Since(began), nil
}

// until waits for an expression, and for two frames more.
func until(tab context.Context, ready string) error {
	for deadline := time.Now().Add(2 * time.Minute); ; {
		ok, err := chromedp.Run(tab, chromedp.Evaluate[bool](`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(!!(`+ready+`)))))`, chromedp.EvalAwaitPromise))
		if err == nil && ok {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("%s is not true after two minutes", ready), err)
		}
	}
}

// timeZoom narrows the range of the page and moves it, each time from the address
// being set until the chart is drawn again.
func timeZoom(tab context.Context, base string, s scenario) ([]time.Duration, error) {
	var list []time.Duration
	width, from := 5_000_000, 100_000
	for i := range 20 {
		began := time.Now()
		query := fmt.Sprintf("?from=%d&to=%d", from, from+width)
		script := fmt.Sprintf(`history.pushState(null, "", %q), dispatchEvent(new PopStateEvent("popstate")), true`, base+s.path+query)
		if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](script)); err != nil {
			return nil, err
		}
		if err := until(tab, s.ready); err != nil {
			return nil, err
		}
		list = append(list, time.Since(began))
		if i%2 == 0 {
			width /= 2
		} else {
			from += width / 3
		}
	}
	return list, nil
}

// dropCache drops the kernel's cache of files; needs root.
func dropCache() error {
	syscall.Sync()
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("1"), 0o200); err != nil {
		return fmt.Errorf("drop the file cache: %w; it needs root", err)
	}
	return nil
}
