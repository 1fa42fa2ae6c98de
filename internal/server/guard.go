package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// NewToken makes the secret that lets in: 32 random bytes, as text for an address.
func NewToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// contentPolicy lets the page load what this server has, and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

// Bounds of what a request may bring.
const (
	mostHeader = 64 << 10
	mostBody   = 1 << 20
)

// guard stands before everything: who may ask, from where, and what.
type guard struct {
	next     http.Handler
	page     http.Handler
	options  *Options
	cookie   string // its name
	mine     func(host string) bool
	attempts attempts
}

// ServeHTTP lets a request through to the API or the page, or refuses it.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Cache-Control", "no-store")
	defer g.caught(w, r)
	switch {
	case !g.mine(r.Host):
		writeProblem(w, http.StatusMisdirectedRequest, "this server is not called that: open the address that `vigil ui` printed; behind a reverse proxy start it with --host NAME")
		return
	case !within(r.URL.Path, g.options.BasePath):
		writeProblem(w, http.StatusNotFound, "the dashboard is below "+g.options.BasePath+"/")
		return
	}
	if g.options.BasePath != "" {
		r = below(r, g.options.BasePath)
	}
	if !g.let(w, r) {
		return
	}
	if changes(r.Method) {
		if why := g.foreign(r); why != "" {
			writeProblem(w, http.StatusForbidden, why)
			return
		}
		if g.options.ReadOnly {
			writeProblem(w, http.StatusForbidden, "this server only shows: it was started with --read-only")
			return
		}
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	if within(r.URL.Path, "/api") {
		g.next.ServeHTTP(w, r)
		return
	}
	g.page.ServeHTTP(w, r)
}

// caught turns a panic of a handler into an answer, and a line of the log.
func (g *guard) caught(w http.ResponseWriter, r *http.Request) {
	e := recover()
	if e == nil {
		return
	}
	if e == http.ErrAbortHandler { //nolint:errorlint // a panic's value, as net/http compares it
		panic(e)
	}
	g.options.Log.Error("a request failed by a bug", "method", r.Method, "path", r.URL.Path, "panic", e, "stack", string(debug.Stack()))
	writeProblem(w, http.StatusInternalServerError, "the server failed at this by a bug of its own; its log has the details")
}

// within tells whether a path is a prefix or below it.
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

// changes tells whether a method changes something.
func changes(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return true
}

// let tells whether a request has the token: in the address, which is answered
// with a cookie and the same address without it, in the cookie, or as Bearer.
func (g *guard) let(w http.ResponseWriter, r *http.Request) bool {
	if g.options.Token == "" {
		return true
	}
	given, how := g.given(r)
	if given == "" {
		g.unknown(w, "this needs the token: open the address that `vigil ui` printed, or send \"Authorization: Bearer TOKEN\"")
		return false
	}
	if g.options.isToken(given) {
		if how != byAddress {
			return true
		}
		g.enter(w, r)
		return false
	}
	if how == byCookie { // of a server that was here before
		g.unknown(w, "the token is of another server: open the address that `vigil ui` printed last")
		return false
	}
	if !g.attempts.wrong(remote(r)) {
		w.Header().Set("Retry-After", "60")
		writeProblem(w, http.StatusTooManyRequests, "too many wrong tokens came from there: wait a minute")
		return false
	}
	g.unknown(w, "the token is wrong: open the address that `vigil ui` printed")
	return false
}

const (
	byAddress = "address"
	byBearer  = "bearer"
	byCookie  = "cookie"
)

// given is the token that a request has, and where.
func (g *guard) given(r *http.Request) (token, how string) {
	if a := r.Header.Get("Authorization"); a != "" {
		scheme, token, _ := strings.Cut(a, " ")
		if strings.EqualFold(scheme, "Bearer") && token != "" {
			return strings.TrimSpace(token), byBearer
		}
	}
	if token := r.URL.Query().Get("token"); token != "" && !within(r.URL.Path, "/api") {
		return token, byAddress
	}
	for _, c := range r.CookiesNamed(g.cookie) {
		if g.options.isToken(c.Value) {
			return c.Value, byCookie
		}
		token, how = c.Value, byCookie
	}
	return token, how
}

// isToken compares in a time that tells nothing.
func (o *Options) isToken(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(o.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// enter gives the cookie and sends to the address without the token.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.options.Token, Path: g.options.BasePath + "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
	q := r.URL.Query()
	q.Del("token")
	// A path of two slashes would be another host's.
	to := url.URL{Path: g.options.BasePath + "/" + strings.TrimLeft(r.URL.Path, "/\\"), RawQuery: q.Encode()}
	w.Header().Set("Location", to.String())
	w.WriteHeader(http.StatusSeeOther)
}

func (g *guard) unknown(w http.ResponseWriter, why string) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="vigil"`)
	writeProblem(w, http.StatusUnauthorized, why)
}

// foreign says why a change does not come from the page or from a program that has
// the token; "" when it does.
func (g *guard) foreign(r *http.Request) string {
	if _, how := g.given(r); how == byBearer {
		return "" // no page of another site can send it
	}
	if s := r.Header.Get("Sec-Fetch-Site"); s != "" && s != "same-origin" {
		return "a change is not taken from a page of another site"
	}
	if o := r.Header.Get("Origin"); o != "" {
		u, err := url.Parse(o)
		if err != nil || !strings.EqualFold(u.Host, r.Host) {
			return "a change is not taken from a page of another site"
		}
	}
	if r.Header.Get("X-Vigil") == "" {
		return "a change needs the header X-Vigil: 1"
	}
	return ""
}

// remote is the address that a request came from, without the port.
func remote(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// attempts counts wrong tokens. The right one is let in however many wrong ones
// came: 32 random bytes are not guessed, and nobody is to be locked out.
type attempts struct {
	mu    sync.Mutex
	since time.Time
	count map[string]int
}

// mostWrong is how many wrong tokens an address may send in a minute.
const mostWrong = 20

// wrong notes a wrong token; false when there were too many.
func (a *attempts) wrong(from string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); a.count == nil || now.Sub(a.since) > time.Minute || len(a.count) > 10_000 {
		a.since, a.count = now, map[string]int{}
	}
	a.count[from]++
	return a.count[from] <= mostWrong
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
