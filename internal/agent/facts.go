package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
)

// maxFacts bounds the facts in run.json.
const maxFacts = 1 << 20

// takeFacts keeps what the worker that speaks for the run understood of the
// training, and reports whether its line is news.
//
// Facts are in run.json before any later step of the worker is stored, and
// before the rules see them: an agent that takes over gives them to the rules
// where they were given here.
func (j *job) takeFacts(w *worker, f capture.Facts) bool {
	if !j.speaks(w) {
		return false
	}
	if len(f.Facts) > maxFacts {
		j.noticeOnce("warning", fmt.Sprintf("the facts of the training are larger than %d KiB and were left out", maxFacts>>10), "rules that need them do not run")
		f.Facts = nil
	}
	j.cmu.Lock()
	said := cut(f.Said, 2000)
	news := before(said, ", every ") != before(j.counts.said, ", every ") // the interval follows the budget all the time
	j.counts.said, j.changed = said, true
	j.cmu.Unlock()
	j.eval.facts(f.Facts)
	return news
}

// before is a text up to the last place of a mark in it.
func before(text, mark string) string {
	if i := strings.LastIndex(text, mark); i >= 0 {
		return text[:i]
	}
	return text
}

// speaks reports whether the facts of a worker stand for the run: the chief's do,
// and on a host without one those of the worker that is named first.
func (j *job) speaks(w *worker) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	first := w.name
	for _, st := range j.sessions {
		if st.Chief {
			return w.chief
		}
		first = min(first, st.Worker)
	}
	return first == w.name
}

// keepFacts puts facts into run.json, in the form in which rules get them. They
// are nil when there is nothing new for rules.
func (j *job) keepFacts(came json.RawMessage, next int64) *record.Facts {
	j.cmu.Lock()
	before := j.counts.facts
	j.cmu.Unlock()
	kept, f, err := record.SettleFacts(came, before, next)
	if err != nil {
		j.noticeOnce("warning", "the facts of the training cannot be used by rules: "+err.Error(), "")
		return nil
	}
	if f == nil || bytes.Equal(kept, before) {
		return nil
	}
	j.cmu.Lock()
	j.counts.facts, j.progress.clock, j.changed = kept, record.Clock{Epochs: f.Epochs, Trainings: f.Starts()}, true
	j.cmu.Unlock()
	if err := j.writeRun(nil); err != nil {
		j.storeFailed(err)
	}
	return f
}

// facts hands facts to the rules, and waits until they have them. Rules see a
// section from the step on that it names, or else from the next one on.
func (e *evaluator) facts(came json.RawMessage) {
	e.in.call(func() {
		if f := e.job.keepFacts(came, e.engine.Cursor()+1); f != nil {
			e.engine.Facts(f)
		}
	})
}

// knownFacts gives the rules the facts that an earlier agent kept.
func (e *evaluator) knownFacts() error {
	f, err := e.job.store.Run().KnownFacts()
	e.engine.Facts(f)
	return err
}
