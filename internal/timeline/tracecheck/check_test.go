package tracecheck

import (
	"fmt"
	"strings"
	"testing"
)

// named are the names that tracks of process 1 need.
const named = `{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}},{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"t"}},`

func slice(name, at, length string) string {
	return fmt.Sprintf(`{"ph":"X","name":%q,"pid":1,"tid":1,"ts":%s,"dur":%s}`, name, at, length)
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name, trace string
		want        []string // of the error; none: it is right
	}{
		{"nothing", `{"traceEvents":[]}`, nil},
		{"slices that follow and nest", `{"displayTimeUnit":"ms","traceEvents":[` + named + slice("a", "0", "10") + "," + slice("b", "0", "4.5") + "," + slice("c", "4.5", "5.5") + "," + slice("d", "10", "1") + `]}`, nil},
		{"counters and instants", `{"traceEvents":[` + named + `{"ph":"C","name":"cpu","pid":1,"ts":1,"args":{"total":5.5}},{"ph":"C","name":"cpu","pid":1,"ts":1,"args":{"0":5}},{"ph":"i","name":"found","pid":1,"tid":1,"ts":0,"s":"t"}]}`, nil},
		{"halves", `{"traceEvents":[` + named + `{"ph":"B","name":"a","pid":1,"tid":1,"ts":1},{"ph":"E","pid":1,"tid":1,"ts":2}]}`, nil},
		{"a flow", `{"traceEvents":[` + named + slice("a", "0", "10") + `,{"ph":"s","name":"f","id":1,"pid":1,"tid":1,"ts":5},{"ph":"f","bp":"e","name":"f","id":1,"pid":1,"tid":1,"ts":9}]}`, nil},

		{"no JSON", `{"traceEvents":[`, []string{"EOF"}},
		{"no object", `[]`, []string{"[ stands where { should"}},
		{"no events", `{}`, []string{"there are no traceEvents"}},
		{"something behind it", `{"traceEvents":[]} {}`, []string{"something follows"}},
		{"slices that overlap", `{"traceEvents":[` + named + slice("a", "0", "10") + "," + slice("b", "9.999", "0.002") + `]}`, []string{`event 3: "b" from 9.999 to 10.001 overlaps a slice that ends at 10.000`}},
		{"slices out of order", `{"traceEvents":[` + named + slice("a", "5", "1") + "," + slice("b", "4", "1") + `]}`, []string{`"b" begins at 4.000, before the slice before it`}},
		{"a child before its parent", `{"traceEvents":[` + named + slice("child", "0", "1") + "," + slice("parent", "0", "5") + `]}`, []string{`"parent" from 0.000 to 5.000 overlaps`}},
		{"a negative length", `{"traceEvents":[` + named + slice("a", "0", "-1") + `]}`, []string{"-1 is not a time"}},
		{"too fine", `{"traceEvents":[` + named + slice("a", "0.0001", "1") + `]}`, []string{"finer than a nanosecond"}},
		{"no length", `{"traceEvents":[` + named + `{"ph":"X","name":"a","pid":1,"tid":1,"ts":1}]}`, []string{"dur: there is none"}},
		{"no name", `{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1}]}`, []string{"it has no name"}},
		{"tracks without names", `{"traceEvents":[` + slice("a", "0", "1") + `]}`, []string{"process 1 has no name", "thread 1 of process 1 has no name"}},
		{"a track named twice", `{"traceEvents":[` + named + named[:len(named)-1] + `]}`, []string{"process 1 is named twice", "thread 1 of process 1 is named twice"}},
		{"an empty name", `{"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":" "}}]}`, []string{`"process_name" has no name`}},
		{"a counter of text", `{"traceEvents":[` + named + `{"ph":"C","name":"cpu","pid":1,"ts":1,"args":{"total":"5"}}]}`, []string{`"total" is not a number`}},
		{"a counter of nothing", `{"traceEvents":[` + named + `{"ph":"C","name":"cpu","pid":1,"ts":1,"args":{}}]}`, []string{"has no value"}},
		{"a counter that goes back", `{"traceEvents":[` + named + `{"ph":"C","name":"cpu","pid":1,"ts":2,"args":{"a":1}},{"ph":"C","name":"cpu","pid":1,"ts":1,"args":{"a":1}}]}`, []string{"before its last value"}},
		{"an end without a beginning", `{"traceEvents":[` + named + `{"ph":"E","name":"a","pid":1,"tid":1,"ts":2}]}`, []string{"did not begin"}},
		{"a beginning without an end", `{"traceEvents":[` + named + `{"ph":"B","name":"a","pid":1,"tid":1,"ts":2}]}`, []string{`"a" begins and does not end`}},
		{"a flow without an end", `{"traceEvents":[` + named + slice("a", "0", "10") + `,{"ph":"s","name":"f","id":1,"pid":1,"tid":1,"ts":5}]}`, []string{`flow "f" does not end`}},
		{"a flow without a beginning", `{"traceEvents":[` + named + slice("a", "0", "10") + `,{"ph":"f","name":"f","id":1,"pid":1,"tid":1,"ts":5}]}`, []string{"has not begun"}},
		{"a flow in no slice", `{"traceEvents":[` + named + slice("a", "0", "10") + `,{"ph":"s","name":"f","id":1,"pid":1,"tid":1,"ts":50},{"ph":"f","name":"f","id":1,"pid":1,"tid":1,"ts":51}]}`, []string{"in no slice"}},
		{"a flow back in time", `{"traceEvents":[` + named + slice("a", "0", "10") + `,{"ph":"s","name":"f","id":1,"pid":1,"tid":1,"ts":5},{"ph":"f","name":"f","id":1,"pid":1,"tid":1,"ts":4}]}`, []string{"goes back in time"}},
		{"a phase that nobody knows", `{"traceEvents":[` + named + `{"ph":"Z","name":"a","pid":1,"tid":1,"ts":2}]}`, []string{`has the phase "Z"`}},
		{"a scope that nobody knows", `{"traceEvents":[` + named + `{"ph":"i","name":"a","pid":1,"tid":1,"ts":2,"s":"x"}]}`, []string{`has the scope "x"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Check(strings.NewReader(tt.trace))
			if len(tt.want) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
		})
	}
}

// However many faults there are, a few are told.
func TestFewFaults(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"traceEvents":[` + strings.TrimSuffix(named, ","))
	for range 1000 {
		b.WriteString(`,{"ph":"Z","name":"a","pid":1,"tid":1,"ts":2}`)
	}
	b.WriteString("]}")
	_, err := Check(strings.NewReader(b.String()))
	if n := strings.Count(err.Error(), "\n") + 1; n != most {
		t.Errorf("%d faults are told, want %d", n, most)
	}
}

// Whatever it is given, the check ends and says something or nothing.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"traceEvents":[` + named + slice("a", "0", "10") + `]}`))
	f.Add([]byte(`{"traceEvents":[{"ph":"s","name":"f","id":1,"pid":1,"tid":1,"ts":5}]}`))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = Check(strings.NewReader(string(b))) })
}
