package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// NewToken makes the secret that lets in: 32 random bytes, as text for an address.
func NewToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
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
		if isSecret(c.Value, g.value) {
			return c.Value, byCookie
		}
		token, how = c.Value, byCookie
	}
	return token, how
}

// right reports whether what a request brings lets in.
func (g *guard) right(given, how string) bool {
	switch how {
	case byCookie:
		return isSecret(given, g.value)
	case byAddress:
		return isSecret(given, g.options.Token) || g.tickets.take(given)
	}
	return isSecret(given, g.options.Token)
}

func (g *guard) hasCookie(r *http.Request) bool {
	return slices.ContainsFunc(r.CookiesNamed(g.cookie), func(c *http.Cookie) bool { return isSecret(c.Value, g.value) })
}

// cookieValue is made from the token, and does not tell it: who gets the cookie
// cannot ask as a program does.
func cookieValue(token string) string {
	h := hmac.New(sha256.New, []byte(token))
	_, _ = io.WriteString(h, "the cookie of the dashboard")
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// isSecret compares in a time that tells nothing.
func isSecret(given, want string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(want))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// enter gives the cookie and sends to the address without the token.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	c := &http.Cookie{Name: g.cookie, Value: g.value, Path: g.options.BasePath + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"}
	if g.options.foreignFrame(r) { // good in frames of that site only
		c.SameSite, c.Secure, c.Partitioned = http.SameSiteNoneMode, true, true
	}
	http.SetCookie(w, c)
	q := r.URL.Query()
	q.Del("token")
	// Never two slashes at the beginning: that would be another host.
	to := path.Join("/", g.options.BasePath, r.URL.EscapedPath())
	if strings.HasSuffix(r.URL.Path, "/") && to != "/" {
		to += "/"
	}
	to += query(q)
	if arriving(r) {
		again(w, http.StatusOK, to)
		return
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// query is the end of an address that has parameters.
func query(q url.Values) string {
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

const bearer = `Bearer realm="vigil"`

// unknown refuses who has no right token.
func (g *guard) unknown(w http.ResponseWriter, r *http.Request, why string) {
	w.Header().Set("WWW-Authenticate", bearer)
	refuse(w, r, http.StatusUnauthorized, why)
}
