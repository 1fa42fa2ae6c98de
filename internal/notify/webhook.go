package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Webhook is a POST of the event to an address of the user's.
type Webhook struct {
	URL    Ref `json:"url"`
	Secret Ref `json:"secret"` // signs; none: not signed
}

func (w *Webhook) check() error {
	if w.Secret.Text != "" {
		return errors.New("its secret is in the configuration itself")
	}
	return checkURL(w.URL, true)
}

type webhookTarget struct {
	spec    Webhook
	secrets *Secrets
}

func (t *webhookTarget) String() string { return "webhook " + place(t.spec.URL, t.secrets) }

// Send posts the event with the headers of Standard Webhooks: webhook-id is
// the same at every try, webhook-signature covers id, time and body.
func (t *webhookTarget) Send(ctx context.Context, m *Message) error {
	to, err := t.secrets.get(t.spec.URL)
	if err != nil {
		return err
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	header := map[string]string{"Content-Type": "application/json", "webhook-id": m.ID, "webhook-timestamp": at}
	if !t.spec.Secret.IsZero() {
		secret, err := t.secrets.get(t.spec.Secret)
		if err != nil {
			return err
		}
		key, err := signingKey(secret)
		if err != nil {
			return err
		}
		header["webhook-signature"] = sign(key, m.ID, at, m.Event)
	}
	return post(ctx, request{url: to, header: header, body: m.Event, redirects: true})
}

// signingKey is the key of a secret: base64 after whsec_, as the libraries of
// Standard Webhooks have it, else the bytes themselves.
func signingKey(secret string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(secret, "whsec_")
	if !ok {
		return []byte(secret), nil
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, &Error{Message: "its secret begins with whsec_, and no base64 follows", Permanent: true}
	}
	return key, nil
}

func sign(key []byte, id, at string, body []byte) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + at + "."))
	h.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
}
