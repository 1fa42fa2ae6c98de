package server

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Itself, as an entry of Options.FramedBy, means pages of the dashboard's own
// origin: those of a reverse proxy that it is behind.
const Itself = "self"

// Framer checks an entry of Options.FramedBy: one origin, written out.
func Framer(text string) error {
	if text == Itself {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Scheme+"://"+u.Host != text || u.Hostname() == "" || u.User != nil ||
		strings.ContainsFunc(u.Host, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-:", r) }) {
		return fmt.Errorf("%q is not an origin", text)
	}
	return nil
}

// policy is the content policy, with who may show the page in a frame.
func (o *Options) policy() string {
	if len(o.FramedBy) == 0 {
		return contentPolicy + "'none'"
	}
	framers := slices.Clone(o.FramedBy)
	for i, f := range framers {
		if f == Itself {
			framers[i] = "'self'"
		}
	}
	return contentPolicy + strings.Join(framers, " ")
}

// foreignFrame tells that a page of another site shows this one in a frame. A
// same-site cookie would not come back from there.
func (o *Options) foreignFrame(r *http.Request) bool {
	return len(o.FramedBy) > 0 && r.Header.Get("Sec-Fetch-Dest") == "iframe" && r.Header.Get("Sec-Fetch-Site") == "cross-site"
}
