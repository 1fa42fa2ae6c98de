package builtin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/vigil-ml/vigil/rule"
)

// The parameters that select tensors.
var (
	collectionNames = rule.Parameter{Name: "collection_names", Type: rule.List, Optional: true, Meaning: "collections to inspect"}
	tensorRegex     = rule.Parameter{Name: "tensor_regex", Type: rule.List, Optional: true, Meaning: "patterns (Python, searched anywhere in the name) of tensors to inspect"}
)

// oncePerStep lets a module that is called several times in a step be reported once:
// it has an output for each call.
type oncePerStep map[string]bool

func (o *oncePerStep) begin() { clear(*o) }

// first reports whether no other tensor of its module came before at this step.
func (o *oncePerStep) first(worker string, info *rule.TensorInfo) bool {
	return o.key(worker + "\x00" + cmp.Or(info.Module, info.Name))
}

func (o *oncePerStep) key(key string) bool {
	if *o == nil {
		*o = oncePerStep{}
	}
	known := (*o)[key]
	(*o)[key] = true
	return !known
}

// every is the interval at which a rule asks for its data; rules that compare
// over steps count in it.
func every(def string) rule.Parameter {
	return rule.Parameter{
		Name: "every", Type: rule.Int, Default: def, Range: rule.AtLeast(0), Unit: "mode steps", Aliases: []string{"save_interval"},
		Meaning: "interval at which the rule's data is captured; 0 leaves it to the overhead budget",
	}
}

// everyFixed is the same for rules that count steps in their own interval,
// which therefore cannot be left open.
func everyFixed(def string) rule.Parameter {
	p := every(def)
	p.Range, p.Meaning = rule.AtLeast(1), "interval at which the rule's data is captured, and in which it counts steps"
	return p
}

// layers is the schedule of what goes into layers and losses, and comes out of
// layers. A model that nobody registers is recognised at its first update, when
// these tensors of step 0 are gone; so that a long interval does not leave a
// short training unseen, step 1 counts besides.
func layers(every int64) rule.Schedule {
	s := rule.AllModes(every)
	if every > 1 {
		for m := range s {
			s[m].Steps = []int64{1}
		}
	}
	return s
}

// selector is the union of collections and patterns, or everything when the
// configuration names neither.
func selector(p rule.Params) (s rule.Selector, everything bool) {
	s = rule.Selector{Collections: p.List("collection_names"), Regex: p.List("tensor_regex")}
	if len(s.Collections)+len(s.Regex) == 0 {
		return rule.Everything(), true
	}
	return s, false
}

// noSelector is the note of a rule that had to look at everything.
const noSelector = "neither collection_names nor tensor_regex is given: every saved tensor is inspected"

// onInterval reports whether a mode step lies on the rule's own interval.
func onInterval(modeStep, interval int64) bool { return interval <= 1 || modeStep%interval == 0 }

// training reports whether weights and gradients of the mode are those of a
// training.
func training(m rule.Mode) bool { return m == rule.Train || m == rule.Global }

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// num spells a number for a person.
func num(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e6 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return rule.Digits(x)
}

// times spells a factor for a person: "12.5", "3 million".
func times(x float64) string { return rule.Times(x) }

// called puts a noun and a name together: "loss CrossEntropyLoss_output_0",
// but not "loss loss".
func called(noun, name string) string {
	if noun == name {
		return noun
	}
	return noun + " " + name
}

// plural puts a number and a noun together.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// stateless is the Save, Restore and Finish of rules that remember nothing.
type stateless struct{}

func (stateless) Finish(*rule.Report)   {}
func (stateless) Save() ([]byte, error) { return []byte("null"), nil }
func (stateless) Restore([]byte) error  { return nil }

func save(state any) ([]byte, error) { return json.Marshal(state) }

func restore(b []byte, state any) error {
	if err := json.Unmarshal(b, state); err != nil {
		return fmt.Errorf("restore state: %w", err)
	}
	return nil
}

// lastOf keeps the last n elements, in place.
func lastOf[T any](x []T, n int) []T {
	if len(x) > n {
		x = append(x[:0], x[len(x)-n:]...)
	}
	return x
}

// skipSize is the reason for which rules on spread skip what has too few
// elements.
const skipSize = "too_small"

// key names a series of one worker in states.
func key(worker, name string) string { return worker + "\x00" + name }

// places remembers whose state belonged to the items of the last step of each
// mode: at the next one they come in the same order as a rule, and no key has to be looked
// up. It is no part of a rule's state.
type places[S any] [4][]place[S]

type place[S any] struct {
	info   *rule.TensorInfo
	worker string
	state  *S
}

// state is that of the item at a place among those of a step.
func (p *places[S]) state(m map[string]*S, at int, it *rule.Item, mode rule.Mode) *S {
	list := p[mode]
	if at < len(list) && list[at].info == it.Info && list[at].worker == it.Worker {
		return list[at].state
	}
	s := stateOf(m, it, mode)
	for len(list) <= at {
		list = append(list, place[S]{})
	}
	list[at] = place[S]{it.Info, it.Worker, s}
	p[mode] = list
	return s
}

// stateOf finds what is kept of an item's series in a mode, or begins it. It is
// called for every tensor at every step, and makes no key but for a new one.
func stateOf[S any](m map[string]*S, it *rule.Item, mode rule.Mode) *S {
	var buf [160]byte
	k := append(append(append(append(buf[:0], it.Worker...), 0), mode.String()...), it.Info.Name...)
	s := m[string(k)]
	if s == nil {
		s = new(S)
		m[string(k)] = s
	}
	return s
}

// tooFew says that something was captured at too few steps to judge a job by, or
// over too short a part of it; "" when there were enough.
func tooFew(what string, looks, from, to, least, span int64) string {
	if looks == 0 || looks >= least && to-from >= span {
		return ""
	}
	return fmt.Sprintf("%s were captured at %s, %d from first to last; it takes %d, %d from first to last", what, plural(int(looks), "step"), to-from, least, span)
}
