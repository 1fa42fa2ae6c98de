package view

import (
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// ValuesAt are the values of series at a step of their modes, or the last ones before
// it; of an evaluation, that of the last pass that was over by then. The names are those of an Outline; one without a value by then is left out.
func ValuesAt(t source.Run, names []string, step int64) (map[string]record.Number, error) {
	at := make(map[string]record.Number, len(names))
	modes, read := t.Modes(), newCourses(t)
	for _, name := range names {
		v, ok, err := numberAt(read, modes, name, step)
		if err != nil {
			return nil, err
		}
		if ok {
			at[name] = v
		}
	}
	return at, nil
}

func numberAt(read *courses, modes []record.Mode, name string, step int64) (v record.Number, ok bool, err error) {
	last := func(tensor string, mode record.Mode) (there bool, err error) {
		c, err := read.whole(source.Query{Tensor: tensor, Stat: "value", Mode: mode})
		for i := range c.steps {
			if c.steps[i] <= step {
				v, ok = record.Number(c.values[i]), true
			}
		}
		return len(c.steps) > 0, err
	}
	for _, mode := range modes {
		if there, err := last(name, mode); there || err != nil {
			return v, ok, err
		}
	}
	for _, mode := range modes { // a name with its mode
		if tensor, is := strings.CutSuffix(name, ValueName("", mode, false)); is && tensor != "" {
			_, err := last(tensor, mode)
			return v, ok, err
		}
	}
	return v, false, nil
}
