package runs

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Kind is a kind of what the larger part of a row holds.
type Kind int

// The kinds.
const (
	Losses Kind = iota
	Value
	Parameter
)

// Each calls f for the losses (without a name), each value and each parameter of the
// row. rest begins with its JSON, of which f says the length, as Length and Walk do:
// nothing is looked through twice. The bytes are the row's.
func (r *Row) Each(f func(kind Kind, name, rest []byte) int) error {
	b := r.detail
	if b == nil {
		var err error
		if b, err = json.Marshal(&r.Detail); err != nil {
			return fmt.Errorf("encode the row of run %q: %w", r.Name, err)
		}
	}
	n := Walk(b, func(name, rest []byte) int {
		switch string(name) {
		case "losses":
			return f(Losses, nil, rest)
		case "values":
			return Walk(rest, func(name, rest []byte) int { return f(Value, name, rest) })
		case "parameters":
			return Walk(rest, func(name, rest []byte) int { return f(Parameter, name, rest) })
		}
		return Length(rest)
	})
	if n != len(b) {
		return fmt.Errorf("read the row of run %q: its larger part is no JSON object of them", r.Name)
	}
	return nil
}

// Walk calls f for each member of the JSON object that b begins with, which has no
// white space, as encoding/json writes it. f says how long the member's value is, with
// which rest begins. The answer is the object's length; 0 where it is none.
func Walk(b []byte, f func(name, rest []byte) int) int {
	if len(b) < 2 || b[0] != '{' {
		return 0
	}
	if b[1] == '}' {
		return 2
	}
	for at := 1; at < len(b) && b[at] == '"'; at++ {
		n := text(b[at:])
		if n == 0 || at+n >= len(b) || b[at+n] != ':' {
			return 0
		}
		name := b[at+1 : at+n-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			var text string
			if json.Unmarshal(b[at:at+n], &text) != nil {
				return 0
			}
			name = []byte(text)
		}
		at += n + 1
		if n = f(name, b[at:]); n < 1 || at+n >= len(b) {
			return 0
		}
		if at += n; b[at] == '}' {
			return at + 1
		}
		if b[at] != ',' {
			return 0
		}
	}
	return 0
}

// Length is that of the JSON value that b begins with; 0 where it has no end.
func Length(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := text(b[i:])
			if n == 0 {
				return 0
			}
			if i += n - 1; depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // of what is around a number
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	if depth > 0 {
		return 0
	}
	return len(b)
}

// text is the length of the JSON string that b begins with; 0 where it has no end.
func text(b []byte) int {
	for i := 1; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return 0
		}
		i += n
		back := 0
		for b[i-1-back] == '\\' {
			back++
		}
		if back%2 == 0 {
			return i + 1
		}
	}
	return 0
}
