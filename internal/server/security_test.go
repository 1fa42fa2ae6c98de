package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// What the dashboard promises about who may ask it, one test for each promise.

const rightToken = "the-right-token"

// app is a small page.
var app = fstest.MapFS{
	"index.html":     {Data: []byte(`<!doctype html><base href="/"><link rel="stylesheet" href="style/base.css"><script type="module" src="main.js"></script>`)},
	"main.js":        {Data: []byte(strings.Repeat("export const text = 1;\n", 100))},
	"style/base.css": {Data: []byte("body {}\n")},
}

// serveTest starts a server, as `vigil ui` does, and gives its address.
func serveTest(t *testing.T, o Options) string {
	t.Helper()
	if o.Root == "" {
		o.Root = t.TempDir()
	}
	if o.Token == "" {
		o.Token = rightToken
	}
	o.Version, o.App = "test", app
	return serveOne(t, New(o))
}

func serveOne(t *testing.T, s *Server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// asked is one request: "METHOD path", and headers as "Name: value" lines.
type asked struct {
	line    string
	headers string
	body    string
}

// ask sends a request as it is, follows nothing, and gives the answer and its body.
func ask(t *testing.T, server string, a asked) (*http.Response, string) {
	t.Helper()
	answer, body, err := try(t, server, a)
	if err != nil {
		t.Fatal(err)
	}
	return answer, body
}

// try is ask where the connection may break.
func try(t *testing.T, server string, a asked) (*http.Response, string, error) {
	t.Helper()
	method, path, _ := strings.Cut(a.line, " ")
	r, err := http.NewRequest(method, server+path, strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	if a.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for line := range strings.Lines(a.headers) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if name == "Host" {
			r.Host = value
		} else if name != "" {
			r.Header.Set(name, value)
		}
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Timeout: time.Minute,
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	answer, err := client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return answer, string(b), err
}

const (
	withBearer = "Authorization: Bearer " + rightToken + "\n"
	list       = "GET /api/v1/runs"
	toChange   = "PUT /api/v1/runs/none/note"
)

// cookieOf is the line of the cookie with a token.
func cookieOf(server, token string) string {
	_, port, _ := strings.Cut(strings.TrimPrefix(server, "http://"), ":")
	return fmt.Sprintf("Cookie: vigil-%s=%s\n", port, cookieValue(token))
}

func TestNobodyEntersWithoutTheToken(t *testing.T) {
	server := serveTest(t, Options{})
	for _, c := range []struct {
		name, line, headers string
		want                int
	}{
		{"nothing", list, "", 401},
		{"nothing, the page", "GET /", "", 401},
		{"nothing, a file of the page", "GET /assets/x/main.js", "", 401},
		{"nothing, the description", "GET /api/v1/openapi.json", "", 401},
		{"nothing, a change", toChange, "X-Vigil: 1", 401},
		{"nothing, the stream", "GET /api/v1/stream", "", 401},
		{"a wrong one", list, "Authorization: Bearer wrong", 401},
		{"the beginning of it", list, "Authorization: Bearer the-right", 401},
		{"as another scheme", list, "Authorization: Basic " + rightToken, 401},
		{"a wrong one in the address", "GET /?token=wrong", "", 401},
		{"the right one in the address of the API", list + "?token=" + rightToken, "", 401},
		{"a wrong cookie", list, cookieOf(server, "wrong"), 401},
		{"the cookie of another port", list, "Cookie: vigil-1=" + cookieValue(rightToken), 401},
		{"the token as the cookie", list, strings.Replace(cookieOf(server, ""), cookieValue(""), rightToken, 1), 401},
		{"the cookie as Bearer", list, "Authorization: Bearer " + cookieValue(rightToken), 401},
		{"the cookie in the address", "GET /?token=" + cookieValue(rightToken), "", 401},
		{"Bearer", list, withBearer, 200},
		{"the cookie", list, cookieOf(server, rightToken), 200},
		{"the cookie beside an old one", list, strings.TrimSpace(cookieOf(server, "old")) + strings.Replace(cookieOf(server, rightToken), "Cookie: ", "; ", 1), 200},
	} {
		answer, body := ask(t, server, asked{line: c.line, headers: c.headers})
		if answer.StatusCode != c.want {
			t.Errorf("%s: %s, want %d\n%s", c.name, answer.Status, c.want, body)
		}
		if strings.Contains(body+answer.Header.Get("Set-Cookie"), rightToken) {
			t.Errorf("%s: the answer has the token", c.name)
		}
		if c.want == 401 && answer.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: 401 without WWW-Authenticate", c.name)
		}
	}
}

func TestTheTokenLeavesTheAddressForACookie(t *testing.T) {
	for _, c := range []struct{ base, line, headers, to string }{
		{"", "GET /?token=" + rightToken, "", "/"},
		{"", "GET /runs/a/curves?token=" + rightToken + "&x=1", "", "/runs/a/curves?x=1"},
		{"", "GET //evil.example/?token=" + rightToken, "", "/evil.example/"},
		{"", "GET /%5Cevil.example/?token=" + rightToken, "", "/%5Cevil.example/"},
		{"/vigil", "GET /vigil/?token=" + rightToken, "", "/vigil/"},
		{"/vigil", "GET /vigil/runs?token=" + rightToken, "", "/vigil/runs"},
		// The browser takes a redirect for the other site's, so it is led on by a page.
		{"", "GET /?token=" + rightToken, "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate", "page"},
	} {
		server := serveTest(t, Options{BasePath: c.base})
		answer, body := ask(t, server, asked{line: c.line, headers: c.headers})
		to := answer.Header.Get("Location")
		if strings.Contains(body, `content="0; url=/"`) {
			to = "page"
		}
		if to != c.to {
			t.Errorf("%s: leads to %q, want %q", c.line, to, c.to)
		}
		cookie := answer.Header.Get("Set-Cookie")
		for _, part := range []string{"vigil-", "HttpOnly", "SameSite=Strict", "Path=" + c.base + "/;"} {
			if !strings.Contains(cookie+";", part) {
				t.Errorf("%s: the cookie %q has no %s", c.line, cookie, part)
			}
		}
		if answer.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: the token may go on in a Referer", c.line)
		}
	}
}

func TestWrongTokensAreLimited(t *testing.T) {
	server := serveTest(t, Options{})
	seen := map[int]int{}
	for range mostWrong + 10 {
		answer, _ := ask(t, server, asked{line: list, headers: "Authorization: Bearer wrong"})
		seen[answer.StatusCode]++
		if answer.StatusCode == 429 && answer.Header.Get("Retry-After") == "" {
			t.Error("429 without Retry-After")
		}
	}
	if seen[401] != mostWrong || seen[429] != 10 {
		t.Errorf("answers to %d wrong tokens: %v", mostWrong+10, seen)
	}
	// Who has the right one is not locked out by others.
	if answer, _ := ask(t, server, asked{line: list, headers: withBearer}); answer.StatusCode != 200 {
		t.Errorf("the right token: %s", answer.Status)
	}
}

func TestItAnswersToItsOwnNamesOnly(t *testing.T) {
	host, _ := os.Hostname()
	tcp := func(ip string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: 7445} }
	for _, c := range []struct {
		listening net.Addr
		further   []string
		host      string
		want      bool
	}{
		{tcp("127.0.0.1"), nil, "127.0.0.1:7445", true},
		{tcp("127.0.0.1"), nil, "localhost:7445", true},
		{tcp("127.0.0.1"), nil, "localhost:9000", true}, // through a tunnel
		{tcp("127.0.0.1"), nil, "LOCALHOST.", true},
		{tcp("127.0.0.1"), nil, "[::1]:7445", true},
		{tcp("127.0.0.1"), nil, "evil.example:7445", false},
		{tcp("127.0.0.1"), nil, "localhost.evil.example", false},
		{tcp("127.0.0.1"), nil, "127.0.0.1.evil.example", false},
		{tcp("127.0.0.1"), nil, "10.1.2.3:7445", false},
		{tcp("127.0.0.1"), nil, "", false},
		{tcp("127.0.0.1"), []string{"lab.example.org"}, "lab.example.org", true},
		{tcp("127.0.0.1"), []string{"lab.example.org:8443"}, "LAB.example.org:8443", true},
		{tcp("127.0.0.1"), []string{"lab.example.org"}, "other.example.org", false},
		{tcp("0.0.0.0"), nil, "127.0.0.1:7445", true},
		{tcp("0.0.0.0"), nil, host + ":7445", true},
		{tcp("0.0.0.0"), nil, "evil.example", false},
		{tcp("0.0.0.0"), nil, "203.0.113.9:7445", false},
		{tcp("192.0.2.7"), nil, "192.0.2.7:7445", true},
		{tcp("192.0.2.7"), nil, "localhost", false},
	} {
		if got := newHosts([]net.Addr{c.listening}, c.further).mine(c.host); got != c.want {
			t.Errorf("on %v (%v) Host %q is its own: %v, want %v", c.listening, c.further, c.host, got, c.want)
		}
	}
	server := serveTest(t, Options{})
	for _, headers := range []string{"Host: evil.example\n" + withBearer, "Host: evil.example\nX-Forwarded-Host: localhost\n" + withBearer} {
		if answer, _ := ask(t, server, asked{line: list, headers: headers}); answer.StatusCode != 421 {
			t.Errorf("%q: %s, want 421", headers, answer.Status)
		}
	}
	if answer, _ := ask(t, server, asked{line: list, headers: "X-Forwarded-Host: evil.example\n" + withBearer}); answer.StatusCode != 200 {
		t.Errorf("X-Forwarded-Host counts: %s", answer.Status)
	}
}

func TestAPageOfAnotherSiteChangesNothing(t *testing.T) {
	server := serveTest(t, Options{Hosts: []string{"lab.example.org"}})
	mine := cookieOf(server, rightToken)
	for _, c := range []struct {
		name, line, headers string
		want                int
	}{
		// 404: it is let through, and there is no such run.
		{"the page", toChange, mine + "X-Vigil: 1\nSec-Fetch-Site: same-origin\nOrigin: " + server, 404},
		{"the page behind a proxy", toChange, mine + "X-Vigil: 1\nOrigin: https://lab.example.org", 404},
		{"a program", toChange, withBearer, 404},
		{"a form of another site", toChange, mine, 403},
		{"another site", toChange, mine + "X-Vigil: 1\nOrigin: https://evil.example", 403},
		{"another port of this machine", toChange, mine + "X-Vigil: 1\nOrigin: http://127.0.0.1:1", 403},
		{"a sandboxed frame", toChange, mine + "X-Vigil: 1\nOrigin: null", 403},
		{"another site, told by the browser", toChange, mine + "X-Vigil: 1\nSec-Fetch-Site: cross-site", 403},
		{"a site beside it", toChange, mine + "X-Vigil: 1\nSec-Fetch-Site: same-site", 403},
		{"another site with the token", toChange, withBearer + "Origin: https://evil.example", 403},
		{"another site reads", list, mine + "Sec-Fetch-Site: cross-site", 403},
		{"another port reads", list, mine + "Sec-Fetch-Site: same-site", 403},
		{"an address typed in", list, mine + "Sec-Fetch-Site: none", 200},
	} {
		if answer, body := ask(t, server, asked{c.line, c.headers, `{"note":"x"}`}); answer.StatusCode != c.want {
			t.Errorf("%s: %s, want %d\n%s", c.name, answer.Status, c.want, body)
		}
	}
}

func TestNoOtherSiteMayReadAnswers(t *testing.T) {
	server := serveTest(t, Options{})
	for _, line := range []string{list, "OPTIONS /api/v1/runs", "GET /", "GET /api/v1/none"} {
		answer, _ := ask(t, server, asked{line: line, headers: withBearer + "Origin: " + server + "\nAccess-Control-Request-Method: PUT"})
		for name := range answer.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: the answer has %s", line, name)
			}
		}
		if answer.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: other sites may embed the answer", line)
		}
	}
}

func TestEveryAnswerIsGuardedByItsHeaders(t *testing.T) {
	server := serveTest(t, Options{})
	_, body := ask(t, server, asked{line: "GET /", headers: withBearer})
	i := strings.Index(body, "assets/")
	asset := "GET /" + body[i:i+strings.IndexByte(body[i:], '"')]
	for _, line := range []string{"GET /", "GET /runs/a/curves", asset, list, "GET /api/v1/none", "GET /api/v1/runs/none/files/x"} {
		for _, headers := range []string{"", withBearer, "Host: evil.example"} {
			answer, _ := ask(t, server, asked{line: line, headers: headers})
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
				"Cross-Origin-Opener-Policy": "same-origin", "X-Frame-Options": "DENY",
			} {
				if got := answer.Header.Get(name); got != want {
					t.Errorf("%s %q: %s is %q, want %q", line, headers, name, got, want)
				}
			}
			policy := answer.Header.Get("Content-Security-Policy")
			for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'self'", "form-action 'none'", "frame-ancestors 'none'"} {
				if !strings.Contains(policy, want) {
					t.Errorf("%s %q: the policy %q lacks %s", line, headers, policy, want)
				}
			}
			if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") || strings.Contains(policy, "http") {
				t.Errorf("%s %q: the policy %q lets too much", line, headers, policy)
			}
		}
	}
}

func TestOnlyPagesThatAreNamedMayShowItInAFrame(t *testing.T) {
	for _, c := range []struct {
		framedBy []string
		want     string
	}{
		{nil, "frame-ancestors 'none'"},
		{[]string{"http://localhost:8888"}, "frame-ancestors http://localhost:8888"},
		{[]string{"self", "https://hub.example.org"}, "frame-ancestors 'self' https://hub.example.org"},
	} {
		server := serveTest(t, Options{FramedBy: c.framedBy})
		for _, headers := range []string{"", withBearer, "Host: evil.example"} {
			answer, _ := ask(t, server, asked{line: "GET /", headers: headers})
			if policy := answer.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "; "+c.want) {
				t.Errorf("%v: the policy ends with %q, want %q", c.framedBy, policy, c.want)
			}
			if got, want := answer.Header.Get("X-Frame-Options") == "DENY", c.framedBy == nil; got != want {
				t.Errorf("%v: X-Frame-Options: DENY %v, want %v", c.framedBy, got, want)
			}
		}
	}
	for text, want := range map[string]bool{
		"self": true, "http://localhost:8888": true, "https://hub.example.org": true, "http://127.0.0.1:8888": true,
		"": false, "*": false, "https://*.example.org": false, "https://*": false, "https:": false, "http://": false, "hub.example.org": false, "localhost:8888": false,
		"http://localhost:8888/": false, "http://localhost:8888/lab": false, "http://ada@localhost": false, "http://a b": false, "http://a;script-src": false,
		"http://a'unsafe-inline'": false, "data:": false, "'self'": false, "http://localhost:*": false, "http://localhost?x": false, "http://localhost#x": false,
	} {
		if got := Framer(text) == nil; got != want {
			t.Errorf("%q is taken: %v, want %v", text, got, want)
		}
	}
}

func TestTheCookieGoesToOtherSitesOnlyInFramesThatAreNamed(t *testing.T) {
	const in = "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe\nSec-Fetch-Site: "
	for _, c := range []struct {
		name     string
		framedBy []string
		headers  string
		foreign  bool
	}{
		{"no frame is allowed", nil, in + "cross-site", false},
		{"a frame of another site", []string{"https://hub.example.org"}, in + "cross-site", true},
		{"a frame of this host, another port", []string{"http://localhost:8888"}, in + "same-site", false},
		{"a link of another site", []string{"https://hub.example.org"}, "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\nSec-Fetch-Site: cross-site", false},
		{"an old browser", []string{"https://hub.example.org"}, "", false},
	} {
		answer, _ := ask(t, serveTest(t, Options{FramedBy: c.framedBy}), asked{line: "GET /?token=" + rightToken, headers: c.headers})
		cookie := answer.Header.Get("Set-Cookie")
		for part, want := range map[string]bool{"SameSite=Strict": !c.foreign, "SameSite=None": c.foreign, "Partitioned": c.foreign, "Secure": c.foreign, "HttpOnly": true} {
			if strings.Contains(cookie, part) != want {
				t.Errorf("%s: cookie %q: %s is there: %v", c.name, cookie, part, !want)
			}
		}
	}
}

func TestATicketLetsOneBrowserIn(t *testing.T) {
	s := New(Options{Root: t.TempDir(), Token: rightToken, Version: "test", App: app})
	now := time.Now()
	s.tickets.now = func() time.Time { return now }
	server := serveOne(t, s)
	enter := func(ticket, headers string) int {
		answer, body := ask(t, server, asked{line: "GET /runs?token=" + ticket, headers: headers})
		if strings.Contains(body+answer.Header.Get("Location"), ticket) {
			t.Errorf("the answer to ticket %s has it: %v %s", ticket, answer.Header, body)
		}
		return answer.StatusCode
	}
	s.Ticket("first")
	s.Ticket("waits")
	for _, c := range []struct {
		name, ticket, headers string
		later                 time.Duration
		want                  int
	}{
		{"what is no ticket", "other", "", 0, 401},
		{"one", "first", "", time.Minute, 303},
		{"the browser asks twice", "first", "", 5 * time.Second, 303},
		{"somebody who has read it", "first", "", 6 * time.Second, 401},
		{"the browser that was let in opens it again", "first", cookieOf(server, rightToken), 0, 303},
		{"another", "waits", "", time.Minute, 303},
	} {
		now = now.Add(c.later)
		if got := enter(c.ticket, c.headers); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	s.Ticket("forgotten")
	now = now.Add(ticketWaits + time.Second)
	if got := enter("forgotten", ""); got != 401 {
		t.Errorf("a ticket that was not used for an hour: %d", got)
	}
	s.Ticket("for the page")
	if answer, _ := ask(t, server, asked{line: list, headers: "Authorization: Bearer for the page"}); answer.StatusCode != 401 {
		t.Errorf("a ticket as Bearer: %s", answer.Status)
	}
	for range 3 * mostTickets {
		s.Ticket(NewToken())
	}
	if n := len(s.tickets.until); n > mostTickets {
		t.Errorf("%d tickets are kept", n)
	}
}

func TestReadOnlyRefusesEveryChange(t *testing.T) {
	s := New(Options{Root: t.TempDir(), Token: rightToken, ReadOnly: true, Version: "test", App: app})
	server := serveOne(t, s)
	changes := 0
	for path, item := range s.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{"POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if op == nil {
				continue
			}
			changes++
			path := strings.NewReplacer("{run}", "r", "{name}", "n", "{n}", "1").Replace(path)
			if answer, body := ask(t, server, asked{method + " " + apiPath + path, withBearer, "{}"}); answer.StatusCode != 403 || !strings.Contains(body, "--read-only") {
				t.Errorf("%s %s: %s %s", method, path, answer.Status, body)
			}
		}
	}
	if answer, _ := ask(t, server, asked{line: list, headers: withBearer}); answer.StatusCode != 200 {
		t.Errorf("reading: %s", answer.Status)
	}
	t.Logf("%d changes are refused", changes)
}

func TestNamesOfRunsAreNoPaths(t *testing.T) {
	root := t.TempDir()
	outside := filepath.Join(root, "outside")
	inside := filepath.Join(root, "runs")
	for _, dir := range []string{outside, inside} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(`{"secret":"outside"}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(inside, "link")); err != nil {
		t.Fatal(err)
	}
	server := serveTest(t, Options{Root: inside})
	for _, name := range []string{"..", "%2e%2e", "..%2foutside", "..%2Foutside", "%2e%2e%2foutside", ".", "%00", "link", "a%2fb", "%2fetc", "..%5coutside", strings.Repeat("x", 300), "none"} {
		for _, rest := range []string{"", "/plan", "/files", "/files/run.json", "/logs"} {
			answer, body := ask(t, server, asked{line: "GET /api/v1/runs/" + name + rest, headers: withBearer})
			if answer.StatusCode < 300 || answer.StatusCode >= 500 || strings.Contains(body, `secret`) {
				t.Errorf("run %.20s%s: %s %.200s", name, rest, answer.Status, body)
			}
		}
	}
}

func TestRequestsAreBounded(t *testing.T) {
	server := serveTest(t, Options{})
	large := strings.Repeat("x", 2<<20)
	// The server answers before it has read all of it and closes the connection: a client that still writes
	// may see that before it sees the answer.
	switch answer, _, err := try(t, server, asked{toChange, withBearer, `{"note":"` + large + `"}`}); {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
	case err != nil:
		t.Errorf("a body of 2 MB: %v", err)
	case answer.StatusCode != 413 && answer.StatusCode != 400 && answer.StatusCode != 404:
		t.Errorf("a body of 2 MB: %s", answer.Status)
	}
	if answer, _ := ask(t, server, asked{line: list, headers: withBearer + "X-Large: " + large[:mostHeader+8192]}); answer.StatusCode != 431 {
		t.Errorf("headers of 72 KB: %s", answer.Status)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	r := httptest.NewRecorder()
	w := &answerWriter{ResponseWriter: r, pass: func() {}}
	w.Header().Set("Content-Type", "application/json")
	part := bytes.Repeat([]byte("x"), 1<<20)
	for range mostAnswer>>20 + 1 {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	w.finish(httptest.NewRequest("GET", "/api/v1/runs", nil))
	if r.Code != 422 || r.Body.Len() > 1000 || !strings.Contains(r.Body.String(), "smaller range") {
		t.Errorf("an answer beyond the limit: %d, %d bytes", r.Code, r.Body.Len())
	}
}

func TestAPanicIsAnAnswerAndALineOfTheLog(t *testing.T) {
	var log bytes.Buffer
	s := New(Options{Root: t.TempDir(), Token: rightToken, Log: slog.New(slog.NewTextHandler(&log, nil))})
	s.mux.HandleFunc("GET /api/v1/bug", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"half":`)
		panic("of the test")
	})
	server := serveOne(t, s)
	answer, body := ask(t, server, asked{line: "GET /api/v1/bug", headers: withBearer})
	if answer.StatusCode != 500 || answer.Header.Get("Content-Type") != "application/problem+json" || strings.Contains(body, "half") || strings.Contains(body, "of the test") {
		t.Errorf("%s %v %s", answer.Status, answer.Header, body)
	}
	if !strings.Contains(log.String(), "of the test") || !strings.Contains(log.String(), "security_test.go") {
		t.Errorf("the log: %s", log.String())
	}
	if answer, _ := ask(t, server, asked{line: list, headers: withBearer}); answer.StatusCode != 200 {
		t.Errorf("the next request: %s", answer.Status)
	}
}

func TestErrorsAreProblems(t *testing.T) {
	server := serveTest(t, Options{BasePath: "/vigil"})
	for _, c := range []struct {
		line, headers string
		want          int
	}{
		{"GET /vigil/api/v1/runs", "", 401},
		{"GET /vigil/api/v1/none", withBearer, 404},
		{"GET /vigil/api/none", withBearer, 404},
		{"GET /vigil/api/v1//runs", withBearer, 404},
		{"GET /vigil/api/v1/../v1/runs", withBearer, 404},
		{"DELETE /vigil/api/v1/runs", withBearer, 405},
		{"POST /vigil/", withBearer, 405},
		{"GET /vigil/assets/old/main.js", withBearer, 404},
		{"GET /elsewhere", withBearer, 404},
		{"GET /vigilant", withBearer, 404},
	} {
		answer, body := ask(t, server, asked{line: c.line, headers: c.headers})
		var p struct {
			Title, Detail string
			Status        int
		}
		err := json.Unmarshal([]byte(body), &p)
		if answer.StatusCode != c.want || err != nil || p.Status != c.want || p.Detail == "" || p.Title == "" || answer.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s %s %v", c.line, answer.Status, body, err)
		}
	}
}

func TestAnAnswerThatTheBrowserHasIsNotSentAgain(t *testing.T) {
	server := serveTest(t, Options{})
	first, _ := ask(t, server, asked{line: list, headers: withBearer})
	tag := first.Header.Get("ETag")
	if tag == "" || strings.HasPrefix(tag, "W/") || first.Header.Get("Cache-Control") != "no-cache" {
		t.Fatalf("ETag %q, Cache-Control %q", tag, first.Header.Get("Cache-Control"))
	}
	again, body := ask(t, server, asked{line: list, headers: withBearer + "If-None-Match: " + tag})
	if again.StatusCode != 304 || body != "" || again.Header.Get("ETag") != tag {
		t.Errorf("%s %q %q", again.Status, body, again.Header.Get("ETag"))
	}
	if other, _ := ask(t, server, asked{line: list, headers: withBearer + `If-None-Match: "other"`}); other.StatusCode != 200 {
		t.Errorf("with another: %s", other.Status)
	}
	// Nobody gets it out of a cache without the token.
	if stranger, _ := ask(t, server, asked{line: list, headers: "If-None-Match: " + tag}); stranger.StatusCode != 401 {
		t.Errorf("without the token: %s", stranger.Status)
	}
}

func TestThePageIsServedForEveryPathOfItsOwn(t *testing.T) {
	for _, base := range []string{"", "/vigil", `/a&b`} {
		server := serveTest(t, Options{BasePath: base})
		for _, path := range []string{"/", "/runs", "/runs/a%2Fb/curves", "/curves?q=x"} {
			answer, body := ask(t, server, asked{line: "GET " + base + path, headers: withBearer})
			if answer.StatusCode != 200 || answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("%s%s: %s %v", base, path, answer.Status, answer.Header)
			}
			want := `<base href="` + strings.ReplaceAll(base, "&", "&amp;") + `/">`
			if !strings.Contains(body, want) || !strings.Contains(body, `src="assets/`) || !strings.Contains(body, `/style/base.css"`) {
				t.Errorf("%s%s: %s", base, path, body)
			}
		}
		_, body := ask(t, server, asked{line: "GET " + base + "/", headers: withBearer})
		i := strings.Index(body, `src="`) + len(`src="`)
		script := body[i : i+strings.IndexByte(body[i:], '"')]
		plain, text := ask(t, server, asked{line: "GET " + base + "/" + script, headers: withBearer})
		small, packed := ask(t, server, asked{line: "GET " + base + "/" + script, headers: withBearer + "Accept-Encoding: br, gzip"})
		if plain.StatusCode != 200 || !strings.Contains(plain.Header.Get("Cache-Control"), "immutable") || text != string(app["main.js"].Data) {
			t.Errorf("%s: %s %v", script, plain.Status, plain.Header)
		}
		if small.Header.Get("Content-Encoding") != "gzip" || len(packed) >= len(text) {
			t.Errorf("%s: %v", script, small.Header)
		}
	}
}

func TestWithCertificatesItIsTLSAndTheCookieStaysThere(t *testing.T) {
	pair := httptest.NewUnstartedServer(nil)
	pair.StartTLS()
	defer pair.Close()
	s := New(Options{Root: t.TempDir(), Token: rightToken, Certificates: pair.TLS.Certificates, App: app})
	address := strings.TrimPrefix(serveOne(t, s), "http://")
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get("https://" + address + "/?token=" + rightToken)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if !strings.Contains(answer.Header.Get("Set-Cookie"), "Secure") {
		t.Errorf("cookie %q", answer.Header.Get("Set-Cookie"))
	}
	if answer, err := http.Get("http://" + address + "/"); err == nil {
		answer.Body.Close()
		if answer.StatusCode < 400 {
			t.Errorf("without TLS: %s", answer.Status)
		}
	}
}
