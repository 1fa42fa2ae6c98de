package server

import (
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// livePasses are the evaluations under way of the series that are asked for. A value
// of an evaluation is sent when training goes on after it.
type livePasses struct {
	open  map[string]*livePass // by series as it is asked for
	whole map[string]bool      // series that were asked for when the last step of training came
	loss  map[string]bool      // names of the loss; nil: not read yet
}

type livePass struct {
	mean  record.PassMean
	mode  record.Mode
	step  int64 // the last one
	at    time.Time
	whole bool // all its steps were seen
}

// asked takes over which series are asked for.
func (l *livePasses) asked(want map[string][]wanted) {
	texts := map[string]bool{}
	for _, list := range want {
		for _, w := range list {
			texts[w.text] = true
		}
	}
	for text := range l.open {
		if !texts[text] {
			delete(l.open, text)
		}
	}
	for text := range l.whole {
		if !texts[text] {
			delete(l.whole, text)
		}
	}
}

// take adds a value of a step. sums: a loss of it is the sum over its samples.
func (l *livePasses) take(text string, c *record.Complete, value, samples float64, sums bool) {
	p := l.open[text]
	if p == nil {
		p = &livePass{whole: l.whole[text]}
		if l.open == nil {
			l.open = map[string]*livePass{}
		}
		l.open[text] = p
	}
	p.mean.Add(value, samples, sums)
	p.mode, p.step, p.at = c.Mode, c.ModeStep, c.Time
}

// end gives the values of the evaluations that are over to a collector. Of one that
// was not seen from its beginning the series is to be read.
func (l *livePasses) end(to *collector) {
	for text, p := range l.open {
		if p.whole {
			to.add(text, p.mode, p.step, p.mean.Value(), p.at)
		} else {
			to.again(text)
		}
		delete(l.open, text)
	}
	if l.whole == nil {
		l.whole = map[string]bool{}
	}
	for _, list := range to.want {
		for _, w := range list {
			l.whole[w.text] = true
		}
	}
}

// isLoss tells whether a series is the loss of its steps, under any name.
func (l *livePasses) isLoss(infos func() []record.TensorInfo, name string) bool {
	if l.loss == nil {
		l.loss = map[string]bool{"loss": true}
		for _, info := range infos() {
			if info.AliasOf == "loss" {
				l.loss[info.Name] = true
			}
		}
	}
	return l.loss[name]
}
