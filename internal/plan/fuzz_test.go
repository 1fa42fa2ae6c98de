package plan

import (
	"encoding/json"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// FuzzSchedule reads schedules as they stand in run.json and come from other
// programs: what is taken can be asked for any step, and comes back from its
// own form as it is.
func FuzzSchedule(f *testing.F) {
	for _, s := range []Schedule{Every(1), Every(500, record.Train), {{Every: Auto, Start: 5, End: 9, Steps: []int64{1, 2}}, {Off: true}}} {
		b, err := json.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, int64(7), int64(10))
	}
	f.Add([]byte(`{"TRAIN":{"every":-9223372036854775808,"steps":[-1]}}`), int64(-1), int64(-1))
	f.Add([]byte(`{"train":null,"3":{}}`), int64(0), int64(0))
	f.Fuzz(func(t *testing.T, b []byte, step, auto int64) {
		var s Schedule
		if json.Unmarshal(b, &s) != nil {
			return
		}
		for m := range s {
			s.Due(record.Mode(m), step, auto)
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("write %+v: %v", s, err)
		}
		var back Schedule
		if err := json.Unmarshal(again, &back); err != nil || !back.identical(s) {
			t.Fatalf("%+v comes back as %+v from %s: %v", s, back, again, err)
		}
		if !s.Equal(back) || s.Never() != back.Never() {
			t.Fatalf("%+v is not %+v", s, back)
		}
	})
}

// FuzzWant reads what is wanted of a tensor.
func FuzzWant(f *testing.F) {
	f.Add([]byte(`["stats","raw"]`))
	f.Add([]byte(`["hist","hist"]`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var w, back Want
		if json.Unmarshal(b, &w) != nil {
			return
		}
		again, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &back); err != nil || back != w {
			t.Fatalf("%v comes back as %v from %s: %v", w, back, again, err)
		}
	})
}
