package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

// log appends a line to a file of lines.
func (w *Writer) log(rel string, v any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	a := w.logs[rel]
	if a == nil {
		var err error
		if a, err = openAppender(w.fs, w.at(rel)); err != nil {
			return err
		}
		w.logs[rel] = a
	}
	return a.line(v)
}

// Finding appends a finding to findings/<rule>.jsonl.
func (w *Writer) Finding(f record.Finding) error {
	if err := w.log(layout.Finding(f.Rule), &f); err != nil {
		return fmt.Errorf("store a finding of rule %q: %w", f.Rule, err)
	}
	return nil
}

// Action appends one action attempt, any value that is a JSON object, to
// actions/actions.jsonl.
func (w *Writer) Action(v any) error {
	if err := w.log(layout.Actions, v); err != nil {
		return fmt.Errorf("store an action: %w", err)
	}
	return nil
}

// Event appends the document of one change of status, any value that is a JSON
// object, to actions/events.jsonl.
func (w *Writer) Event(v any) error {
	if err := w.log(layout.Events, v); err != nil {
		return fmt.Errorf("store an event: %w", err)
	}
	return nil
}

// HasEvents reports whether an event was ever stored.
func (w *Writer) HasEvents() bool {
	_, err := w.fs.Stat(w.at(layout.Events))
	return err == nil
}

// Summary replaces findings/summary.json, a list, as readers expect it.
func (w *Writer) Summary(groups []record.Group) error {
	if groups == nil {
		groups = []record.Group{}
	}
	b, err := json.MarshalIndent(groups, "", "  ")
	if err != nil {
		return fmt.Errorf("store the summary of findings: %w", err)
	}
	if err := w.replaceListed(layout.Summary, append(b, '\n')); err != nil {
		return fmt.Errorf("store the summary of findings: %w", err)
	}
	return nil
}

// Diff replaces code.diff.
func (w *Writer) Diff(text []byte) error {
	if err := w.replaceListed(layout.Diff, text); err != nil {
		return fmt.Errorf("store the diff of the code: %w", err)
	}
	return nil
}

// replaceListed replaces a file that cannot hold a checksum of its own: the
// manifest does, from before the file is replaced, so that after a crash the old
// or the new content fits one of its lines.
func (w *Writer) replaceListed(rel string, b []byte) error {
	f, err := manifest.Describe(rel, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	w.mu.Lock()
	if w.closed {
		err = ErrClosed
	} else {
		err = w.event(manifest.Event{Replaced: &f})
	}
	w.mu.Unlock()
	if err == nil {
		err = w.manifest.sync()
	}
	if err == nil {
		err = replaceBytes(w.fs, w.at(rel), b)
	}
	return err
}

// StatusFile is findings/statuses.json.
type StatusFile struct {
	Rules []record.RuleStatus `json:"rules"`
}

// Statuses replaces findings/statuses.json.
func (w *Writer) Statuses(list []record.RuleStatus) error {
	b, err := lines.Document(StatusFile{list})
	if err == nil {
		err = replaceBytes(w.fs, w.at(layout.Statuses), b)
	}
	if err != nil {
		return fmt.Errorf("store the rules' statuses: %w", err)
	}
	return nil
}

// stateMagic opens a file of state; length and checksum of the data follow.
const stateMagic = "VGST"

// SaveState replaces a named piece of state (a rule engine's snapshot).
func (w *Writer) SaveState(name string, data []byte) error {
	b := append([]byte(nil), stateMagic...)
	b = binary.LittleEndian.AppendUint32(b, lines.Checksum(data))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(data)))
	if err := replaceBytes(w.fs, w.at(layout.State(name)), append(b, data...)); err != nil {
		return fmt.Errorf("save state %q: %w", name, err)
	}
	return nil
}

// LoadState reads what SaveState left; fs.ErrNotExist when there is nothing,
// or nothing that is whole.
func (w *Writer) LoadState(name string) ([]byte, error) {
	b, err := readFile(w.fs, w.at(layout.State(name)))
	if err != nil {
		return nil, fmt.Errorf("load state %q: %w", name, err)
	}
	data, ok := OpenState(b)
	if !ok {
		return nil, fmt.Errorf("load state %q: it is damaged: %w", name, fs.ErrNotExist)
	}
	return data, nil
}

// OpenState checks the bytes of a file of state and gives the data in it.
func OpenState(b []byte) (data []byte, ok bool) {
	if len(b) < 16 || string(b[:4]) != stateMagic {
		return nil, false
	}
	data = b[16:]
	ok = binary.LittleEndian.Uint64(b[8:]) == uint64(len(data)) && binary.LittleEndian.Uint32(b[4:]) == lines.Checksum(data)
	return data, ok
}
