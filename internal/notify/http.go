package notify

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// request is one POST.
type request struct {
	url            string // a secret, but for its host
	header         map[string]string
	user, password string // HTTP basic, if user is not empty
	body           []byte
	redirects      bool // follow 307 and 308
}

// maxRedirects bounds how often a webhook is sent on.
const maxRedirects = 3

// post sends a request; 2xx is success. Addresses in errors are cut down to
// their hosts, since the rest of them may be a secret.
func post(ctx context.Context, r request) error {
	at, err := address(r.url, true)
	if err != nil {
		return &Error{Message: err.Error(), Permanent: true}
	}
	for hop := 0; ; hop++ {
		res, err := once(ctx, at, r, hop > 0)
		if err != nil {
			return failure(err)
		}
		moved := res.status == http.StatusTemporaryRedirect || res.status == http.StatusPermanentRedirect
		if !moved || !r.redirects {
			return res.verdict()
		}
		if hop == maxRedirects {
			return &Error{Message: fmt.Sprintf("it was redirected more than %d times", maxRedirects), Permanent: true}
		}
		if at, err = follow(at, res.location); err != nil {
			return &Error{Message: err.Error(), Permanent: true}
		}
	}
}

// reply is what a receiver answered.
type reply struct {
	status   int
	location string
	after    time.Duration
	text     string // the beginning of the body
}

// once sends the request to one address. What a receiver has sent us on to is
// never an address of this machine or its network, whatever its name says.
func once(ctx context.Context, at *url.URL, r request, sentOn bool) (*reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	for k, v := range r.header {
		req.Header.Set(k, v)
	}
	req.Header.Set("User-Agent", "vigil")
	if r.user != "" && !sentOn {
		req.SetBasicAuth(r.user, r.password)
	}
	dialer := &net.Dialer{}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if sentOn {
		if p, err := http.ProxyFromEnvironment(req); err != nil || p != nil {
			return nil, &Error{Message: "it was redirected, which is not followed through a proxy; use the final address", Permanent: true}
		}
		transport.Proxy = nil
		dialer.Control = outsideOnly
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(io.LimitReader(res.Body, 300)) // only for the message
	return &reply{status: res.StatusCode, location: res.Header.Get("Location"), after: retryAfter(res.Header), text: snippet(b)}, nil
}

// verdict is nil for success.
func (r *reply) verdict() error {
	if r.status >= 200 && r.status < 300 {
		return nil
	}
	e := &Error{Message: fmt.Sprintf("the receiver answered %d %s", r.status, http.StatusText(r.status)), After: r.after}
	if r.text != "" {
		e.Message += ": " + r.text
	}
	switch {
	case r.status == http.StatusRequestTimeout, r.status == http.StatusTooManyRequests, r.status == http.StatusTooEarly, r.status >= 500:
	case r.status >= 300 && r.status < 400:
		e.Message, e.Permanent = fmt.Sprintf("the receiver answered %d %s, which is not followed; use the final address", r.status, http.StatusText(r.status)), true
	default:
		e.Permanent = true
	}
	return e
}

// follow is where a receiver sends us on to.
func follow(from *url.URL, location string) (*url.URL, error) {
	to, err := from.Parse(location)
	if err != nil || location == "" {
		return nil, errors.New("it was redirected to an invalid address")
	}
	if to, err = address(to.String(), true); err != nil {
		return nil, fmt.Errorf("it was sent on: %w", err)
	}
	if from.Scheme == "https" && to.Scheme != "https" {
		return nil, fmt.Errorf("it was redirected to %s, which is not encrypted", hostOf(to))
	}
	return to, nil
}

// outsideOnly refuses connections to this machine, its links and private
// networks. It sees the address itself, after all names are resolved.
func outsideOnly(_, target string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(target)
	if err != nil {
		return fmt.Errorf("connect to %q: %w", target, err)
	}
	if a := ap.Addr().Unmap(); !a.IsGlobalUnicast() || a.IsPrivate() || shared.Contains(a) {
		return &Error{Message: fmt.Sprintf("it was redirected to %s, an address inside this network, which is not followed; use the final address", a), Permanent: true}
	}
	return nil
}

// shared is the address space between a provider and its customers, where some
// clouds keep their metadata services.
var shared = netip.MustParsePrefix("100.64.0.0/10")

// failure explains an exchange that did not come about.
func failure(err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address
	}
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &cert):
		return &Error{Message: "its certificate is not valid: " + cert.Err.Error(), Permanent: true}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Message: "no answer in time"}
	case errors.Is(err, context.Canceled):
		return &Error{Message: "no answer before the end"}
	}
	return &Error{Message: err.Error()}
}

// address checks an address without saying more of it than its host.
func address(text string, plain bool) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Hostname() == "" {
		return nil, errors.New("its url is not an address; write https://HOST/PATH")
	}
	switch {
	case u.Scheme == "https":
	case u.Scheme != "http":
		return nil, fmt.Errorf("its url begins with %q; only https:// and http:// are known", cut(u.Scheme, 20)+"://")
	case !plain && !local(u.Hostname()):
		return nil, fmt.Errorf("its url for %s is not encrypted; write https://", hostOf(u))
	}
	if u.User != nil {
		return nil, fmt.Errorf("its url for %s contains a user or a password, which would end up in logs", u.Host)
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return nil, fmt.Errorf("its url names the port %q", cut(p, 20))
		}
	}
	return u, nil
}

// checkURL checks an address that the configuration gives; a secret one is
// checked when it is used.
func checkURL(r Ref, plain bool) error {
	if r.IsZero() {
		return errors.New("it has no url")
	}
	if r.secret() {
		return nil
	}
	_, err := address(r.Text, plain)
	return err
}

// local reports whether a host is this machine by its very name.
func local(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().IsLoopback()
	}
	return host == "localhost"
}

// place is the part of an address that may be said.
func place(r Ref, secrets *Secrets) string {
	text := r.Text
	if r.secret() {
		text, _ = r.read(secrets.lookup)
	}
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return hostOf(u)
	}
	if r.Env != "" {
		return "$" + r.Env
	}
	return r.File
}

func hostOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// longestWait is the longest time that a receiver may ask for.
const longestWait = time.Hour

// retryAfter reads Retry-After: seconds or a date.
func retryAfter(h http.Header) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	var d time.Duration
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		d = time.Duration(min(max(n, 0), longestWait.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(v); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), longestWait)
}

// snippet is the beginning of an answer, on one line.
func snippet(b []byte) string {
	text := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(b), ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if text == "" {
		return ""
	}
	return strconv.Quote(cut(text, 200))
}
