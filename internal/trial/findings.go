package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/store/layout"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/store/manifest"
)

// eachLine visits the documents of a file of lines; a missing file has none.
func (t *Trial) eachLine(rel string, visit func(js []byte) error) {
	b, err := t.read(rel, 0)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			t.hurt(rel, "%v", err)
		}
		return
	}
	torn := lines.Read(b, func(r lines.Result) {
		err := r.Err
		if err == nil {
			err = visit(r.JSON)
		}
		if err != nil {
			t.hurt(rel, "the line at byte %d: %v", r.Offset, err)
		}
	})
	t.tail(rel, int64(torn))
}

// Findings are all findings, muted ones included, by time.
func (t *Trial) Findings() []record.Finding {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.readLabels()
	return t.findings()
}

func (t *Trial) findings() []record.Finding {
	var all []record.Finding
	list, err := t.fs.List(t.at(layout.Findings))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.hurt(layout.Findings, "%v", err)
	}
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), ".jsonl") {
			continue
		}
		t.eachLine(path.Join(layout.Findings, e.Name()), func(js []byte) error {
			var f record.Finding
			err := json.Unmarshal(js, &f)
			if err == nil {
				all = append(all, f)
			}
			return err
		})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Time.Before(all[j].Time) })
	record.Cover(all)
	if len(t.labels.Mutes) > 0 {
		t.labels.Mute(all, t.groups())
	}
	return all
}

// Groups is findings/summary.json: the findings by root cause.
func (t *Trial) Groups() []record.Group {
	t.mu.Lock()
	defer t.mu.Unlock()
	groups := t.groups()
	t.readLabels()
	return t.labels.Unmuted(groups)
}

// groups are those of the file, whatever people muted since.
func (t *Trial) groups() []record.Group {
	t.refreshQuietly()
	b, err := t.read(layout.Summary, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if len(t.replaced[layout.Summary]) > 0 && t.run.Status != record.Running {
			t.hurt(layout.Summary, "is missing")
		}
		return nil
	}
	var groups []record.Group
	if err == nil {
		err = t.fits(layout.Summary, b)
	}
	if err == nil {
		err = json.Unmarshal(b, &groups)
	}
	if err != nil {
		t.hurtBy(layout.Summary, err)
		return nil
	}
	return groups
}

// Diff is code.diff: what differed from the commit when the job was started.
func (t *Trial) Diff() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refreshQuietly()
	if p := t.run.Provenance; p == nil || p.Git == nil || p.Git.Diff == "" {
		return nil
	}
	b, err := t.read(layout.Diff, 0)
	if errors.Is(err, fs.ErrNotExist) {
		t.hurt(layout.Diff, "is missing")
		return nil
	}
	if err == nil {
		err = t.fits(layout.Diff, b)
	}
	if err != nil {
		t.hurtBy(layout.Diff, err)
		return nil
	}
	return b
}

// fits checks the content of a file that is replaced as a whole against what
// the manifest says of it. When lines of the manifest are lost, nothing is
// known.
func (t *Trial) fits(rel string, b []byte) error {
	entries := t.replaced[rel]
	for i := len(entries) - 1; i >= 0; i-- {
		if manifest.NewChecked(entries[i], bytes.NewReader(b)).Verify(int64(len(b))) == nil {
			return nil
		}
	}
	if t.manifest.damaged && len(entries) == 0 {
		return nil
	}
	return &manifest.DamageError{File: rel, Reason: "does not match its checksum"}
}

// Statuses is where each rule configuration stands.
func (t *Trial) Statuses() []record.RuleStatus {
	t.mu.Lock()
	defer t.mu.Unlock()
	b, err := t.read(layout.Statuses, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var doc store.StatusFile
	if err == nil {
		b, err = lines.OpenDocument(b)
	}
	if err == nil {
		err = json.Unmarshal(b, &doc)
	}
	if err != nil {
		t.hurt(layout.Statuses, "%v", err)
		return nil
	}
	t.readLabels()
	if len(t.labels.Mutes) > 0 {
		t.uncount(doc.Rules)
	}
	return doc.Rules
}

// uncount takes out of statuses what people muted since.
func (t *Trial) uncount(list []record.RuleStatus) {
	counts := map[string]int64{}
	for _, f := range t.findings() {
		if !f.Muted {
			counts[f.Configuration]++
		}
	}
	for i := range list {
		s := &list[i]
		if s.Findings = min(s.Findings, counts[s.Configuration]); s.Findings > 0 || s.Status != "IssuesFound" {
			continue
		}
		s.RuleTriggered, s.Violations, s.Status, s.Details = 0, 0, "NoIssuesFound", ""
		if t.run.Status == record.Running {
			s.Status = "InProgress"
		}
	}
}

// Actions are the action attempts as they were stored.
func (t *Trial) Actions() []json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []json.RawMessage
	t.eachLine(layout.Actions, func(js []byte) error {
		list = append(list, json.RawMessage(js))
		return nil
	})
	return list
}

// StatusEvents are the documents of changes of status, as they were stored.
func (t *Trial) StatusEvents() []json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []json.RawMessage
	t.eachLine(layout.Events, func(js []byte) error {
		list = append(list, json.RawMessage(js))
		return nil
	})
	return list
}

// Attempts is how each action stands: the last word on it.
func (t *Trial) Attempts() []record.Attempt {
	var list []record.Attempt
	for _, js := range t.Actions() {
		var a record.Attempt
		if err := json.Unmarshal(js, &a); err == nil {
			list = append(list, a)
		}
	}
	return record.LastWords(list)
}
