package golden

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv"
)

// browser is one tab in which nothing depends on the machine: fonts, scale, colours,
// clock and time zone are fixed, and nothing moves.
type browser struct {
	ctx      context.Context
	base     string        // of the server that it looks at
	patience time.Duration // for a page to be drawn
}

// stopped sets the clock of a page, and keeps what comes by itself from coming.
const stopped = `(() => {
	const now = %d, Real = Date;
	Date = class extends Real { constructor(...given) { if (given.length) super(...given); else super(now); } static now() { return now; } };
	setInterval = () => 0;
})()`

// open shows what a server answers. The clock of the page shows now; zero: the time.
func open(t *testing.T, handler http.Handler, now time.Time) *browser {
	t.Helper()
	fonts, err := filepath.Abs(filepath.Join("testdata", "fonts", "fonts.conf"))
	if err != nil {
		t.Fatal(err)
	}
	at := httptest.NewServer(handler)
	t.Cleanup(at.Close)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(testenv.Browser(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Env("FONTCONFIG_FILE="+fonts, "XDG_CACHE_HOME="+t.TempDir(), "TZ=UTC", "LANG=C.UTF-8"),
		chromedp.Flag("font-render-hinting", "none"), chromedp.Flag("disable-lcd-text", true), chromedp.Flag("force-device-scale-factor", "1"),
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)

	b := &browser{ctx, at.URL, time.Minute}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	if !now.IsZero() {
		if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: fmt.Sprintf(stopped, now.UnixMilli())}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := chromedp.Call(ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"}); err != nil {
		t.Fatal(err)
	}
	return b
}

// asOnItsHost answers as the server on the machine of the run that goes on does: there
// it can be controlled.
func asOnItsHost(next http.Handler) http.Handler {
	elsewhere := regexp.MustCompile(`"allowed":false,"why_not":"It(?:s job)? runs on [^}]*?"}`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/runs/"+going) {
			next.ServeHTTP(w, r)
			return
		}
		r.Header.Del("Accept-Encoding")
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		if answer.Code != http.StatusOK {
			w.WriteHeader(answer.Code)
			return
		}
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		_, _ = w.Write(elsewhere.ReplaceAll(answer.Body.Bytes(), []byte(`"allowed":true,"why_not":""}`)))
	})
}

// parts serves the gallery of the design system, which the tests of its parts have.
func parts(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(testenv.Root(), "web")
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(os.DirFS(filepath.Join(dir, "app"))))
	mux.Handle("/unit/", http.FileServer(http.Dir(filepath.Join(dir, "testdata"))))
	mux.Handle("/gallery/", http.FileServer(http.Dir(filepath.Join(dir, "testdata"))))
	at := httptest.NewServer(mux)
	t.Cleanup(at.Close)
	return at.URL
}

// visit goes to a page and waits until it is drawn.
func (b *browser) visit(t *testing.T, path string, l look, ready string) {
	t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(path, "/gallery/") {
		path = parts(t) + path
	} else {
		path = b.base + path
	}
	if ready == "" {
		ready = drawn
	}
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(l.width, least), chromedp.Navigate(path)); err != nil {
		t.Fatal(err)
	}
	b.settle(t, ready)
	// A window as high as the page: what is drawn when it comes into view is drawn.
	high, err := chromedp.Run(b.ctx, chromedp.Evaluate[int64](`document.documentElement.scrollHeight`))
	if err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(l.width, min(high, l.most))); err != nil {
		t.Fatal(err)
	}
	b.settle(t, ready)
}

// drawn is true of a page on which nothing is busy.
const drawn = `document.querySelector("h1") && !document.querySelector("[aria-busy=true]")`

// least is the height of a window, in pixels.
const least = 720

// settle waits until the page is drawn, and the frames after it, in which is drawn what
// was measured for the first time.
func (b *browser) settle(t *testing.T, ready string) {
	t.Helper()
	for range 2 {
		b.wait(t, ready)
		b.evaluate(t, `document.fonts.ready.then(() => new Promise((done) => { let left = 10; const frame = () => (left-- ? requestAnimationFrame(frame) : done(true)); frame(); }))`)
	}
}

// shot is a picture of the window.
func (b *browser) shot(t *testing.T) []byte {
	t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	return png
}

func (b *browser) evaluate(t *testing.T, expression string) {
	t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`Promise.resolve(`+expression+`).then(String)`, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatalf("evaluate %s: %v", expression, err)
	}
}

// wait asks until an expression of the page is true.
func (b *browser) wait(t *testing.T, expression string) {
	t.Helper()
	for deadline := time.Now().Add(b.patience); ; time.Sleep(20 * time.Millisecond) {
		is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`!!(`+expression+`)`))
		if err == nil && is {
			return
		}
		if time.Now().After(deadline) {
			text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText.slice(0, 2000)`))
			t.Fatalf("wait for %s: %v, %v; on the page: %s", expression, is, err, text)
		}
	}
}
