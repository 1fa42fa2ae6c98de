package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ParseSpec reads NAME:key=value,key=value. known gives the keys of a name; its
// error is returned as it is.
//
// A value ends only at a comma that a known key and "=" follow, so a{2,3},
// lists and colons need no escape. A value in double quotes ends at the
// closing quote; "" inside stands for one quote.
func ParseSpec(spec string, known func(name string) ([]string, error)) (name string, kv []KV, err error) {
	name, rest, params := strings.Cut(spec, ":")
	name = strings.TrimSpace(name)
	if name == "" {
		return "", nil, &UsageError{Message: fmt.Sprintf("%q has no name before its parameters", spec), What: spec, Hint: "write NAME or NAME:key=value,key=value"}
	}
	keys, err := known(name)
	if err != nil || !params || strings.TrimSpace(rest) == "" {
		return name, nil, err
	}
	s := scanner{spec: spec, rest: rest, keys: keys}
	if kv, err = s.pairs(); err != nil {
		return "", nil, err
	}
	return name, kv, nil
}

// scanner takes the parameters of a SPEC apart.
type scanner struct {
	spec, rest string
	keys       []string
	words      []string // keys that may stand alone: raw, stats, hist
	repeat     []string // keys that may come more than once
}

func (s *scanner) fail(hint, format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...) + fmt.Sprintf(" in %q", s.spec), What: s.spec, Hint: hint}
}

func (s *scanner) pairs() ([]KV, error) {
	var kv []KV
	for {
		p, more, err := s.pair()
		if err != nil {
			return nil, err
		}
		same := func(o KV) bool { return o.Key == p.Key }
		if slices.ContainsFunc(kv, same) && !slices.Contains(s.repeat, p.Key) {
			return nil, s.fail("give it once", "%q is given twice", p.Key)
		}
		kv = append(kv, p)
		if !more {
			return kv, nil
		}
	}
}

// pair takes one key and its value off the rest; more says that another one
// must follow.
func (s *scanner) pair() (kv KV, more bool, err error) {
	end := strings.IndexAny(s.rest, "=,")
	if end < 0 {
		end = len(s.rest)
	}
	kv.Key = strings.TrimSpace(s.rest[:end])
	bare := end == len(s.rest) || s.rest[end] == ','
	switch {
	case kv.Key == "":
		return kv, false, s.fail("write key=value after each comma", "a parameter has no name")
	case bare && slices.Contains(s.words, kv.Key):
		kv.Value = "true"
		return kv, s.skip(end), nil
	case !slices.Contains(s.keys, kv.Key):
		return kv, false, s.fail(Suggest(kv.Key, s.keys), "unknown parameter %q", kv.Key)
	case bare:
		return kv, false, s.fail("write "+kv.Key+"=VALUE", "%q has no value", kv.Key)
	}
	s.rest = strings.TrimLeft(s.rest[end+1:], " ")
	if strings.HasPrefix(s.rest, `"`) {
		kv.Value, more, err = s.quoted(kv.Key)
		return kv, more, err
	}
	end = s.valueEnd()
	kv.Value = strings.TrimSpace(s.rest[:end])
	if near := s.mistyped(kv.Value); near != "" {
		return kv, false, s.fail(fmt.Sprintf("did you mean %q? If it is part of the value of %s, put the value in double quotes", near, kv.Key),
			"the value of %q contains what looks like another parameter: %q", kv.Key, kv.Value)
	}
	return kv, s.skip(end), nil
}

// skip drops what was read and its comma; it reports whether there was one.
func (s *scanner) skip(end int) bool {
	if end >= len(s.rest) {
		s.rest = ""
		return false
	}
	s.rest = s.rest[end+1:]
	return true
}

func (s *scanner) quoted(key string) (value string, more bool, err error) {
	var b strings.Builder
	for i := 1; i < len(s.rest); i++ {
		switch {
		case s.rest[i] != '"':
			b.WriteByte(s.rest[i])
		case i+1 < len(s.rest) && s.rest[i+1] == '"':
			b.WriteByte('"')
			i++
		default:
			after := strings.TrimLeft(s.rest[i+1:], " ")
			if after != "" && after[0] != ',' {
				return "", false, s.fail(`write "" for a quote inside quotes`, "text follows the quoted value of %q", key)
			}
			s.rest = after
			return b.String(), s.skip(0), nil
		}
	}
	return "", false, s.fail(`close it with "`, "the quoted value of %q does not end", key)
}

// valueEnd is where the value at the start of the rest ends.
func (s *scanner) valueEnd() int {
	for i := range len(s.rest) {
		if s.rest[i] == ',' && s.startsKey(s.rest[i+1:]) {
			return i
		}
	}
	return len(s.rest)
}

// startsKey reports whether text begins with a known key and "=", or with a
// word that is alone.
func (s *scanner) startsKey(text string) bool {
	end := strings.IndexAny(text, "=,")
	key := text
	if end >= 0 {
		key = text[:end]
	}
	key = strings.TrimSpace(key)
	if end >= 0 && text[end] == '=' {
		return slices.Contains(s.keys, key)
	}
	return slices.Contains(s.words, key)
}

var keyLike = regexp.MustCompile(`,\s*([A-Za-z][A-Za-z0-9_-]{2,})\s*=`)

// mistyped finds, inside a value, what was probably meant as a key: a word
// before "=" that is one or two letters from one.
func (s *scanner) mistyped(value string) string {
	for _, m := range keyLike.FindAllStringSubmatch(value, -1) {
		for _, k := range s.keys {
			if d := distance(plain(m[1]), plain(k)); d <= 1 || d == 2 && len(k) >= 6 {
				return k
			}
		}
	}
	return ""
}
