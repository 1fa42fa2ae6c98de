package ranking

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// reach is a value of evaluations whose best is another one than the last.
func reach(mode record.Mode, better string, best, last float64) view.Reach {
	r := view.Reach{Mode: mode.String(), Better: better, Last: record.Number(last), LastStep: 9, Min: record.Number(min(best, last)), MinStep: 5, Max: record.Number(max(best, last)), MaxStep: 5}
	return r
}

func run(name string, values map[string]view.Reach, parameters ...string) Run {
	r := Run{Name: name, Values: values, Parameters: map[string]string{}}
	for _, p := range parameters {
		key, value, _ := strings.Cut(p, "=")
		r.Parameters[key] = value
	}
	return r
}

func evalLoss(best, last float64) map[string]view.Reach {
	return map[string]view.Reach{"loss": reach(record.Train, "less", last/2, last/2), "loss (EVAL)": reach(record.Eval, "less", best, last)}
}

func TestRank(t *testing.T) {
	diverged := run("hot", evalLoss(0.1, 0.15), "lr=1")
	diverged.Errors = []string{"exploding_tensor"}
	empty := run("empty", nil, "lr=0.5")
	for _, c := range []struct {
		name  string
		runs  []Run
		ask   Question
		by    string // metric, better, stat
		order string
		best  string
		text  string
	}{
		{"the least validation loss", []Run{run("a", evalLoss(0.3, 0.5)), run("b", evalLoss(0.2, 0.9)), run("c", evalLoss(0.4, 0.4))}, Question{},
			"loss (EVAL) less best", "b1 a2 c3", "b", "b is best: its least loss (EVAL) is 0.2; the next is a with 0.3."},
		{"a better value behind an error", []Run{run("a", evalLoss(0.3, 0.3)), diverged, empty}, Question{},
			"loss (EVAL) less best", "hot0 a1 empty0", "a", "a is best: its least loss (EVAL) is 0.3. hot has 0.1, but an error finding (exploding_tensor), so its value is not to be trusted."},
		{"the last training loss", []Run{run("a", evalLoss(0.3, 0.5)), run("b", evalLoss(0.2, 0.9))}, Question{Metric: "loss (TRAIN)"},
			"loss (TRAIN) less last", "a1 b2", "a", "a is best: its last loss (TRAIN) is 0.25; the next is b with 0.45."},
		{"the name of the series, without its mode", []Run{run("a", evalLoss(0.3, 0.5)), run("b", evalLoss(0.2, 0.9))}, Question{Metric: "loss"},
			"loss (EVAL) less best", "b1 a2", "b", "b is best: its least loss (EVAL) is 0.2; the next is a with 0.3."},
		{"the name of the series, with its mode, where there is only one", []Run{
			run("a", map[string]view.Reach{"loss": reach(record.Eval, "less", 0.3, 0.3)}), run("b", map[string]view.Reach{"loss": reach(record.Eval, "less", 0.4, 0.4)}),
		}, Question{Metric: "loss (EVAL)"}, "loss less best", "a1 b2", "a", "a is best: its least loss is 0.3; the next is b with 0.4."},
		{"more is better", []Run{
			run("a", map[string]view.Reach{"val_acc": reach(record.Train, "more", 0.9, 0.7)}), run("b", map[string]view.Reach{"val_acc": reach(record.Train, "more", 0.8, 0.8)}),
		}, Question{}, "val_acc more best", "a1 b2", "a", "a is best: its greatest val_acc is 0.9; the next is b with 0.8."},
		{"a direction that is given", []Run{
			run("a", map[string]view.Reach{"tokens": reach(record.Train, "", 1, 1)}), run("b", map[string]view.Reach{"tokens": reach(record.Train, "", 2, 2)}),
		}, Question{Metric: "tokens", Better: "more"}, "tokens more last", "b1 a2", "b", "b is best: its last tokens is 2; the next is a with 1."},
		{"errors everywhere", []Run{diverged, diverged}, Question{},
			"loss (EVAL) less best", "hot0 hot0", "", "No run with a value of loss (EVAL) is without an error finding, so none can be called the best."},
		{"nothing in common", []Run{run("a", nil), run("b", nil)}, Question{}, " less last", "a0 b0", "", "The runs have no number in common by which they could be ranked."},
		{"one name of two modes", []Run{
			run("a", map[string]view.Reach{"loss": reach(record.Eval, "less", 0.3, 0.3)}), run("b", evalLoss(0.4, 0.4)), run("c", evalLoss(0.2, 0.2)),
		}, Question{}, "loss (EVAL) less best", "c1 a2 b3", "c", "c is best: its least loss (EVAL) is 0.2; the next is a with 0.3."},
		{"of training, where one run has it of evaluation only", []Run{
			run("a", map[string]view.Reach{"loss": reach(record.Eval, "less", 0.01, 0.01)}), run("b", evalLoss(0.4, 0.4)), run("c", evalLoss(0.2, 0.2)),
		}, Question{Metric: "loss (TRAIN)"}, "loss (TRAIN) less last", "c1 b2 a0", "c", "c is best: its last loss (TRAIN) is 0.1; the next is b with 0.2."},
		{"not finite", []Run{run("a", evalLoss(math.NaN(), math.NaN())), run("b", evalLoss(0.5, 0.5))}, Question{},
			"loss (EVAL) less best", "b1 a0", "b", "b is best: its least loss (EVAL) is 0.5."},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := Rank(c.runs, c.ask)
			if err != nil {
				t.Fatal(err)
			}
			var order []string
			for _, p := range a.Runs {
				order = append(order, fmt.Sprintf("%s%d", p.Name, p.Rank))
			}
			if by := a.Metric + " " + a.Better + " " + a.Stat; by != c.by || strings.Join(order, " ") != c.order || a.Best != c.best || a.Text != c.text {
				t.Errorf("by %q, order %q, best %q, text\n%s\nwant %q, %q, %q,\n%s", by, order, a.Best, a.Text, c.by, c.order, c.best, c.text)
			}
		})
	}
}

func TestUnknownMetric(t *testing.T) {
	var unknown *Unknown
	_, err := Rank([]Run{run("a", evalLoss(1, 1)), run("b", evalLoss(1, 1))}, Question{Metric: "accuracy"})
	if !errors.As(err, &unknown) || err.Error() != `rank runs: no two runs have the number "accuracy"; they have loss (EVAL), loss (TRAIN)` {
		t.Errorf("%v", err)
	}
	if _, err := Rank(nil, Question{Better: "bigger"}); err == nil {
		t.Error("a direction that is none was taken")
	}
}

func parsed(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

// What is the same in all runs is counted; what has the same values is one parameter.
func TestParameters(t *testing.T) {
	var runs []Run
	for i, lr := range []string{"0.001", "0.01", "0.1", "0.3", "1", "3"} {
		loss := float64(6 - i)
		runs = append(runs, run("r"+lr, evalLoss(loss, loss), "lr="+lr, fmt.Sprintf("optimiser lr=%e", parsed(lr)), "batch=32", "kind="+[]string{"adam", "sgd"}[i%2], fmt.Sprintf("seed=%d", []int{4, 1, 6, 2, 3, 5}[i])))
	}
	a, err := Rank(runs, Question{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range a.Parameters {
		text := fmt.Sprintf("%s%v", p.Name, p.Also)
		if c := p.Correlation; c != nil {
			text += fmt.Sprintf(" %.2f clear %t of %d", c.Rho, c.Clear, c.Runs)
		}
		got = append(got, text)
	}
	want := []string{"lr[optimiser lr] -1.00 clear true of 6", "seed[] -0.20 clear false of 6", "kind[]"}
	if !slices.Equal(got, want) || a.Same != 1 {
		t.Errorf("%q, %d the same; want %q, 1", got, a.Same, want)
	}
	if v := a.Parameters[0].Values[0]; a.Runs[0].Name != "r3" || v == nil || *v != "3" {
		t.Errorf("the first run is %s with lr %v", a.Runs[0].Name, v)
	}
}

// The coefficients are those of scipy 1.18 (stats.spearmanr); the intervals were computed by numpy.
func TestCorrelation(t *testing.T) {
	for _, c := range []struct {
		x, y           []float64
		rho, low, high float64
	}{
		{[]float64{1e-4, 1e-3, 1e-2, 1e-1, 1, 10}, []float64{.9, .5, .4, .3, .2, .8}, -0.4285714285714286, -0.927549487911974, 0.6195409824131148},
		{[]float64{1, 1, 2, 2, 3, 3, 4, 4}, []float64{5, 6, 4, 4, 3, 2, 2.5, 1}, -0.9326733179802502, -0.9915040639468249, -0.5570695828052007},
		{[]float64{1, 2, 3, 4, 5}, []float64{1, 2, 3, 4, 5}, 1, 0.16080450680271896, 1},
		{[]float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}, []float64{2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5}, 0.1415796863640157, -0.4730946598459608, 0.6635469204756993},
	} {
		got := correlationOf(c.x, c.y)
		for _, d := range []float64{got.Rho - c.rho, got.Low - c.low, got.High - c.high} {
			if math.Abs(d) > 1e-9 {
				t.Errorf("%v and %v: %+v, want %g from %g to %g", c.x, c.y, *got, c.rho, c.low, c.high)
			}
		}
	}
	for _, none := range [][2][]float64{{{1, 2, 3, 4}, {1, 2, 3, 4}}, {{1, 1, 1, 1, 1}, {1, 2, 3, 4, 5}}, {{1, 2, 3, 4, 5}, {2, 2, 2, 2, 2}}} {
		if c := correlationOf(none[0], none[1]); c != nil {
			t.Errorf("%v: %+v", none, *c)
		}
	}
}

// The interval holds the coefficient, a turned parameter turns the sign, and no order of the runs changes anything.
func TestCorrelationOfAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(5, 30).Draw(t, "n")
		numbers := rapid.SliceOfN(rapid.Float64Range(-100, 100), n, n)
		x, y := numbers.Draw(t, "x"), numbers.Draw(t, "y")
		c := correlationOf(x, y)
		if c == nil {
			t.Skip()
		}
		if c.Low > c.Rho+1e-12 || c.Rho > c.High+1e-12 || c.Low < -1 || c.High > 1 {
			t.Fatalf("%+v", *c)
		}
		turned := slices.Clone(x)
		for i := range turned {
			turned[i] = -turned[i]
		}
		slices.Reverse(turned)
		reversed := slices.Clone(y)
		slices.Reverse(reversed)
		if d := correlationOf(turned, reversed); math.Abs(d.Rho+c.Rho) > 1e-12 || d.Clear != c.Clear {
			t.Fatalf("%+v, turned %+v", *c, *d)
		}
	})
}

// What the metric is by value of a parameter: an optimum in the middle, words, a run without it, one that is not trusted.
func TestGroups(t *testing.T) {
	hot := run("hot", evalLoss(0.01, 0.01), "lr=0.1", "optimizer=sgd")
	hot.Errors = []string{"not_finite"}
	runs := []Run{
		run("a", evalLoss(0.5, 0.5), "lr=1e-1", "optimizer=adam"), run("b", evalLoss(0.2, 0.2), "lr=1e-2", "optimizer=adam"), run("c", evalLoss(0.4, 0.4), "lr=0.01", "optimizer=sgd"),
		run("d", evalLoss(0.9, 0.9), "lr=1e-4"), run("e", evalLoss(0.3, 0.3), "lr=0.010", "optimizer=adam"), hot,
	}
	for _, c := range []struct{ better, lr, optimizer string }{
		{"less", "1e-4 1 0.9 0.9, 1e-2 3 0.2 0.3, 1e-1 1 0.5 0.5", "adam 3 0.2 0.3, sgd 1 0.4 0.4, - 1 0.9 0.9"},
		{"more", "1e-4 1 0.9 0.9, 1e-2 3 0.4 0.3, 1e-1 1 0.5 0.5", "adam 3 0.5 0.3, sgd 1 0.4 0.4, - 1 0.9 0.9"},
	} {
		a, err := Rank(runs, Question{Better: c.better})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range a.Parameters {
			var got []string
			for _, g := range p.Groups {
				value := "-"
				if g.Value != nil {
					value = *g.Value
					if number, err := strconv.ParseFloat(value, 64); err == nil { // which of three spellings is shown does not count
						value = map[float64]string{1e-4: "1e-4", 1e-2: "1e-2", 1e-1: "1e-1"}[number]
					}
				}
				got = append(got, fmt.Sprintf("%s %d %g %g", value, g.Runs, float64(g.Best), float64(g.Median)))
			}
			if want := map[string]string{"lr": c.lr, "optimizer": c.optimizer}[p.Name]; strings.Join(got, ", ") != want {
				t.Errorf("%s, %s is better: %q, want %q", p.Name, c.better, got, want)
			}
		}
	}
}

// What a run was not given has the value that the training shows under another name, where
// the two agree wherever both are there. Names that only look alike stay apart.
func TestOptionsThatWereNotGiven(t *testing.T) {
	loss := func(v float64) map[string]view.Reach {
		return map[string]view.Reach{"val_loss": reach(record.Train, "less", v, v)}
	}
	a, err := Rank([]Run{
		run("a", loss(1), "batch size=64", "optimiser=Adam", "steps=10", "optimiser eps=1e-8", "optimiser weight decay=0"),
		run("b", loss(2), "batch size=16", "batch-size=16", "optimiser=Adam", "optimizer=adam", "warmup-steps=20", "steps=20", "optimiser eps=1e-8", "weight-decay=0.1", "optimiser weight decay=0.1"),
		run("c", loss(3), "batch size=64", "batch-size=64", "optimiser=SGD", "optimizer=sgd", "steps=10", "optimiser weight decay=0"),
	}, Question{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range a.Parameters {
		text := ""
		for _, v := range p.Values {
			if v == nil {
				text += " -"
			} else {
				text += " " + *v
			}
		}
		got[p.Name] = text + " " + strings.Join(p.Also, ",")
	}
	want := map[string]string{
		"batch-size": " 64 16 64 batch size", "optimizer": " adam adam sgd optimiser", "optimiser eps": " 1e-8 1e-8 - ",
		"steps": " 10 20 10 ", "warmup-steps": " - 20 - ", "weight-decay": " 0 0.1 0 optimiser weight decay",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// The best run is set next to the one that it differs from least; what follows from an option
// does not count.
func TestDifference(t *testing.T) {
	loss := func(v float64) map[string]view.Reach {
		return map[string]view.Reach{"val_loss": reach(record.Train, "less", v, v)}
	}
	base := []string{"lr=0.001", "batch-size=64", "optimiser eps=1e-8"}
	hot := run("hot", loss(0.01), "lr=0.001", "batch-size=64", "dropout=0.4", "optimiser eps=1e-8")
	hot.Errors = []string{"not_finite"}
	for _, c := range []struct {
		name           string
		runs           []Run
		decisive, text string
	}{
		{"in one option", []Run{run("a", loss(0.2), base...), run("b", loss(0.1), append(base, "dropout=0.5")...), run("c", loss(0.15), "lr=0.01", "batch-size=16", "optimiser eps=1e-8"), hot},
			"dropout", "It differs from a, which has 0.2, only in dropout (0.5 for not given)."},
		{"in two", []Run{run("a", loss(0.2), "lr=0.1", "batch-size=16", "optimiser eps=1"), run("b", loss(0.1), base...)},
			"", "It differs from a, which has 0.2, only in lr (0.001 for 0.1), batch-size (64 for 16)."},
		{"in many", []Run{run("a", loss(0.2), "a=1", "b=1", "c=1", "d=1"), run("b", loss(0.1), "a=2", "b=2", "c=2", "d=2")}, "", ""},
		{"in nothing that is known", []Run{run("a", loss(0.2), base...), run("b", loss(0.1), base...)}, "", ""},
	} {
		a, err := Rank(c.runs, Question{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Difference != c.text || a.Decisive != c.decisive {
			t.Errorf("%s: %q, decisive %q; want %q, %q", c.name, a.Difference, a.Decisive, c.text, c.decisive)
		}
	}
}
