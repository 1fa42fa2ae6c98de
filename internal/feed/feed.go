// Package feed is the form in which the complete steps of a run travel to
// Python: to the process of a rule, and to a script that reads a run. The other
// side is python/vigil/_frames.py and _steps.py.
//
// A frame is its length (4 bytes, little-endian), one byte that says what it
// is, and the rest: JSON, or a JSON header (its length in 4 bytes, itself) and
// bytes behind it. The numbers of a step are float64, little-endian, so that
// Python takes them in as they are.
package feed

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// Kinds of frames.
const (
	Config = 'C' // what to run: JSON
	Names  = 'A' // what tensors are: list of record.TensorInfo
	Step   = 'S' // a complete step: header and numbers
	Pass   = 'P' // all that is stored for now has been handed over
	End    = 'E' // the job has ended: JSON
	Hello  = 'H' // the rule is ready: JSON
	Done   = 'D' // a step was judged: JSON
	Failed = 'X' // the rule cannot go on: JSON
	Bye    = 'B' // the rule has come to its end: JSON
	Ask    = 'R' // a question for values: JSON
	Values = 'V' // the answer: header and bytes
	None   = 'N' // the answer that there are none: JSON
)

// Read reads one frame of at most the given number of bytes.
func Read(r io.Reader, most int) (kind byte, payload []byte, err error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n < 1 || int64(n) > int64(most) {
		return 0, nil, fmt.Errorf("read frame: %d bytes, allowed are 1 to %d", n, most)
	}
	// What is announced need not come: memory grows with what does.
	b, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err == nil && len(b) < int(n) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, nil, fmt.Errorf("read frame: %w", err)
	}
	return b[0], b[1:], nil
}

// JSON makes a frame of a value.
func JSON(kind byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("make frame: %w", err)
	}
	return finish(append(begin(kind, len(b)), b...)), nil
}

// begin makes room for the length of a frame.
func begin(kind byte, size int) []byte {
	return append(make([]byte, 0, size+5), 0, 0, 0, 0, kind)
}

// finish fills in the length.
func finish(b []byte) []byte {
	binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// withHeader begins a frame that has a header before its bytes.
func withHeader(kind byte, header any, size int) ([]byte, error) {
	h, err := json.Marshal(header)
	if err != nil {
		return nil, fmt.Errorf("make frame: %w", err)
	}
	b := begin(kind, 4+len(h)+size)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(h)))
	return append(b, h...), nil
}
