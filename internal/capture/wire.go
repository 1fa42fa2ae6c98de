package capture

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// AppendMessage appends a message in its form on the wire: the length, then
// the JSON object v with its kind t in front.
func AppendMessage(dst []byte, t string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return dst, fmt.Errorf("encode %s message: %w", t, err)
	}
	if len(body) < 2 || body[0] != '{' {
		return dst, fmt.Errorf("encode %s message: %T is not an object", t, v)
	}
	head := []byte(`{"t":` + quote(t))
	if body[1] != '}' {
		head = append(head, ',')
	}
	n := len(head) + len(body) - 1
	if n > MaxMessage {
		return dst, fmt.Errorf("encode %s message: %d bytes are more than a message may have (%d)", t, n, MaxMessage)
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	dst = append(dst, head...)
	return append(dst, body[1:]...), nil
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string always has a JSON form
	return string(b)
}

// Message is a message before its fields are looked at.
type Message struct {
	Type string
	Body []byte // the whole JSON object
}

// Decode fills v with the message's fields.
func (m Message) Decode(v any) error {
	if err := json.Unmarshal(m.Body, v); err != nil {
		return fmt.Errorf("decode %s message: %w", m.Type, err)
	}
	return nil
}

// parseMessage finds the kind of a message.
func parseMessage(body []byte) (Message, error) {
	var head struct {
		T string `json:"t"`
	}
	if err := json.Unmarshal(body, &head); err != nil {
		return Message{}, fmt.Errorf("decode message: %w", err)
	}
	if head.T == "" {
		return Message{}, fmt.Errorf("decode message: no kind (t) in %.80q", body)
	}
	return Message{head.T, body}, nil
}

// splitter cuts a stream of bytes into messages.
type splitter struct {
	buf []byte
}

// next takes the next whole message from the buffered bytes; ok is false when
// more bytes are needed. After an error the stream is out of step and of no
// further use. The message's body stays valid.
func (s *splitter) next() (m Message, ok bool, err error) {
	if len(s.buf) < 4 {
		return Message{}, false, nil
	}
	n := binary.LittleEndian.Uint32(s.buf)
	if n > MaxMessage {
		return Message{}, false, fmt.Errorf("read message: length %d is more than a message may have (%d)", n, MaxMessage)
	}
	if uint32(len(s.buf)-4) < n {
		return Message{}, false, nil
	}
	body := s.buf[4 : 4+n : 4+n]
	s.buf = s.buf[4+n:]
	m, err = parseMessage(body)
	return m, err == nil, err
}

// begun reports whether a part of a message has come.
func (s *splitter) begun() bool { return len(s.buf) > 0 }

// missing is the number of bytes that the next message still needs.
func (s *splitter) missing() int {
	if len(s.buf) < 4 {
		return 4 - len(s.buf)
	}
	return 4 + int(binary.LittleEndian.Uint32(s.buf)) - len(s.buf)
}

func (s *splitter) add(b []byte) { s.buf = append(s.buf, b...) }

// ReadMessage reads one message; io.EOF when the stream ends before it begins.
func ReadMessage(r io.Reader) (Message, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Message{}, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > MaxMessage {
		return Message{}, fmt.Errorf("read message: length %d is more than a message may have (%d)", n, MaxMessage)
	}
	var body limited
	if _, err := io.CopyN(&body, r, int64(n)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Message{}, fmt.Errorf("read message: %w", err)
	}
	return parseMessage(body.b)
}

// limited grows with what arrives, so that a length alone takes no memory.
type limited struct{ b []byte }

func (l *limited) Write(p []byte) (int, error) {
	l.b = append(l.b, p...)
	return len(p), nil
}
