package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
)

const viewsDir = "views"

// View is a named view of the list of runs: columns, order, grouping, charts, as the
// page keeps them.
type View struct {
	Name string          `json:"name"`
	View json.RawMessage `json:"view" doc:"An object of the page's"`
}

// viewFile is a view as it lies on disk.
type viewFile struct {
	Format int `json:"format"`
	View
}

// checkViewName refuses names that a person could not read or tell apart.
func checkViewName(name string) error {
	switch {
	case strings.TrimSpace(name) != name || name == "":
		return refuse("a view needs a name, without spaces around it")
	case utf8.RuneCountInString(name) > 80:
		return refuse("the name of a view has at most 80 characters")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) || r == utf8.RuneError }):
		return refuse("the name of a view has characters that cannot be shown")
	}
	return nil
}

func viewPath(name string) string { return path.Join(viewsDir, layout.Escape(name)+".json") }

// Views are all named views, by name. A damaged one is left out.
func (u *UI) Views() []View {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := []View{}
	files, _ := u.viewFiles()
	for _, name := range files {
		b, err := u.read(path.Join(viewsDir, name), mostView)
		var v viewFile
		if err != nil || json.Unmarshal(b, &v) != nil || path.Base(viewPath(v.Name)) != name {
			continue
		}
		var compact bytes.Buffer
		if _, other := u.views[v.Name]; !other && json.Compact(&compact, v.View.View) == nil {
			list = append(list, View{v.Name, compact.Bytes()})
		}
	}
	for name, v := range u.views {
		if v != nil {
			list = append(list, View{name, v})
		}
	}
	slices.SortFunc(list, func(a, b View) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// viewFiles names the files of views.
func (u *UI) viewFiles() ([]string, error) {
	if err := u.checkDir(); err != nil {
		return nil, err
	}
	entries, err := u.fs.List(u.dir())
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(entries, func(d fs.DirEntry) bool { return d.Name() == viewsDir && !d.IsDir() }) {
		return nil, fmt.Errorf("%s in %s is not a folder", viewsDir, u.dir())
	}
	list, err := u.fs.List(filepath.Join(u.dir(), viewsDir))
	var names []string
	for _, d := range list {
		if strings.HasSuffix(d.Name(), ".json") && d.Type().IsRegular() && len(names) < mostViews {
			names = append(names, d.Name())
		}
	}
	return names, err
}

// PutView makes a view, or replaces it.
func (u *UI) PutView(name string, view json.RawMessage) error {
	if err := checkViewName(name); err != nil {
		return err
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(view, &object) != nil || object == nil {
		return refuse("a view is a JSON object")
	}
	if len(view) > mostView {
		return refuse("the view %q takes %d bytes; the limit is %d", name, len(view), mostView)
	}
	b, err := lines.Document(viewFile{settingsFormat, View{name, view}})
	if err != nil {
		return fmt.Errorf("encode the view %q: %w", name, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	release, err := u.lock()
	defer release()
	files, listErr := u.viewFiles()
	if err == nil && !errors.Is(listErr, fs.ErrNotExist) {
		err = listErr
	}
	if len(files)+len(u.views) >= mostViews && !slices.Contains(files, path.Base(viewPath(name))) && u.views[name] == nil {
		return refuse("there are %d views already; remove one", mostViews)
	}
	if err == nil {
		err = makeDir(u.fs, filepath.Join(u.dir(), viewsDir))
	}
	if err == nil {
		err = replace(u.fs, filepath.Join(u.dir(), filepath.FromSlash(viewPath(name))), b, true)
	}
	if u.why = err; err != nil {
		u.views[name] = slices.Clone(view)
		return nil
	}
	delete(u.views, name)
	return nil
}

// RemoveView removes a view; fs.ErrNotExist when there is none of this name.
func (u *UI) RemoveView(name string) error {
	if err := checkViewName(name); err != nil {
		return fmt.Errorf("remove the view: %w: %w", fs.ErrNotExist, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	release, err := u.lock()
	defer release()
	inMemory := u.views[name] != nil
	files, _ := u.viewFiles()
	onDisk := slices.Contains(files, path.Base(viewPath(name)))
	if removed, hidden := u.views[name]; !inMemory && (!onDisk || hidden && removed == nil) {
		return fmt.Errorf("remove the view %q: %w", name, fs.ErrNotExist)
	}
	delete(u.views, name)
	if !onDisk {
		return nil
	}
	if err == nil {
		err = u.fs.Remove(filepath.Join(u.dir(), filepath.FromSlash(viewPath(name))))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.why, u.views[name] = err, nil
	}
	return nil
}
