package notify

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
)

// Ref is a value that the configuration gives: as it is, or, when it is a
// secret, as the name of the environment variable or of the file that holds
// it. Only what is no secret may stand in the configuration itself.
type Ref struct {
	Text string `json:"text,omitempty"`
	Env  string `json:"env,omitempty"`
	File string `json:"file,omitempty"`
	// Part says which part of it counts, where it is an address; "": all.
	Part string `json:"part,omitempty"`
}

// IsZero reports that nothing was given.
func (r Ref) IsZero() bool { return r == Ref{} }

func (r Ref) secret() bool { return r.Env != "" || r.File != "" }

// maxSecret bounds a file that is to hold a secret.
const maxSecret = 16 << 10

// read gets the value. The error names the variable or the file.
func (r Ref) read(lookup func(string) (string, bool)) (string, error) {
	switch {
	case r.Env != "":
		v, ok := lookup(r.Env)
		if !ok || strings.TrimSpace(v) == "" {
			return "", fmt.Errorf("the environment variable %s is not set", r.Env)
		}
		if r.Part != "" {
			if v, err := partOf(strings.TrimSpace(v), r.Part); err == nil {
				return v, nil
			}
			return "", fmt.Errorf("the environment variable %s contains no address", r.Env)
		}
		return strings.TrimSpace(v), nil
	case r.File != "":
		f, err := os.Open(r.File)
		if err != nil {
			return "", fmt.Errorf("read a secret: %w", err)
		}
		defer f.Close()
		b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
		switch {
		case err != nil:
			return "", fmt.Errorf("read a secret: %w", err)
		case len(b) > maxSecret:
			return "", fmt.Errorf("read a secret: %q is larger than %d KiB", r.File, maxSecret>>10)
		case len(bytes.TrimSpace(b)) == 0:
			return "", fmt.Errorf("read a secret: %q is empty", r.File)
		}
		return string(bytes.TrimSpace(b)), nil
	}
	return r.Text, nil
}

// Secrets reads secrets when they are needed, and takes them out of whatever
// is about to be written or said. Its methods may be called by several
// goroutines.
type Secrets struct {
	lookup func(string) (string, bool)

	mu    sync.Mutex
	known []string // longest first
}

// NewSecrets reads variables with lookup; nil means this process's.
func NewSecrets(lookup func(string) (string, bool)) *Secrets {
	if lookup == nil {
		lookup = os.LookupEnv
	}
	return &Secrets{lookup: lookup}
}

// Missing reports which of the secrets of a notification cannot be read, nil if
// all can.
func (s *Secrets) Missing(spec Spec) error {
	for _, r := range spec.Refs() {
		if _, err := s.get(r); err != nil {
			return err
		}
	}
	return nil
}

// get reads a value; it is read again each time, so that a secret that was
// changed meanwhile is taken up.
func (s *Secrets) get(r Ref) (string, error) {
	v, err := r.read(s.lookup)
	if err != nil {
		return "", &Error{Message: err.Error(), Permanent: true}
	}
	if r.secret() {
		s.learn(v)
	}
	return v, nil
}

// learn keeps a secret, and the forms in which it travels, to hide them.
func (s *Secrets) learn(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range values {
		forms := []string{v, url.QueryEscape(v), url.PathEscape(v), base64.StdEncoding.EncodeToString([]byte(v)), strings.TrimPrefix(v, "whsec_")}
		if u, err := url.Parse(v); err == nil && u.Host != "" {
			// Of an address everything but the host is secret.
			forms = append(forms, u.RequestURI(), strings.Trim(u.Path, "/"), u.RawQuery)
		}
		for _, f := range forms {
			if len(f) >= 4 && !slices.Contains(s.known, f) {
				s.known = append(s.known, f)
			}
		}
	}
	slices.SortFunc(s.known, func(a, b string) int { return len(b) - len(a) })
}

// Hide replaces every known secret in a text.
func (s *Secrets) Hide(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.known {
		text = strings.ReplaceAll(text, k, "***")
	}
	return text
}
