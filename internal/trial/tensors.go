package trial

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"sort"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
)

// infos are a worker's announcements, as far as they were read.
type infos struct {
	off    int64
	order  []string
	byName map[string]record.TensorInfo
}

// Announced is what was announced, by all workers together, in the order of the
// model, then of announcement. Of a name that several workers announced the
// chief's counts.
func (t *Trial) Announced() []record.TensorInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	return t.announced()
}

func (t *Trial) announced() []record.TensorInfo {
	var list []record.TensorInfo
	seen := map[string]bool{}
	for _, w := range t.workers() {
		s := t.find(w)
		t.readInfos(s)
		for _, name := range s.infos.order {
			if !seen[name] {
				seen[name] = true
				list = append(list, s.infos.byName[name])
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Order < list[j].Order })
	return list
}

// Tensors is what was announced, by all workers together, in the order of the
// model, then of announcement; and the names of series that nobody announced,
// as scalars, then the series by time. Of a name that several workers announced
// the chief's counts.
func (t *Trial) Tensors() []record.TensorInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	list := t.announced()
	seen := map[string]bool{}
	for _, info := range list {
		seen[info.Name] = true
	}
	var more []string
	kinds := map[string]record.Kind{}
	t.eachName(func(name, stat string) {
		if seen[name] {
			return
		}
		if _, known := kinds[name]; !known {
			more = append(more, name)
		}
		if stat == chunk.ValueStat {
			kinds[name] = record.Metric
		} else if kinds[name] == "" {
			kinds[name] = record.Custom
		}
	})
	slices.Sort(more)
	for _, name := range more {
		list = append(list, record.TensorInfo{Name: name, Kind: kinds[name]})
		seen[name] = true
	}
	return append(list, t.byTime(seen)...)
}

// readInfos reads a worker's announcements on.
func (t *Trial) readInfos(s *series) {
	rel := path.Join(s.dir, layout.Announced)
	b, err := t.read(rel, s.infos.off)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.hurt(rel, "%v", err)
		}
		return
	}
	if s.infos.byName == nil {
		s.infos.byName = map[string]record.TensorInfo{}
	}
	torn := lines.Read(b, func(r lines.Result) {
		var info record.TensorInfo
		err := r.Err
		if err == nil {
			err = json.Unmarshal(r.JSON, &info)
		}
		if err != nil {
			t.hurt(rel, "the line at byte %d: %v", s.infos.off+r.Offset, err)
			return
		}
		if _, known := s.infos.byName[info.Name]; !known {
			s.infos.order = append(s.infos.order, info.Name)
		} else if before := s.infos.byName[info.Name]; before.FirstShape != nil {
			info.FirstShape = before.FirstShape
		} else if !slices.Equal(before.Shape, info.Shape) {
			if info.FirstShape = before.Shape; info.FirstShape == nil {
				info.FirstShape = []int64{}
			}
		}
		s.infos.byName[info.Name] = info
	})
	s.infos.off += int64(len(b) - torn)
	t.tail(rel, int64(torn))
}
