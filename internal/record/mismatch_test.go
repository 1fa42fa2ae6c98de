package record_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

const plainFacts = `"v":1,"framework":"pytorch","models":[],"optimisers":[],"step":"one update"`

func TestFactsMismatches(t *testing.T) {
	for _, c := range []struct{ name, facts, want string }{
		{"nothing wrong", `{` + plainFacts + `}`, ""},
		{"a section that is not there", `{` + plainFacts + `,"labels":null}`, ""},
		{"unknown", `{` + plainFacts + `,"weather":1}`, "weather: unknown key"},
		{"another spelling", `{"V":1,"framework":"go","models":[],"optimisers":[],"step":""}`, "V: unknown key; v: missing key"},
		{"missing", `{"v":1,"framework":"go","models":[],"optimisers":[]}`, "step: missing key"},
		{"mistyped", `{"v":1,"framework":"go","models":{},"optimisers":[],"step":3}`, "models: an object instead of []ModelFacts; step: a number instead of string"},
		{"null instead of a value", `{"v":1,"framework":"go","models":null,"optimisers":[],"step":null}`, "step: null instead of string"},
		{"within lists, each once", `{` + plainFacts + `,"schedule":{"at":3,"initial":null,"steps":[1.5,2.5],"rates":[1,2,"x"]}}`,
			"schedule.rates[]: a string instead of float64; schedule.steps[]: a number that is not whole instead of int64"},
		{"numbers that JSON cannot hold", `{` + plainFacts + `,"updates":{"at":3,"steps":1,"kept":0,"cleared":0,"no_backward":0,"norms":["NaN","large"]}}`,
			"updates.norms[]: a string instead of Number"},
		{"embedded", `{` + plainFacts + `,"predictions":{"at":3,"dtype":"F32","axis":1,"classes":2,"rows_sum_to_one":false,"log_rows":false,"one_class":false,"steps":1,"label_shape":null}}`,
			"predictions.shape: missing key"},
		{"a place within a section only", `{` + plainFacts + `,"predictions":null,"labels":{"loss":"","dtype":"","shape":[],"range":null,"distinct":null,"counts":null,"elements":0,"ignored":0,"non_finite":0,"predictions":null}}`,
			"labels.at: missing key"},
		{"another training, not looked at yet", `{` + plainFacts + `,"trainings":[{"at":3,"facts":{}}]}`, ""},
		{"another training", `{` + plainFacts + `,"trainings":[{"facts":{` + plainFacts + `,"sun":1}}]}`, "trainings[].at: missing key; trainings[].facts.sun: unknown key"},
		{"a later version", `{"v":2,"framework":"go","models":[],"optimisers":[],"step":""}`, "v: version 2 instead of 1"},
		{"no object", `[1]`, ": a list instead of Facts"},
		{"no JSON", `{`, ": no JSON instead of Facts"},
	} {
		var got []string
		for _, m := range record.FactsMismatches([]byte(c.facts)) {
			got = append(got, m.String())
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, s, c.want)
		}
	}
}

// What Go writes of a type fits it.
func FuzzMismatches(f *testing.F) {
	f.Add([]byte(`{` + plainFacts + `,"weather":1}`))
	f.Add([]byte(`{` + plainFacts + `,"labels":{"at":3,"counts":{"1":2}}}`))
	f.Add([]byte(`{"trainings":[{"at":3,"facts":{}}]}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, b []byte) {
		all := record.FactsMismatches(b)
		var facts record.Facts
		if json.Unmarshal(b, &facts) != nil {
			if len(all) == 0 {
				t.Fatalf("%s cannot be decoded, and nothing is said of it", b)
			}
			return
		}
		again, err := json.Marshal(facts)
		if err != nil {
			return // a RawMessage of no JSON
		}
		for _, m := range record.Mismatches(again, reflect.TypeFor[record.Facts]()) {
			t.Errorf("%s: %s", again, m)
		}
	})
}
