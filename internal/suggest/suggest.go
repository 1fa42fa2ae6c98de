// Package suggest writes down the edit of a script that fixes what a finding is about.
//
// Whether there is a fault, nobody asks here: the finding says so. What is asked is
// whether the places that a hook gave of the script's calls, and the text there, leave
// one way to fix it. Where there might be two, there is no suggestion.
package suggest

import (
	"slices"

	"github.com/vigil-ml/vigil/internal/record"
)

// Kinds of calls whose places are asked for.
const (
	backward  = "backward"
	function  = "function"
	layer     = "layer"
	loss      = "loss"
	model     = "model"
	optimizer = "optimizer"
	step      = "step"
)

// edits of checks: one way to fix each.
var edits = map[string]func(*site) *edit{
	"evaluation_mode/evaluated_in_training_mode": evaluate,
	"evaluation_mode/trained_in_evaluation_mode": train,
	"labels_fit/broadcast":                       sameShape,
	"labels_fit/zero_and_one":                    signs,
	"network_structure/batch_first":              batchFirst,
	"network_structure/dropout_on_output":        withoutDropout,
	"not_updated/another_instance_trained":       optimizerLater,
	"not_updated/parameters_in_no_optimiser":     optimizerLater,
	"not_updated/optimiser_of_another_model":     optimizerLater,
	"optimiser_settings/betas":                   betas,
	"optimiser_settings/maximize":                minimize,
	"optimiser_settings/momentum":                momentum,
	"output_activation/no_logarithm":             logarithm,
	"output_activation/sigmoid_twice":            withoutSigmoid,
	"output_activation/softmax_twice":            withoutSoftmax,
	"zero_grad/cleared":                          clearEarlier,
	"zero_grad/kept":                             clear,
	"zero_grad/no_backward":                      goBackward,
}

// Checks for which there may be a suggestion.
func Checks() []string {
	list := make([]string, 0, len(edits))
	for check := range edits {
		list = append(list, check)
	}
	slices.Sort(list)
	return list
}

// mostScript is the largest script that is read, in bytes.
const mostScript = 1 << 20

// For is the edit that fixes what a finding is about; nil where none is certain. facts
// are what was known when it was made; read gives the text of a file, nothing where it
// is not known any more.
func For(f *record.Finding, facts *record.Facts, read func(file string) []byte) *record.Suggestion {
	make, ok := edits[f.Rule+"/"+f.Check]
	if !ok || facts == nil || f.Severity == record.Info {
		return nil
	}
	s := &site{finding: f, facts: facts, read: read}
	if e := make(s); e != nil {
		return e.diff(s.file)
	}
	return nil
}

// site is what is known of a finding and its script.
type site struct {
	finding *record.Finding
	facts   *record.Facts
	read    func(string) []byte
	file    string
	script  *script
}

// call is the only one of a kind in the script, all of whose calls come from one place.
func (s *site) call(kind string) (*call, bool) {
	known := s.known(kind, "")
	if known == nil {
		return nil, false
	}
	return s.at(known.File, known.Line, known.Extent)
}

// known is the place of the only calls of a kind, and of a name where one is given; nil
// where there are several.
func (s *site) known(kind, name string) *record.Call {
	if s.facts.Calls == nil {
		return nil
	}
	var found *record.Call
	for i := range s.facts.Calls.List {
		c := &s.facts.Calls.List[i]
		if c.Kind != kind || name != "" && c.Name != name {
			continue
		}
		if found != nil || c.Elsewhere || c.Times == 0 {
			return nil
		}
		found = c
	}
	return found
}

// calls reports whether a kind of call was seen at all.
func (s *site) calls(kind string) bool {
	return s.facts.Calls != nil && slices.ContainsFunc(s.facts.Calls.List, func(c record.Call) bool { return c.Kind == kind })
}

// at is the call whose expression is there.
func (s *site) at(file string, line int, x record.Extent) (*call, bool) {
	if !s.open(file) || line < 1 || line > len(s.script.lines) {
		return nil, false
	}
	var c *call
	if x.EndColumn > 0 {
		begin, end := s.script.offset(line, x.Column), s.script.offset(x.EndLine, x.EndColumn)
		if begin < 0 || end <= begin {
			return nil, false
		}
		c = s.script.spanned(begin, end)
	} else {
		c = s.script.only(line)
	}
	return c, c != nil
}

// open reads the script; a finding is about one.
func (s *site) open(file string) bool {
	if s.script != nil {
		return file == s.file
	}
	text := s.read(file)
	if len(text) == 0 || len(text) > mostScript {
		return false
	}
	script, ok := parse(string(text))
	if ok {
		s.file, s.script = file, script
	}
	return ok
}
