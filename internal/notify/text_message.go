package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// Text is a text message to telephones.
type Text struct {
	To      []string `json:"to"`
	Gateway Gateway  `json:"gateway"`
}

// Gateway is a service that sends text messages by a POST: the fields of a
// form (or of a JSON object), with {to}, {text} and {id} in their values.
type Gateway struct {
	URL      Ref     `json:"url"`
	User     Ref     `json:"user"`     // with Password: HTTP basic
	Password Ref     `json:"password"` // a secret
	Token    Ref     `json:"token"`    // Authorization: Bearer; a secret
	JSON     bool    `json:"json,omitempty"`
	Fields   []Field `json:"fields"`
}

// Field is one field of a gateway's form.
type Field struct {
	Name  string `json:"name"`
	Value Ref    `json:"value"`
}

// number is a telephone number as the E.164 plan has it.
var number = regexp.MustCompile(`^\+\d{1,15}$`)

func (t *Text) check() error {
	if len(t.To) == 0 {
		return errors.New("it has no recipient (to)")
	}
	for _, to := range t.To {
		if !number.MatchString(to) {
			return fmt.Errorf("%q is not a telephone number; write + and digits: +15551234567", to)
		}
	}
	g := t.Gateway
	if g.URL.IsZero() {
		return errors.New("there is no gateway to send it; write gateway: url and fields at the top of the configuration")
	}
	if err := checkURL(g.URL, false); err != nil {
		return fmt.Errorf("gateway: %w", err)
	}
	seen := ""
	for _, f := range g.Fields {
		seen += f.Value.Text
	}
	for _, need := range []string{"{to}", "{text}"} {
		if !strings.Contains(seen, need) {
			return fmt.Errorf("gateway: no field contains %s", need)
		}
	}
	if g.Password.Text != "" || g.Token.Text != "" {
		return errors.New("gateway: a secret is in the configuration itself")
	}
	if !g.Password.IsZero() && g.User.IsZero() {
		return errors.New("gateway: there is a password but no user")
	}
	return nil
}

type textTarget struct {
	gateway Gateway
	to      string
	secrets *Secrets
}

func (t *textTarget) String() string { return "text message to " + t.to }

// Send asks the gateway to send the message.
func (t *textTarget) Send(ctx context.Context, m *Message) error {
	var err error
	get := func(r Ref) string {
		v, e := t.secrets.get(r)
		if e != nil && err == nil {
			err = e
		}
		return v
	}
	to, user, password, token := get(t.gateway.URL), get(t.gateway.User), get(t.gateway.Password), get(t.gateway.Token)
	fill := strings.NewReplacer("{to}", t.to, "{text}", short(m), "{id}", m.ID)
	form, object := url.Values{}, map[string]string{}
	for _, f := range t.gateway.Fields {
		v := get(f.Value)
		if !f.Value.secret() {
			v = fill.Replace(v)
		}
		form.Set(f.Name, v)
		object[f.Name] = v
	}
	if err != nil {
		return err
	}
	if _, err := address(to, false); err != nil {
		return &Error{Message: "gateway: " + err.Error(), Permanent: true}
	}
	r := request{url: to, user: user, password: password, header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, body: []byte(form.Encode())}
	if t.gateway.JSON {
		r.header["Content-Type"] = "application/json"
		if r.body, err = json.Marshal(object); err != nil {
			return &Error{Message: "write the message: " + err.Error(), Permanent: true}
		}
	}
	if token != "" {
		r.header["Authorization"] = "Bearer " + token
	}
	if user != "" {
		t.secrets.learn(user + ":" + password)
	}
	return post(ctx, r)
}
