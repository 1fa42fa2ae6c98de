package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/vfs"
)

const (
	settingsFile   = "ui.json"
	lockFile       = "lock"
	settingsFormat = 1
	mostSettings   = 1 << 20 // bytes
	mostView       = 64 << 10
	mostViews      = 500
)

// Settings are what a person sets of the page, for all who look at this root.
type Settings struct {
	Archived []string                     `json:"archived" doc:"Names of runs that are not shown in the list"`
	Pinned   map[string][]json.RawMessage `json:"pinned" doc:"By run: the charts at the top of its curves"`
	Colours  map[string]string            `json:"colours" doc:"By run"`
	Styles   json.RawMessage              `json:"styles" doc:"By which field, or which expressions, runs have colours and line styles"`
}

// Refused is a change that is not made, for a reason that the person can fix.
type Refused struct{ Why string }

func (r *Refused) Error() string { return r.Why }

func refuse(format string, args ...any) error { return &Refused{fmt.Sprintf(format, args...)} }

// UI keeps what people set of the page in the folder next to the runs. What cannot be
// written there is kept in memory. Its methods may be called from several goroutines,
// and several processes may keep theirs in one folder: each changes what is there
// then.
type UI struct {
	fs   vfs.FS
	root string

	mu     sync.Mutex
	why    error                      // why the folder cannot be written
	memory map[string]json.RawMessage // what could not be written
	views  map[string]json.RawMessage // likewise; nil: removed
}

// OpenUI opens what was set at a root.
func OpenUI(fsys vfs.FS, root string) *UI {
	return &UI{fs: fsys, root: root, memory: map[string]json.RawMessage{}, views: map[string]json.RawMessage{}}
}

func (u *UI) dir() string { return filepath.Join(u.root, Dir) }

// Persisted reports whether what is set stays when the server ends, and if not why.
func (u *UI) Persisted() (bool, string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.why == nil {
		return true, ""
	}
	return false, u.why.Error()
}

// Settings reads what is set now.
func (u *UI) Settings() Settings {
	u.mu.Lock()
	defer u.mu.Unlock()
	s, _ := settingsOf(u.settings())
	return s
}

// settings is the document as it counts now; what is damaged counts for nothing.
func (u *UI) settings() map[string]json.RawMessage {
	doc := map[string]json.RawMessage{}
	if b, err := u.read(settingsFile, mostSettings); err == nil && json.Unmarshal(b, &doc) != nil {
		doc = map[string]json.RawMessage{}
	}
	maps.Copy(doc, u.memory)
	return doc
}

// read reads a document of the folder.
func (u *UI) read(name string, most int64) ([]byte, error) {
	path := filepath.Join(u.dir(), filepath.FromSlash(name))
	if err := u.checkDir(); err != nil {
		return nil, err
	}
	info, err := u.fs.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > 2*most {
		return nil, fmt.Errorf("%s is not a file of at most %d bytes", path, most)
	}
	b, err := readFile(u.fs, path)
	if err != nil {
		return nil, err
	}
	return lines.OpenDocument(b)
}

// checkDir tells that the folder is not one: it must not lead out of the root.
func (u *UI) checkDir() error {
	list, err := u.fs.List(u.root)
	if err != nil {
		return err
	}
	for _, d := range list {
		if d.Name() == Dir && !d.IsDir() {
			return fmt.Errorf("%s in the folder of the runs is no folder", Dir)
		}
	}
	return nil
}

// settingsOf is the document as the page knows it, and whether it holds nothing else.
func settingsOf(doc map[string]json.RawMessage) (Settings, error) {
	var s Settings
	var archived map[string]bool
	var errs []error
	take := func(key string, to any) {
		if raw, ok := doc[key]; ok {
			if err := json.Unmarshal(raw, to); err != nil {
				errs = append(errs, refuse("%s is not what it should be: %v", key, err))
			}
		}
	}
	take("archived", &archived)
	take("pinned", &s.Pinned)
	take("colours", &s.Colours)
	s.Styles = doc["styles"]
	s.Archived = []string{}
	for _, name := range slices.Sorted(maps.Keys(archived)) {
		if archived[name] {
			s.Archived = append(s.Archived, name)
		}
	}
	if s.Pinned == nil {
		s.Pinned = map[string][]json.RawMessage{}
	}
	if s.Colours == nil {
		s.Colours = map[string]string{}
	}
	if len(s.Styles) == 0 {
		s.Styles = json.RawMessage("{}")
	}
	return s, errors.Join(errs...)
}

// Change merges a patch (RFC 7396) into what is set: members that are null are
// removed, objects merged, all else replaced. "archived" is an object of true by name
// there, so that two people who archive runs do not undo each other; a list replaces it.
func (u *UI) Change(patch []byte) (Settings, error) {
	var p map[string]json.RawMessage
	if err := json.Unmarshal(patch, &p); err != nil || p == nil {
		return Settings{}, refuse("the change is not a JSON object")
	}
	for key := range p {
		if !slices.Contains([]string{"archived", "pinned", "colours", "styles"}, key) {
			return Settings{}, refuse("%q cannot be set; archived, pinned, colours and styles can", cut(key))
		}
	}
	listed, replaced := listedByName(p["archived"])
	u.mu.Lock()
	defer u.mu.Unlock()
	release, lockErr := u.lock()
	defer release()
	doc := u.settings()
	for key, value := range p {
		if key == "archived" && replaced {
			doc[key] = listed
			continue
		}
		merged, err := merge(doc[key], value)
		if err != nil {
			return Settings{}, err
		}
		if doc[key] = merged; merged == nil {
			delete(doc, key)
		}
	}
	s, err := settingsOf(doc)
	if err != nil {
		return Settings{}, err
	}
	doc["format"] = json.RawMessage(fmt.Sprint(settingsFormat))
	delete(doc, "crc")
	b, err := lines.Document(doc)
	if err != nil {
		return Settings{}, fmt.Errorf("encode what is set: %w", err)
	}
	if len(b) > mostSettings {
		return Settings{}, refuse("what is set would take %d bytes; the limit is %d", len(b), mostSettings)
	}
	if lockErr == nil {
		lockErr = replace(u.fs, filepath.Join(u.dir(), settingsFile), b, true)
	}
	if u.why = lockErr; lockErr != nil {
		delete(doc, "format")
		u.memory = doc
		return s, nil
	}
	u.memory = map[string]json.RawMessage{}
	return s, nil
}

// listedByName turns a list of names into the object that is kept; false when it is
// no list.
func listedByName(list json.RawMessage) (json.RawMessage, bool) {
	var names []string
	if json.Unmarshal(list, &names) != nil || names == nil {
		return nil, false
	}
	byName := map[string]bool{}
	for _, name := range names {
		byName[name] = true
	}
	b, err := json.Marshal(byName)
	return b, err == nil
}

// lock makes the folder and has others who change what is in it wait. An error says
// that nothing can be written there.
func (u *UI) lock() (release func(), err error) {
	nothing := func() {}
	if err := u.checkDir(); err != nil {
		return nothing, err
	}
	if err := makeDir(u.fs, u.dir()); err != nil {
		return nothing, err
	}
	path := filepath.Join(u.dir(), lockFile)
	list, err := u.fs.List(u.dir())
	if err != nil {
		return nothing, err
	}
	at := slices.IndexFunc(list, func(d fs.DirEntry) bool { return d.Name() == lockFile })
	switch {
	case at >= 0 && !list[at].Type().IsRegular():
		return nothing, fmt.Errorf("%s is not a file", path)
	case at < 0:
		f, err := u.fs.Append(path)
		if err != nil {
			return nothing, fmt.Errorf("write %q: %w", path, err)
		}
		f.Close()
	}
	return store.Lock(path), nil
}
