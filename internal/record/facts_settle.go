package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
)

// SettleFacts puts facts that have come into the form in which they are kept.
// A section that was there before stays as it was; the place of a new one is
// moved to next, the first step that is not judged yet, when it lies before it.
// So whoever judges the run again looks at each section from the same step on
// as those who judged it live. All else is as it came last.
func SettleFacts(came, before json.RawMessage, next int64) (json.RawMessage, *Facts, error) {
	f, err := ParseFacts(came)
	if f == nil || err != nil {
		return before, nil, err
	}
	now, err := exact(came)
	if err != nil {
		return before, nil, err
	}
	old := map[string]json.RawMessage{}
	if known, err := ParseFacts(before); err == nil && known != nil {
		if old, err = exact(before); err != nil {
			return before, nil, err
		}
		known.sections(func(name string, _ int64, _ func()) {
			if name != trainingsName {
				now[name] = old[name]
			}
		})
	}
	f.sections(func(name string, at int64, _ func()) {
		if at < next && err == nil && name != trainingsName && !bytes.Equal(now[name], old[name]) {
			now[name], err = moved(now[name], next)
		}
	})
	if err == nil {
		err = settleTrainings(now, old, next)
	}
	if err != nil {
		return before, nil, fmt.Errorf("read facts: %w", err)
	}
	kept, err := json.Marshal(now)
	if err != nil {
		return before, nil, fmt.Errorf("read facts: %w", err)
	}
	if f, err = ParseFacts(kept); err != nil {
		return before, nil, err
	}
	return kept, f, nil
}

// settleTrainings does for each entry of the list of trainings what SettleFacts
// does for a section.
func settleTrainings(now, old map[string]json.RawMessage, next int64) error {
	var kept, came []json.RawMessage
	if b := old[trainingsName]; b != nil {
		if err := json.Unmarshal(b, &kept); err != nil {
			return err
		}
	}
	if b := now[trainingsName]; b != nil {
		if err := json.Unmarshal(b, &came); err != nil {
			return err
		}
	}
	for i := range min(len(kept), len(came)) {
		var err error
		if kept[i], err = settleTraining(came[i], kept[i], next); err != nil {
			return err
		}
	}
	for i := len(kept); i < len(came); i++ {
		entry, err := settleTraining(came[i], nil, next)
		if err != nil {
			return err
		}
		var t TrainingFacts
		err = json.Unmarshal(entry, &t)
		if err == nil && t.At < next {
			entry, err = moved(entry, next)
		}
		if err != nil {
			return err
		}
		kept = append(kept, entry)
	}
	if kept == nil {
		return nil
	}
	b, err := json.Marshal(kept)
	now[trainingsName] = b
	return err
}

// settleTraining gives an entry the facts of its training, settled like those of
// the first one. kept is nil for one that is new. That an entry is only a phase may
// show later; rules begin again with either.
func settleTraining(came, kept json.RawMessage, next int64) (json.RawMessage, error) {
	fields, err := object(came)
	if err != nil {
		return nil, err
	}
	old := fields
	var before json.RawMessage
	if kept != nil {
		if old, err = object(kept); err != nil {
			return nil, err
		}
		before = old["facts"]
		if phase := fields["phase"]; phase != nil && old["phase"] == nil {
			old["phase"] = phase
			if kept, err = json.Marshal(old); err != nil {
				return nil, err
			}
		}
	}
	facts, f, err := SettleFacts(fields["facts"], before, next)
	if err != nil || f == nil {
		if kept == nil {
			kept = came
		}
		return kept, err
	}
	old["facts"] = facts
	return json.Marshal(old)
}

// object gives the fields of an entry. Facts under another spelling are refused,
// and so are facts with trainings of their own.
func object(entry json.RawMessage) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(entry, &fields); err != nil {
		return nil, err
	}
	for name := range fields {
		if s := strings.ToLower(name); s != name && s == "facts" {
			return nil, fmt.Errorf("a training's facts are called %q", name)
		}
	}
	var t TrainingFacts
	if err := json.Unmarshal(entry, &t); err != nil {
		return nil, err
	}
	if t.Facts != nil && len(t.Facts.Trainings) > 0 {
		return nil, errors.New("the facts of a training contain further trainings")
	}
	return fields, nil
}

// exact gives the fields of facts. A section under another spelling of its name
// is refused: decoding would take it for the section.
func exact(facts json.RawMessage) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(facts, &fields); err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	for name := range fields {
		if s := strings.ToLower(name); s != name && sectionNames[s] {
			return nil, fmt.Errorf("read facts: the section %q is called %q", name, s)
		}
	}
	return fields, nil
}

var sectionNames = func() map[string]bool {
	names := map[string]bool{}
	all := Facts{
		Labels: &LabelFacts{}, Network: &NetworkFacts{}, Graph: &GraphFacts{}, Predictions: &PredictionFacts{}, Inputs: &InputFacts{},
		Parameters: &ParameterFacts{}, Updates: &UpdateFacts{}, Evaluation: &EvaluationFacts{}, EvalTrained: &EvalTrainedFacts{}, EvalParts: &EvalPartsFacts{}, Astray: &AstrayFacts{}, Unfrozen: &UnfrozenFacts{}, Averages: &AveragesFacts{}, Schedule: &ScheduleFacts{}, Boosting: &BoostingFacts{},
	}
	for _, n := range all.Sections() {
		names[n] = true
	}
	names[trainingsName] = true
	return names
}()

// moved gives a section another place.
func moved(section json.RawMessage, to int64) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(section, &fields); err != nil {
		return nil, err
	}
	maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool { return strings.EqualFold(name, "at") })
	fields["at"] = json.RawMessage(fmt.Sprint(to))
	return json.Marshal(fields)
}
