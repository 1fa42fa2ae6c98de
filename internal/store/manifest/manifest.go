// Package manifest is the list of a run's immutable files: for each its length
// and the checksums of its blocks, so that a reader of a part of a file checks
// that part. It is append-only, one checksummed JSON line per event. A file
// counts from the line that names it; docs/formats/manifest.md is the page for
// users.
package manifest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/vigil-ml/vigil/internal/store/lines"
)

// Event is one line: exactly one field is set.
type Event struct {
	Worker   *Worker  `json:"worker,omitempty"`
	Sealed   *Sealed  `json:"sealed,omitempty"`
	Raw      *File    `json:"raw,omitempty"`
	Trace    *File    `json:"trace,omitempty"`
	Removed  string   `json:"removed,omitempty"`  // a file of raw tensors, machine metrics or a trace that made room for others
	Replaced *File    `json:"replaced,omitempty"` // the next content of a file that is replaced as a whole
	Profile  *File    `json:"profile,omitempty"`  // what was seen in a window of detail
	Damaged  *Damaged `json:"damaged,omitempty"`
	Rewound  *Rewound `json:"rewound,omitempty"`
}

// Worker tells the name of the worker whose series lie in a directory.
type Worker struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
}

// Sealed says that a journal became Parquet: from this line on the files
// count and the journal does not.
type Sealed struct {
	Journal string `json:"journal"`
	Files   []File `json:"files"`
	Steps   int64  `json:"steps"`
	Rows    int64  `json:"rows"` // scalars, statistics, derived values
	// Sessions holds the highest sequence number of each session in it.
	Sessions map[string]uint64 `json:"sessions,omitempty"`
	// Times is the same of step times and events, which come on their own.
	Times map[string]uint64 `json:"times,omitempty"`
	// Span is from when to when machine metrics or step times in it are, in
	// microseconds since 1970.
	Span *[2]int64 `json:"span,omitempty"`
}

// Damaged says that part of a journal could not be read when it was sealed, or
// was cut off when the run was resumed.
type Damaged struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// File is an immutable file, its path relative to the run.
type File struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Block int64  `json:"block"` // bytes per block; the last one may be shorter
	Sums  Sums   `json:"sums"`  // CRC-32C of each block
}

// Sums are spelt as eight hex digits each, without a separator.
type Sums []uint32

// MarshalText implements encoding.TextMarshaler.
func (s Sums) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 8*len(s))
	for _, v := range s {
		b = fmt.Appendf(b, "%08x", v)
	}
	return b, nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Sums) UnmarshalText(b []byte) error {
	raw, err := hex.DecodeString(string(b))
	if err != nil || len(raw)%4 != 0 {
		return fmt.Errorf("parse block checksums: %d digits that are no sums", len(b))
	}
	*s = make(Sums, len(raw)/4)
	for i := range *s {
		(*s)[i] = uint32(raw[4*i])<<24 | uint32(raw[4*i+1])<<16 | uint32(raw[4*i+2])<<8 | uint32(raw[4*i+3])
	}
	return nil
}

// blocks is how many sums a file has, unless that made the blocks larger than
// maxBlock.
const (
	blocks   = 256
	maxBlock = 64 << 20
)

// BlockSize is the block size for a file of n bytes: 64 KiB, or the power of
// two that keeps the number of blocks at or below 256, but at most 64 MiB.
func BlockSize(n int64) int64 {
	size := int64(64 << 10)
	for (n+size-1)/size > blocks && size < maxBlock {
		size *= 2
	}
	return size
}

// Describe reads a file of n bytes and gives its entry.
func Describe(path string, r io.ReaderAt, n int64) (File, error) {
	f := File{Path: path, Bytes: n, Block: BlockSize(n)}
	buf := make([]byte, min(f.Block, n))
	for off := int64(0); off < n; off += f.Block {
		b := buf[:min(f.Block, n-off)]
		if err := readFull(r, b, off); err != nil {
			return File{}, fmt.Errorf("sum %q: %w", path, err)
		}
		f.Sums = append(f.Sums, lines.Checksum(b))
	}
	return f, nil
}

func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// Sane reports whether an entry can be true.
func (f *File) Sane() bool {
	return f.Bytes >= 0 && f.Block >= 1<<10 && f.Block <= maxBlock && int64(len(f.Sums)) == (f.Bytes+f.Block-1)/f.Block
}

// Read takes the bytes of a manifest apart. event gets each whole line, bad the
// offset of each damaged one. torn is the length of an unfinished line at the
// end: the next reading begins there.
func Read(b []byte, event func(Event), bad func(off int64)) (torn int) {
	return lines.Read(b, func(r lines.Result) {
		var e Event
		err := r.Err
		if err == nil {
			err = json.Unmarshal(r.JSON, &e)
		}
		if err == nil && (e.Raw != nil && !e.Raw.Sane() || e.Profile != nil && !e.Profile.Sane() || e.Trace != nil && !e.Trace.Sane() || e.Replaced != nil && !e.Replaced.Sane()) {
			err = lines.ErrChecksum
		}
		if err == nil && e.Sealed != nil {
			for i := range e.Sealed.Files {
				if !e.Sealed.Files[i].Sane() {
					err = lines.ErrChecksum
				}
			}
		}
		if err != nil {
			bad(r.Offset)
			return
		}
		event(e)
	})
}
