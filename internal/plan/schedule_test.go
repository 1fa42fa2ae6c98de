package plan

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
	_ "github.com/vigil-ml/vigil/internal/testenv/seeded"
)

func TestModeScheduleDue(t *testing.T) {
	for _, c := range []struct {
		name string
		s    ModeSchedule
		auto int64
		upTo int64
		want []int64
	}{
		{"interval of 500", ModeSchedule{Every: 500}, 0, 1501, []int64{0, 500, 1000, 1500}},
		{"end is exclusive", ModeSchedule{Every: 100, End: 201}, 0, 400, []int64{0, 100, 200}},
		{"end on a multiple", ModeSchedule{Every: 100, End: 200}, 0, 400, []int64{0, 100}},
		{"modulo counts from 0, not from start", ModeSchedule{Every: 100, Start: 150}, 0, 400, []int64{200, 300}},
		{"start is inclusive", ModeSchedule{Every: 100, Start: 100}, 0, 301, []int64{100, 200, 300}},
		{"steps add to the interval", ModeSchedule{Every: 500, Steps: []int64{3, 7}}, 0, 501, []int64{0, 3, 7, 500}},
		{"steps ignore the range", ModeSchedule{Every: 100, Start: 50, End: 150, Steps: []int64{3, 700}}, 0, 1000, []int64{3, 100, 700}},
		{"off leaves the steps", ModeSchedule{Every: 1, Off: true, Steps: []int64{2}}, 0, 10, []int64{2}},
		{"off", ModeSchedule{Every: 1, Off: true}, 0, 10, nil},
		{"start at end", ModeSchedule{Every: 1, Start: 5, End: 5}, 0, 10, nil},
		{"auto not chosen yet", ModeSchedule{}, 0, 10, nil},
		{"auto", ModeSchedule{Start: 3}, 2, 10, []int64{4, 6, 8}},
	} {
		var got []int64
		for n := int64(0); n < c.upTo; n++ {
			if c.s.Due(n, c.auto) {
				got = append(got, n)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, d)
		}
		if c.s.Never() != (len(got) == 0 && c.auto == 0 && c.s.Every != Auto) {
			t.Errorf("%s: Never is %v", c.name, c.s.Never())
		}
	}
}

func genMode(t *rapid.T, label string) ModeSchedule {
	return ModeSchedule{
		Every: rapid.SampledFrom([]int64{0, 1, 2, 3, 4, 6}).Draw(t, label+" every"),
		Start: rapid.SampledFrom([]int64{0, 0, 3, 5}).Draw(t, label+" start"),
		End:   rapid.SampledFrom([]int64{0, 0, 4, 9}).Draw(t, label+" end"),
		Steps: rapid.SampledFrom([][]int64{nil, nil, {1}, {2, 5}, {8}}).Draw(t, label+" steps"),
		Off:   rapid.SampledFrom([]bool{false, false, true}).Draw(t, label+" off"),
	}
}

func genSchedule(t *rapid.T, label string) Schedule {
	var s Schedule
	for m := range s {
		s[m] = genMode(t, label+record.Mode(m).String())
	}
	return s
}

// What covers another leaves none of its steps out, whatever the budget does.
func TestCoversIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genMode(t, "a"), genMode(t, "b")
		if !a.covers(b) {
			return
		}
		for _, auto := range []int64{1, 2, 5} {
			for n := range int64(30) {
				if b.Due(n, auto) && !a.Due(n, auto) {
					t.Fatalf("%+v covers %+v, but not step %d with auto %d", a, b, n, auto)
				}
			}
		}
	})
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		a, b ModeSchedule
		want bool
	}{
		{ModeSchedule{Every: 5}, ModeSchedule{Every: 10}, true},
		{ModeSchedule{Every: 10}, ModeSchedule{Every: 5}, false},
		{ModeSchedule{Every: 1}, ModeSchedule{}, true},
		{ModeSchedule{}, ModeSchedule{}, true},
		{ModeSchedule{Every: 2}, ModeSchedule{}, false},
		{ModeSchedule{}, ModeSchedule{Every: 2}, false},
		{ModeSchedule{Every: 5}, ModeSchedule{Every: 5, Start: 3, End: 10}, true},
		{ModeSchedule{Every: 5, End: 20}, ModeSchedule{Every: 5}, false},
		{ModeSchedule{Every: 5}, ModeSchedule{Off: true, Steps: []int64{10}}, true},
		{ModeSchedule{Every: 5}, ModeSchedule{Off: true, Steps: []int64{11}}, false},
		{ModeSchedule{Off: true}, ModeSchedule{Off: true}, true},
	} {
		if got := c.a.covers(c.b); got != c.want {
			t.Errorf("%+v covers %+v: %v", c.a, c.b, got)
		}
	}
}

func TestScheduleAsJSON(t *testing.T) {
	s := Schedule{{Every: 10, Start: 1, End: 9, Steps: []int64{3}}, {Off: true}, {Off: true}, {}}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"EVAL":{"every":0,"off":true},"GLOBAL":{"every":0},"PREDICT":{"every":0,"off":true},"TRAIN":{"every":10,"start":1,"end":9,"steps":[3]}}`
	if string(b) != want {
		t.Errorf("got %s\nwant %s", b, want)
	}
	var back Schedule
	if err := json.Unmarshal(b, &back); err != nil || !back.Equal(s) {
		t.Errorf("read back as %+v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"train":{"every":3}}`), &back); err != nil || !back.Equal(Every(3, record.Train).with(ModeSchedule.normal)) {
		t.Errorf("a mode that is not named is on: %+v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"TRIAN":{}}`), &back); err == nil {
		t.Error("an unknown mode is accepted")
	}
}

// with applies f to all modes.
func (s Schedule) with(f func(ModeSchedule) ModeSchedule) Schedule {
	for m := range s {
		s[m] = f(s[m])
	}
	return s
}

func TestWantAsJSON(t *testing.T) {
	for w := range Want(8) {
		b, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		var back Want
		if err := json.Unmarshal(b, &back); err != nil || back != w {
			t.Errorf("%d is %s, read back as %d, %v", w, b, back, err)
		}
	}
	if err := json.Unmarshal([]byte(`["rawest"]`), new(Want)); err == nil {
		t.Error("an unknown want is accepted")
	}
}
