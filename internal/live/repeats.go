package live

import (
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// repeats are findings of one check that say the same once more.
type repeats struct {
	kind, rule string
	n          int
	last       record.Finding
	told       int // as many were told
	due        time.Time
	interval   time.Duration
}

// repeat counts a finding that says the same once more.
func (v *View) repeat(f *record.Finding) {
	kind := kindOf(f)
	for _, r := range v.again {
		if r.kind == kind {
			if r.n++; f.Step > r.last.Step {
				r.last = *f
			}
			return
		}
	}
	v.again = append(v.again, &repeats{kind: kind, rule: ruleOf(f), n: 1, last: *f, due: v.o.Now().Add(firstLine), interval: lineInterval})
}

// repeated tells of what was counted, of each check a line now and then.
func (v *View) repeated() {
	for _, r := range v.again {
		if now := v.o.Now(); r.n > r.told && !now.Before(r.due) {
			r.due, r.interval = now.Add(r.interval), min(time.Duration(float64(r.interval)*lineGrowth), lineMax)
			v.tellRepeats(r)
		}
	}
}

// repeatedNow tells of all that was counted and not told yet.
func (v *View) repeatedNow() {
	for _, r := range v.again {
		if r.n > r.told {
			v.tellRepeats(r)
		}
	}
}

func (v *View) tellRepeats(r *repeats) {
	r.told = r.n
	v.line(ours + v.o.Style.Bold(r.rule) + " " + record.RepeatedText(r.n, &r.last))
}
