package server

import (
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// contentPolicy lets the page load what this server has, and nothing else. Its end
// are those who may show it in a frame.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +

	"connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'none'; object-src 'none'; frame-ancestors "

// Bounds of what a request may bring.
const (
	mostHeader = 64 << 10
	mostBody   = 1 << 20
)

// guard is before everything: who may ask, from where, and what.
type guard struct {
	next     http.Handler
	page     http.Handler
	options  *Options
	cookie   string // its name
	value    string // and its value, which is not the token
	policy   string
	tickets  *tickets
	busy     chan struct{} // room for the requests that are answered at once
	mine     func(host string) bool
	attempts attempts
}

// ServeHTTP lets a request through to the API or the page, or refuses it.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", g.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if len(g.options.FramedBy) == 0 {
		h.Set("X-Frame-Options", "DENY") // it cannot name a page that may
	}
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Cache-Control", "no-store")
	switch {
	case !g.mine(r.Host):
		refuse(w, r, http.StatusMisdirectedRequest, "this server is not called that: open the address that `vigil ui` printed; behind a reverse proxy start it with --host NAME; in a notebook call vigil.ui(notebook=\"https://NAME\")")
		return
	case !within(r.URL.Path, g.options.BasePath):
		writeProblem(w, http.StatusNotFound, "the dashboard is below "+g.options.BasePath+"/")
		return
	}
	if r.URL.Path == g.options.BasePath && r.URL.Path != "" { // the cookie is for what is below
		to := g.options.BasePath + "/"
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusTemporaryRedirect)
		return
	}
	if g.options.BasePath != "" {
		r = below(r, g.options.BasePath)
	}
	if !g.let(w, r) {
		return
	}
	if !within(r.URL.Path, "/api") {
		g.page.ServeHTTP(w, r)
		return
	}
	if why := g.foreign(r); why != "" {
		writeProblem(w, http.StatusForbidden, why)
		return
	}
	if g.options.ReadOnly && changes(r.Method) {
		writeProblem(w, http.StatusForbidden, "this server only shows: it was started with --read-only")
		return
	}
	if p := r.URL.EscapedPath(); path.Clean(p) != strings.TrimSuffix(p, "/") {
		writeProblem(w, http.StatusNotFound, "this is no path of the API")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	g.answer(w, r)
}

// answer has the API answer. A panic becomes an error and a line of the log.
func (g *guard) answer(w http.ResponseWriter, r *http.Request) {
	a := &answerWriter{ResponseWriter: w, pass: func() {}}
	defer func() {
		e := recover()
		if e == nil {
			a.finish(r)
			return
		}
		if e != http.ErrAbortHandler { //nolint:errorlint // the value of a panic, compared as net/http does
			g.options.Log.Error("a request failed by a bug", "method", r.Method, "path", r.URL.Path, "panic", e, "stack", string(debug.Stack()))
		}
		if a.passing { // its beginning is under way: the client sees that the end is missing
			panic(http.ErrAbortHandler)
		}
		writeProblem(w, http.StatusInternalServerError, "the server failed at this by a bug in it; its log has the details")
	}()
	if r.URL.Path != streamPath { // a stream stays
		select {
		case g.busy <- struct{}{}:
			a.pass = sync.OnceFunc(func() { <-g.busy })
			defer func() { a.pass() }()
		case <-r.Context().Done():
			return
		}
	}
	g.next.ServeHTTP(a, r)
}

// within reports whether a path is a prefix or below it.
func within(path, prefix string) bool {
	return prefix == "" || path == prefix || strings.HasPrefix(path, prefix+"/")
}

// below is a request as it looks below a prefix of its path.
func below(r *http.Request, prefix string) *http.Request {
	u := *r.URL
	u.Path = "/" + strings.TrimPrefix(strings.TrimPrefix(u.Path, prefix), "/")
	if u.RawPath != "" {
		u.RawPath = "/" + strings.TrimPrefix(strings.TrimPrefix(u.RawPath, prefix), "/")
	}
	r2 := *r
	r2.URL = &u
	return &r2
}

// changes reports whether a method changes something.
func changes(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return true
}

// let reports whether a request has the token: in the address, which is answered
// with a cookie and the same address without it, in the cookie, or as Bearer.
func (g *guard) let(w http.ResponseWriter, r *http.Request) bool {
	if g.options.Token == "" {
		return true
	}
	given, how := g.given(r)
	switch {
	case given != "" && g.right(given, how):
		if how != byAddress {
			return true
		}
		g.enter(w, r)
	case how == byAddress && g.hasCookie(r): // an old address, in a browser that was let in
		g.enter(w, r)
	case given == "" && arriving(r):
		w.Header().Set("WWW-Authenticate", bearer)
		again(w, http.StatusUnauthorized, path.Join("/", g.options.BasePath, r.URL.EscapedPath())+query(r.URL.Query()))
	case given == "":
		g.unknown(w, r, "this needs the token: open the address that `vigil ui` printed, or send \"Authorization: Bearer TOKEN\"")
	case !g.attempts.wrong(how, remote(r)):
		w.Header().Set("Retry-After", "60")
		writeProblem(w, http.StatusTooManyRequests, "too many wrong tokens came from there: wait a minute")
	case how == byCookie:
		g.unknown(w, r, "the token is of another server: open the address that `vigil ui` printed last")
	case how == byAddress:
		g.unknown(w, r, "the token is wrong, or it was for one use: open the address that `vigil ui` printed; in a notebook run the cell again")
	default:
		g.unknown(w, r, "the token is wrong: open the address that `vigil ui` printed")
	}
	return false
}

// arriving tells that a browser follows a link from elsewhere to a page: then it
// does not send the cookie, and does on the second try, which comes from here.
func arriving(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Method == http.MethodGet && !within(r.URL.Path, "/api")
}

// again answers with a page that leads on. A browser takes that step for ours,
// unlike a redirect, which is still the one of the page that the link is on.
func again(w http.ResponseWriter, status int, to string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	to = html.EscapeString(to)
	fmt.Fprintf(w, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Vigil</title><meta http-equiv=\"refresh\" content=\"0; url=%s\"><p><a href=\"%s\">Go on</a></p></html>\n", to, to)
}

// refuse says why a request is not answered: in words for who sits before a browser.
func refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	if within(r.URL.Path, "/api") || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		writeProblem(w, status, why)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Vigil</title><h1>Vigil</h1><p>%s</p></html>\n", html.EscapeString(why))
}

// foreign says why a request to the API does not come from the page, nor from a
// program that has the token; "" when it does.
func (g *guard) foreign(r *http.Request) string {
	if s := r.Header.Get("Sec-Fetch-Site"); s != "" && s != "same-origin" && s != "none" {
		return "a page of another site may not ask this"
	}
	if o := r.Header.Get("Origin"); o != "" && !g.origin(o, r.Host) {
		return "a page of another site may not ask this"
	}
	if _, how := g.given(r); changes(r.Method) && how != byBearer && r.Header.Get("X-Vigil") == "" {
		return "a change needs the header X-Vigil: 1, which no form of another site can send"
	}
	return ""
}

// origin reports whether a page's origin is this server: the host that was asked, or
// the name of the reverse proxy before it.
func (g *guard) origin(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	return strings.EqualFold(u.Host, host) || slices.ContainsFunc(g.options.Hosts, func(name string) bool { return plainHost(name) == plainHost(u.Host) })
}

// remote is the address that a request came from, without the port.
func remote(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// writeProblem writes an error as problem+json.
func writeProblem(w http.ResponseWriter, status int, detail string) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	h.Del("Content-Length")
	h.Del("Content-Encoding")
	h.Del("ETag")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct {
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{http.StatusText(status), status, detail})
}
