package ui

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/vigil-ml/vigil/internal/testenv/written"
)

// The dashboard is reached in other ways than by its own address.

// A page of another port, such as a notebook's, shows the dashboard in a frame: where
// it is named, and nowhere else. Another host name is another site, which browsers keep
// cookies from.
func TestTheDashboardInAFrame(t *testing.T) {
	const notebook = "the page around it"
	var framed string // its address
	around := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>x</title><link rel="icon" href="data:,"><p>%s</p><iframe src="%s" width="1000" height="700"></iframe>`, notebook, framed)
	}))
	defer around.Close()
	origin := around.URL // http://127.0.0.1:PORT
	for _, c := range []struct {
		name  string
		flags []string
		host  string // that the frame calls the dashboard
		shown bool
	}{
		{"no page is named", nil, "127.0.0.1", false},
		{"another page is named", []string{"--framed-by", "http://127.0.0.1:1"}, "127.0.0.1", false},
		{"its own address is named", []string{"--framed-by", "self"}, "127.0.0.1", false},
		{"the page is named", []string{"--framed-by", origin}, "127.0.0.1", true},
		{"the page is named, and is of another site", []string{"--framed-by", origin}, "localhost", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := serving(t, root, c.flags...)
			framed = strings.Replace(d.URL, "127.0.0.1", c.host, 1)
			b := empty(t, d)
			b.forgive("frame-ancestors")
			b.forgive("chrome-error://")
			b.do(chromedp.Navigate(around.URL))
			b.shows(notebook)
			want := `location.href.startsWith("chrome-error:")`
			if c.shown {
				want = `document.querySelector("h1")?.innerText === "Runs" && !location.search && document.body.innerText.includes("Live")`
			}
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
				got, err := b.inFrame(want)
				if got {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("in the frame is not %s: %v", want, err)
				}
			}
		})
	}
}

// inFrame evaluates an expression in the one frame of a page. A frame of another site
// is a target of its own.
func (b *tab) inFrame(expression string) (bool, error) {
	targets, err := chromedp.Targets(b.ctx)
	if err != nil {
		return false, err
	}
	for _, one := range targets {
		if one.Type == "iframe" {
			ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithTargetID(one.TargetID), chromedp.WithDetachOnCancel())
			defer cancel()
			return chromedp.Run(ctx, chromedp.Evaluate[bool](`!!(`+expression+`)`))
		}
	}
	tree, err := chromedp.Call(b.ctx, page.GetFrameTree, cdp.Empty{})
	if err != nil || len(tree.FrameTree.ChildFrames) == 0 {
		return false, fmt.Errorf("there is no frame: %w", err)
	}
	world, err := chromedp.Call(b.ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.ChildFrames[0].Frame.ID})
	if err != nil {
		return false, err
	}
	found, err := chromedp.Call(b.ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: `!!(` + expression + `)`, ContextID: world.ExecutionContextID})
	if err != nil || found.Result == nil {
		return false, err
	}
	return string(found.Result.Value) == "true", nil
}

// Behind a reverse proxy with a path and a name of its own all works as without one:
// pages, changes, and events at once.
func TestBehindAReverseProxy(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	written.Write(t, root, "first")
	for _, c := range []struct {
		name  string
		start func(http.Handler) *httptest.Server
	}{
		{"plain", httptest.NewServer},
		{"TLS at the proxy", httptest.NewTLSServer},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := serving(t, root, "--base-path", "/lab/vigil", "--host", "lab.example.org")
			behind, err := url.Parse(strings.TrimSuffix(d.base, "/lab/vigil"))
			if err != nil {
				t.Fatal(err)
			}
			proxy := c.start(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(behind)
				r.SetXForwarded()
				r.Out.Host = "lab.example.org"
			}})
			t.Cleanup(func() { // after the streams' ends
				proxy.CloseClientConnections()
				proxy.Close()
			})
			client := proxy.Client()
			client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			ask := func(method, path, body string, headers ...string) *http.Response {
				t.Helper()
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				t.Cleanup(cancel)
				r, err := http.NewRequestWithContext(ctx, method, proxy.URL+path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				for i := 0; i < len(headers); i += 2 {
					r.Header.Set(headers[i], headers[i+1])
				}
				answer, err := client.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { answer.Body.Close() })
				return answer
			}
			entered := ask("GET", "/lab/vigil/runs?token="+d.Token, "")
			cookie, secure := entered.Header.Get("Set-Cookie"), proxy.TLS != nil
			if entered.StatusCode != 303 || entered.Header.Get("Location") != "/lab/vigil/runs" || !strings.Contains(cookie, "Path=/lab/vigil/;") || strings.Contains(cookie, "Secure") != secure {
				t.Fatalf("%s to %q with %q", entered.Status, entered.Header.Get("Location"), cookie)
			}
			cookie, _, _ = strings.Cut(cookie, ";")
			if got := ask("GET", "/lab/vigil/runs", "", "Cookie", cookie).StatusCode; got != 200 {
				t.Errorf("the page: %d", got)
			}
			scheme := strings.SplitN(proxy.URL, ":", 2)[0]
			for from, want := range map[string]int{scheme + "://lab.example.org": 200, "https://evil.example": 403} {
				got := ask("PUT", "/lab/vigil/api/v1/runs/first/note", `{"note":"seen"}`, "Cookie", cookie, "X-Vigil", "1", "Origin", from, "Content-Type", "application/json").StatusCode
				if got != want {
					t.Errorf("a change from %s: %d, want %d", from, got, want)
				}
			}
			stream := ask("GET", "/lab/vigil/api/v1/stream", "", "Cookie", cookie, "Accept", "text/event-stream")
			if lines := bufio.NewScanner(stream.Body); !lines.Scan() { // without waiting for more
				t.Errorf("the stream says nothing: %v", lines.Err())
			}
			if secure {
				return // the browser does not know the certificate
			}
			there := &dashboard{URL: strings.Replace(proxy.URL, "127.0.0.1", "localhost", 1) + "/lab/vigil/?token=" + d.Token}
			there.base, _, _ = strings.Cut(there.URL, "/?")
			b := open(t, there, "/runs")
			b.shows("first")
			b.shows("Live")
			b.click("first")
			b.settled()
			if at := b.value("location.pathname"); at != "/lab/vigil/runs/first/overview" {
				t.Errorf("a link leads to %s", at)
			}
		})
	}
}
