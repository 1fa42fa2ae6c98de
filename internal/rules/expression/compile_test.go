package expression

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What is wrong is told when the expression is loaded, with its place.
func TestMistakesAreToldAtLoad(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, `1:1 the expression is empty`},
		{`series("loss").last() >`, `1:24 the expression ends too early`},
		{`series("loss").last() > 1 )`, `1:27 unexpected ')'`},
		{`series("loss").last()`, `1:20 it gives double, but must give true or false: compare it with something`},
		{`series("loss").last() > "x"`, `1:23 found no matching overload for '>' applied to '(double, string)'`},
		{`series("loss") > 3`, `1:16 found no matching overload for '>' applied to '(series, int)'`},
		{"series(\"loss\").last() > 1 &&\n  series(\"loss\").lats() > 1", `2:22 undeclared reference to 'lats'`},
		{`loss > 3`, `1:1 undeclared reference to 'loss'`},
		{`1 < 2`, `1:1 it reads nothing: name what to read, such as series("loss")`},
		{`series(mode).last() > 1`, `1:8 a name in quotes is expected here`},
		{`series("").last() > 1`, `1:8 the name is empty`},
		{`series("w", "l3").last() > 1`, `1:13 unknown statistic "l3"; did you mean "l1"?`},
		{`series("w", "quantile[2]").last() > 1`, `1:13 "quantile[2]" is not a quantile`},
		{`tensors("(", "l2").exists(t, t.last() > 1)`, `1:9 pattern "("`},
		{`series("loss").mean(0) > 1`, `1:21 the number of points must be a literal number from 1 to 1000`},
		{`series("loss").mean(step) > 1`, `1:21 the number of points must be a literal number from 1 to 1000`},
		{`series("loss").quantile(2.0, 5) > 1`, `1:25 the quantile must be a literal number from 0.0 to 1.0`},
		{`series("loss").in_mode("evil").last() > 1`, `1:24 unknown mode "evil"; did you mean "eval"?`},
		{`series("loss").since(-1).mean() > 1`, `1:22 the step must be a literal number from 0`},
		{`series("loss").since(1) > 1`, `1:25 found no matching overload`},
		{`[1, 2].exists(x, x > 1)`, `loops go over series`},
		{`tensors("a", "l2").exists(a, tensors("b", "l2").exists(b, tensors("c", "l2").exists(c, c.last() > a.last())))`, `loops may not be nested deeper than 2`},
		{`tensors("a", "l2").map(t, t) == 1`, `found no matching overload`},
		{`scalars("a").map(t, t.last()).map(x, x).min() > 1`, `loops go over series`},
	} {
		_, err := compile(c.text)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error is %v", c.text, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d %s", e.Line, e.Column, e.Message); !strings.Contains(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// What an expression reads is taken from its text.
func TestWhatIsReadIsDeclared(t *testing.T) {
	p, err := compile(`series("loss").mean(50) > series("loss").previous(70) && tensors("^gradient", "quantile[0.99]").all(t, t.last() < ratio(series("a.weight", "l2"), series("b.weight", "l2"))) || series("loss").in_mode("eval").since(100).min() > series("loss").min()`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.sources {
		got = append(got, s.String())
	}
	want := `loss|quantile[0.99] of pattern "^gradient"|l2 of a.weight|l2 of b.weight|loss in EVAL`
	if strings.Join(got, "|") != want || p.window != 71 || fmt.Sprint(p.since) != "[100 0]" {
		t.Errorf("reads %s, window %d, since %v", strings.Join(got, "|"), p.window, p.since)
	}
}

// Nothing that a user may write makes the compiler or an evaluation panic.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		`series("loss").last() > 3 * series("loss").mean(50)`, `tensors("a", "l2").exists(t, is_nan(t.last()))`, `scalars("acc").filter(t, t.count() > 3).map(t, t.slope(5)).mean() < 0`,
		`size(tensors("a", "max").filter(t, t.last() > 1.0)) >= 2 ? known(series("x")) : step % 10 == 0`, `!(mode == "TRAIN") && ratio(series("a"), series("b")) > 1`,
		`scalars("x").all(t, t.in_mode("eval").last() > 1)`, `tensors("a","l2").exists_one(t, t.since(5).slope() > 0)`, `scalars("a").map(t, t.last() > 0, t.last()).max() > 1`,
		`series("x").known() ? series("x").last() > 1 : false`, `(step > 1 ? series("a") : series("b")).last() > 0`, `{"a": 1}.a > 1`, `has(a.b)`, `tensors("a","l2")[0].last() > 1`, `scalars("a").map(t, 1 > 0)`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := compile(text)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%q: error without a place: %v", text, err)
			}
			return
		}
		w := &worker{sources: make([]members, len(p.sources))}
		for i := 0; i < 3; i++ {
			fr := frame{worker: w, step: int64(i), modeStep: int64(i), mode: "TRAIN", vars: make([]*series, p.vars)}
			p.holds(&fr)
			for k := range p.sources {
				m := &w.sources[k]
				m.list[m.find("a", k, p.sources[k].pattern != "")].add(float64(i), int64(i), int64(i), p.window, p.since)
			}
		}
	})
}
