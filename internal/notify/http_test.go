package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// heard is what a server got.
type heard struct {
	*http.Request
	body []byte
}

// server answers every request with f and keeps them.
func server(t *testing.T, encrypted bool, f http.HandlerFunc) (string, func() []heard) {
	t.Helper()
	got := make(chan heard, 100)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- heard{r, b}
		f(w, r)
	})
	s := httptest.NewUnstartedServer(h)
	if encrypted {
		s.TLS = tlsConfig(trusted)
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s.URL, func() (list []heard) {
		for {
			select {
			case h := <-got:
				list = append(list, h)
			default:
				return list
			}
		}
	}
}

func send(t *testing.T, target Target) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return target.Send(ctx, message())
}

// The signature is that of Standard Webhooks: this is an example that its
// libraries verify.
func TestSignature(t *testing.T) {
	key, err := signingKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
	_, err = signingKey("whsec_hunter2!")
	failed(t, err, true, "no base64 follows")
}

func TestWebhook(t *testing.T) {
	at, got := server(t, true, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	s := secrets("URL", at+"/hunter2", "S", "hunter2")
	target := Spec{Webhook: &Webhook{URL: Ref{Env: "URL"}, Secret: Ref{Env: "S"}}}.Targets(s)[0]
	if target.String() != "webhook "+at {
		t.Errorf("it is called %q", target)
	}
	for range 2 {
		if err := send(t, target); err != nil {
			t.Fatal(err)
		}
	}
	list := got()
	if len(list) != 2 {
		t.Fatalf("%d requests", len(list))
	}
	for _, h := range list {
		m := message()
		id, at := h.Header.Get("webhook-id"), h.Header.Get("webhook-timestamp")
		if h.Method != "POST" || h.URL.Path != "/hunter2" || id != m.ID || string(h.body) != string(m.Event) || h.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %q: %s", h.Method, h.URL, h.Header, h.body)
		}
		if want := sign([]byte("hunter2"), id, at, h.body); h.Header.Get("webhook-signature") != want {
			t.Errorf("signature %q, want %q", h.Header.Get("webhook-signature"), want)
		}
	}
	target = Spec{Webhook: &Webhook{URL: Ref{Text: at}}}.Targets(s)[0]
	if err := send(t, target); err != nil {
		t.Fatal(err)
	}
	if h := got()[0]; h.Header.Get("webhook-signature") != "" {
		t.Error("signed without a secret")
	}
}

// What an answer means: arrived, to be tried again, or never.
func TestAnswers(t *testing.T) {
	at, _ := server(t, false, func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscanf(r.URL.Path, "/hunter2/%d", &code)
		if code == 429 {
			w.Header().Set("Retry-After", "7")
		}
		if code == 302 {
			w.Header().Set("Location", "https://example.com/hunter2")
		}
		w.WriteHeader(code)
		if code == 400 {
			fmt.Fprintf(w, "no such\n\thook \x1b[31m at %s", r.URL.Path)
		}
	})
	for _, c := range []struct {
		code      int
		permanent bool
		want      string
	}{
		{400, true, `the receiver answered 400 Bad Request: "no such hook`}, {401, true, "401"}, {404, true, "404"}, {410, true, "410 Gone"},
		{408, false, "408"}, {429, false, "429"}, {500, false, "500"}, {503, false, "503 Service Unavailable"},
		{302, true, "302 Found, which is not followed; use the final address"}, {304, true, "304"},
	} {
		s := secrets("URL", fmt.Sprintf("%s/hunter2/%d", at, c.code))
		err := send(t, Spec{Webhook: &Webhook{URL: Ref{Env: "URL"}}}.Targets(s)[0])
		hidden := &Error{Message: s.Hide(err.Error()), Permanent: Permanent(err)}
		failed(t, hidden, c.permanent, c.want)
		if after := After(err); (after == 7*time.Second) != (c.code == 429) {
			t.Errorf("%d: after %s", c.code, after)
		}
	}
}

// A receiver cannot send us on into this machine or its network.
func TestRedirects(t *testing.T) {
	inside, got := server(t, false, func(w http.ResponseWriter, r *http.Request) {})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(inside, "http://"))
	at, _ := server(t, false, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusPermanentRedirect)
	})
	for to, want := range map[string]string{
		inside:                                    "127.0.0.1, an address inside this network",
		"http://localhost:" + port:                "an address inside this network",
		"http://0.0.0.0:" + port:                  "0.0.0.0, an address inside",
		"http://[::1]:" + port:                    "::1, an address inside",
		"http://[::ffff:7f00:1]:" + port:          "127.0.0.1, an address inside",
		"http://169.254.169.254/latest/meta-data": "169.254.169.254, an address inside",
		"http://[fe80::1%25lo]/":                  "fe80::1%lo, an address inside",
		"http://10.1.2.3/":                        "10.1.2.3, an address inside",
		"http://[fd00::1]/":                       "fd00::1, an address inside",
		"http://100.100.100.200/":                 "100.100.100.200, an address inside",
		"/again":                                  "an address inside",
		"ftp://example.com/":                      `its url begins with "ftp://"`,
		"":                                        "an invalid address",
		"http://u:hunter2@example.com/":           "contains a user or a password",
	} {
		err := send(t, Spec{Webhook: &Webhook{URL: Ref{Text: at + "/?to=" + url.QueryEscape(to)}}}.Targets(secrets())[0])
		failed(t, err, true, want)
	}
	if n := len(got()); n > 0 {
		t.Errorf("%d requests went inside", n)
	}
	secure, _ := server(t, true, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://example.com/", http.StatusTemporaryRedirect)
	})
	failed(t, send(t, Spec{Webhook: &Webhook{URL: Ref{Text: secure}}}.Targets(secrets())[0]), true, "http://example.com, which is not encrypted")
	for _, a := range []string{"93.184.216.34:443", "[2606:2800:220:1::1]:443"} {
		if err := outsideOnly("tcp", a, nil); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
}

// A receiver that is not there, does not answer, or is not who it says.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	patience := time.Minute // a busy machine needs some
	hook := func(u string) error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return Spec{Webhook: &Webhook{URL: Ref{Env: "U"}}}.Targets(secrets("U", u))[0].Send(ctx, message())
	}
	failed(t, hook("http://"+closed+"/hunter2"), false, "connection refused")
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	patience = 300 * time.Millisecond
	failed(t, hook("http://"+silent.Addr().String()+"/hunter2"), false, "no answer in time")
	patience = time.Minute
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.TLS = tlsConfig(untrusted)
	s.Config.ErrorLog = quiet
	s.StartTLS()
	defer s.Close()
	failed(t, hook(s.URL+"/hunter2"), true, "its certificate is not valid: x509")
	failed(t, hook("no address hunter2"), true, "its url is not an address")
	failed(t, hook("http://h:1:2/hunter2"), true, "its url is not an address")
	target := Spec{Webhook: &Webhook{URL: Ref{Env: "NOT_THERE"}}}.Targets(secrets())[0]
	failed(t, target.Send(context.Background(), message()), true, "the environment variable NOT_THERE is not set")
}

func TestChats(t *testing.T) {
	at, got := server(t, true, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok") })
	s := secrets("URL", at+"/services/hunter2")
	for name, spec := range map[string]Spec{"slack": {Slack: &Chat{URL: Ref{Env: "URL"}}}, "discord": {Discord: &Chat{URL: Ref{Env: "URL"}}}} {
		target := spec.Targets(s)[0]
		if target.String() != name+" "+at {
			t.Errorf("it is called %q", target)
		}
		if err := send(t, target); err != nil {
			t.Fatal(err)
		}
		h := got()[0]
		var v any
		if err := json.Unmarshal(h.body, &v); err != nil || h.URL.Path != "/services/hunter2" {
			t.Errorf("%s: %s, %v", h.URL, h.body, err)
		}
		golden(t, name+".json", v)
	}
	err := send(t, Spec{Slack: &Chat{URL: Ref{Env: "P"}}}.Targets(secrets("P", "http://example.com/hunter2"))[0])
	failed(t, err, true, "http://example.com is not encrypted")
}

// The services refuse what is longer than they say.
func TestChatLimits(t *testing.T) {
	m := message()
	for _, p := range []*string{&m.Finding.Message, &m.Finding.Cause, &m.Finding.Remedy, &m.Finding.Configuration, &m.Run, &m.Path} {
		*p = strings.Repeat("&", 10_000)
	}
	var longest func(v any) int
	longest = func(v any) (n int) {
		switch v := v.(type) {
		case string:
			return len([]rune(v))
		case map[string]any:
			for _, x := range v {
				n = max(n, longest(x))
			}
		case []any:
			for _, x := range v {
				n = max(n, longest(x))
			}
		}
		return n
	}
	if n := longest(slackPayload(m)); n > 12_000 {
		t.Errorf("slack: %d characters", n)
	}
	for _, b := range slackPayload(m).(map[string]any)["blocks"].([]any) {
		if n := longest(b); n > 3_000 {
			t.Errorf("slack: a block of %d characters", n)
		}
	}
	if n := longest(discordPayload(m)); n > 4000 {
		t.Errorf("discord: %d characters", n)
	}
}

func TestText(t *testing.T) {
	at, got := server(t, true, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(201) })
	s := secrets("P", "hunter2", "T", "hunter2token")
	g := Gateway{
		URL: Ref{Text: at + "/v1"}, User: Ref{Text: "account"}, Password: Ref{Env: "P"},
		Fields: []Field{{"To", Ref{Text: "{to}"}}, {"Body", Ref{Text: "{text}"}}, {"Key", Ref{Text: "{id}"}}, {"Secret", Ref{Env: "P"}}},
	}
	spec := Spec{Text: &Text{To: []string{"+15551234567", "+15557654321"}, Gateway: g}}
	if err := spec.Check(); err != nil {
		t.Fatal(err)
	}
	targets := spec.Targets(s)
	for _, target := range targets {
		if err := send(t, target); err != nil {
			t.Fatal(err)
		}
	}
	list := got()
	if len(list) != 2 || targets[1].String() != "text message to +15557654321" {
		t.Fatalf("%d messages, the second to %s", len(list), targets[1])
	}
	form, err := url.ParseQuery(string(list[0].body))
	user, password, _ := list[0].BasicAuth()
	want := "SMDebugRule:not_finite fired. the loss is <NaN> & stays so (resnet, step 20)"
	if err != nil || form.Get("To") != "+15551234567" || form.Get("Body") != want || form.Get("Key") != message().ID || form.Get("Secret") != "hunter2" || user != "account" || password != "hunter2" {
		t.Errorf("form %v, %v", form, err)
	}
	g.User, g.Password, g.Token, g.JSON = Ref{}, Ref{}, Ref{Env: "T"}, true
	if err := send(t, Spec{Text: &Text{To: []string{"+1"}, Gateway: g}}.Targets(s)[0]); err != nil {
		t.Fatal(err)
	}
	h := got()[0]
	var object map[string]string
	if err := json.Unmarshal(h.body, &object); err != nil || object["To"] != "+1" || h.Header.Get("Authorization") != "Bearer hunter2token" {
		t.Errorf("%s with %q, %v", h.body, h.Header, err)
	}
	g.Token = Ref{Env: "GONE"}
	failed(t, send(t, Spec{Text: &Text{To: []string{"+1"}, Gateway: g}}.Targets(s)[0]), true, "GONE is not set")
}
