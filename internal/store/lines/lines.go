// Package lines gives JSON documents a checksum of their own: the last member
// of the object is "crc", eight hex digits of the CRC-32C (Castagnoli) of all
// bytes before it. Any JSON reader reads such a document; ours also knows
// whether a byte of it changed. docs/formats/json.md is the page for users.
package lines

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

var table = crc32.MakeTable(crc32.Castagnoli)

// Checksum is the CRC-32C that every format of the store uses.
func Checksum(b []byte) uint32 { return crc32.Checksum(b, table) }

// Extend is the Checksum of what sum was computed from, followed by b; that of
// nothing is 0.
func Extend(sum uint32, b []byte) uint32 { return crc32.Update(sum, table, b) }

// ErrChecksum says that a document is not what was written.
var ErrChecksum = errors.New("checksum does not match")

// MaxLine is the length above which a line is not read.
const MaxLine = 64 << 20

const (
	lineOpen  = `"crc":"`
	lineClose = "\"}"
	docOpen   = "  \"crc\": \""
	docClose  = "\"\n}\n"
)

// Line encodes a JSON object as one line that ends with its checksum and a
// newline. A value that does not encode to an object is an error.
func Line(v any) ([]byte, error) {
	b, err := object(v)
	if err != nil {
		return nil, err
	}
	b = b[:len(b)-1]
	if len(b) > 1 {
		b = append(b, ',')
	}
	b = fmt.Appendf(b, lineOpen+"%08x"+lineClose, Checksum(b))
	return append(b, '\n'), nil
}

// object encodes without escaping <, > and &, so that names stay readable.
func object(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	b := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	if len(b) < 2 || b[0] != '{' {
		return nil, fmt.Errorf("encode JSON: %.40q is not an object", b)
	}
	return b, nil
}

// tail is the length of the checksum member and the closing brace of a line.
const tail = len(lineOpen) + 8 + len(lineClose)

// Open checks a line (without its newline) and gives it back for decoding.
func Open(line []byte) ([]byte, error) {
	n := len(line) - tail
	if n < 1 || line[0] != '{' || !valid(line[:n], line[n:], lineOpen, lineClose) {
		return nil, ErrChecksum
	}
	return line, nil
}

func valid(body, end []byte, open, closing string) bool {
	return string(end) == fmt.Sprintf("%s%08x%s", open, Checksum(body), closing)
}

// Result is what Read found in one place of a file.
type Result struct {
	Offset int64
	JSON   []byte // nil when Err is set
	Err    error
}

// Read takes a file of lines apart. A damaged stretch gives one Result with an
// error, and what follows it is read again. The rest, when it has no newline
// and is no whole line, is what a writer has not finished: its length comes
// back as torn.
func Read(b []byte, each func(Result)) (torn int) {
	off := int64(0)
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		end := i + 1
		line := b
		if i >= 0 {
			line = b[:i]
		} else {
			end = len(b)
		}
		switch js, err := Open(line); {
		case len(line) == 0:
		case err == nil:
			each(Result{Offset: off, JSON: js})
		case i < 0 && bytes.IndexByte(line, 0) < 0 && !salvageable(line):
			return len(line)
		default:
			salvage(line, off, each)
		}
		b = b[end:]
		off += int64(end)
	}
	return 0
}

// salvageable reports whether a whole document lies inside a bad line, which
// then is not just unfinished.
func salvageable(line []byte) bool {
	found := false
	salvage(line, 0, func(r Result) { found = found || r.Err == nil })
	return found || closed(line)
}

// closed reports whether a line has the form of a whole one.
func closed(line []byte) bool {
	return len(line) > tail && bytes.HasPrefix(line[len(line)-tail:], []byte(lineOpen)) && bytes.HasSuffix(line, []byte(lineClose))
}

// salvage looks for whole documents in a bad line: when the newline between
// two lines was damaged, both are still there.
func salvage(line []byte, off int64, each func(Result)) {
	bad := false
	report := func(at int) {
		if !bad {
			each(Result{Offset: off + int64(at), Err: ErrChecksum})
		}
		bad = true
	}
	start := 0
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte(lineOpen))
		if i < 0 || at+i+tail > len(line) {
			break
		}
		end := at + i + tail
		if js, err := Open(line[start:end]); err == nil {
			each(Result{Offset: off + int64(start), JSON: js})
		} else if js, err := fromBrace(line[start:end]); err == nil {
			report(start)
			each(Result{Offset: off + int64(start), JSON: js})
		} else {
			report(start)
		}
		at, start = end, min(end+1, len(line))
	}
	report(start)
}

// fromBrace tries every later opening brace: the start of the line is damaged,
// but a second document may follow. The number of tries is bounded.
func fromBrace(b []byte) ([]byte, error) {
	tries := 0
	for i := 1; i < len(b) && tries < 64; i++ {
		if b[i] == '{' {
			tries++
			if js, err := Open(b[i:]); err == nil {
				return js, nil
			}
		}
	}
	return nil, ErrChecksum
}

// Document encodes a JSON object for people: indented, its checksum last.
func Document(v any) ([]byte, error) {
	b, err := object(v)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	b = bytes.TrimSuffix(out.Bytes(), []byte("}"))
	b = bytes.TrimSuffix(b, []byte("\n"))
	if len(b) > 1 {
		b = append(b, ',')
	}
	b = append(b, '\n')
	return fmt.Appendf(b, docOpen+"%08x"+docClose, Checksum(b)), nil
}

// OpenDocument checks what Document wrote and gives it back for decoding.
func OpenDocument(b []byte) ([]byte, error) {
	n := len(b) - len(docOpen) - 8 - len(docClose)
	if n < 1 || !valid(b[:n], b[n:], docOpen, docClose) {
		return nil, ErrChecksum
	}
	return b, nil
}

// ReadAll reads a stream that must not be longer than MaxLine.
func ReadAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxLine+1))
	if err == nil && len(b) > MaxLine {
		err = fmt.Errorf("longer than %d bytes", MaxLine)
	}
	return b, err
}
