package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strconv"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// computedSeries are medians or products over steps, with what is next to
// them in the store.
type computedSeries struct {
	stat   string
	mode   record.Mode
	steps  []int64
	values []float64 // NaN where float64 does not hold the product
	within []float64 // medians: how far each may be off; 0 for an exact one
	sign   []float64 // products
	log    []float64
}

// isComputed reports whether the statistic asked for is a median or product that
// is stored of the tensor.
func (c valuesCmd) isComputed(t source.Run) bool {
	switch c.Stat {
	case plan.MedianKey:
		return contains(t.StatNames(c.Tensor), plan.MedianKey)
	case plan.ProdKey:
		return contains(t.StatNames(c.Tensor), plan.ProdSignKey)
	}
	return false
}

// computed prints the median or the product of a tensor over its steps.
func (c valuesCmd) computed(a *app, t source.Run, info record.TensorInfo, modes []record.Mode, from, to int64) error {
	for _, mode := range modes {
		s, err := c.readComputed(t, mode, from, to)
		if err != nil {
			return fmt.Errorf("read %q: %w", c.Tensor, err)
		}
		if len(s.steps) > 0 {
			return c.printComputed(a, t, s)
		}
	}
	return c.nothing(c.Stat, info)
}

func (c valuesCmd) readComputed(t source.Run, mode record.Mode, from, to int64) (*computedSeries, error) {
	read := func(stat string) ([]int64, []float64, error) {
		steps, values, err := t.Series(source.Query{Tensor: c.Tensor, Stat: stat, Mode: mode, Worker: c.Worker, From: from, To: to})
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return steps, values, err
	}
	s := &computedSeries{stat: c.Stat, mode: mode}
	var err error
	// next to reads what is stored at some of the steps.
	beside := func(stat string, otherwise float64) []float64 {
		steps, values, e := read(stat)
		err = errors.Join(err, e)
		out := make([]float64, len(s.steps))
		at := 0
		for i, step := range s.steps {
			out[i] = otherwise
			for at < len(steps) && steps[at] < step {
				at++
			}
			if at < len(steps) && steps[at] == step {
				out[i] = values[at]
			}
		}
		return out
	}
	if c.Stat == plan.MedianKey {
		s.steps, s.values, err = read(plan.MedianKey)
		s.within = beside(plan.MedianErrorKey, 0)
		return s, err
	}
	s.steps, s.sign, err = read(plan.ProdSignKey)
	s.log = beside(plan.ProdLogKey, math.NaN())
	s.values = beside(plan.ProdKey, math.NaN())
	return s, err
}

// fits reports whether there is a product to show as a number.
func (s *computedSeries) fits(i int) bool {
	return s.sign == nil || !math.IsNaN(s.values[i]) || math.IsNaN(s.sign[i])
}

// approximate is the number of medians that are not exact.
func (s *computedSeries) approximate() (n int) {
	for _, x := range s.within {
		if x > 0 {
			n++
		}
	}
	return n
}

// text is a value as a table shows it.
func (s *computedSeries) text(i int) string {
	switch {
	case s.within != nil && s.within[i] > 0:
		return fmt.Sprintf("%s  approximate, within %s of it", record.Digits(s.values[i]), percentOf(s.within[i]))
	case !s.fits(i):
		return fmt.Sprintf("sign %g, log %.7g", s.sign[i], s.log[i]) // three digits of a logarithm would be none of the product
	}
	return record.Digits(s.values[i])
}

// percentOf spells a share.
func percentOf(x float64) string { return strconv.FormatFloat(100*x, 'g', 1, 64) + " %" }

func (c valuesCmd) printComputed(a *app, t source.Run, s *computedSeries) error {
	worker := c.Worker
	if worker == "" {
		worker = t.Chief()
	}
	switch c.Format {
	case "json":
		return writeJSON(a.stdout, s.document(c.Tensor, worker))
	case "npy":
		if n := s.approximate(); n > 0 {
			aside(a.stderr, "approximate, within %s of the exact median: %d of %s", percentOf(s.most()), n, record.Several(int64(len(s.steps)), "value"))
		}
		out := make([]float64, len(s.values))
		for i, v := range s.values {
			if out[i] = v; !s.fits(i) {
				out[i] = s.sign[i] * math.Exp(s.log[i])
			}
		}
		return writeNPY(a.stdout, out)
	case "csv":
		return s.csv(csv.NewWriter(a.stdout))
	}
	p := a.page()
	name := p.Bold(printable(c.Tensor))
	if _, terminal := a.terminal(); terminal && !c.Table && len(s.steps) > 1 {
		what, values := s.stat, s.values
		if n := s.approximate(); n > 0 {
			what += fmt.Sprintf(" (approximate, within %s)", percentOf(s.most()))
		}
		for i := range s.steps {
			if !s.fits(i) {
				what, values = "logarithm of the product", s.log
			}
		}
		_, err := fmt.Fprintf(a.stdout, "%s, %s, %s, %s\n%s", name, what, s.mode, worker, p.Curve(s.steps, values))
		return err
	}
	fmt.Fprintf(a.stdout, "%s, %s, %s\n", name, s.mode, worker)
	fmt.Fprintf(a.stdout, "%10s  %s\n", "step", s.stat)
	for i, step := range s.steps {
		if _, err := fmt.Fprintf(a.stdout, "%10d  %s\n", step, s.text(i)); err != nil {
			return err
		}
	}
	return nil
}

// most is the largest error of the medians.
func (s *computedSeries) most() (x float64) {
	for _, w := range s.within {
		x = max(x, w)
	}
	return x
}

// document is the JSON form: of a median with the error of each value, of a
// product with sign and logarithm; null is a product that float64 does not hold.
func (s *computedSeries) document(tensor, worker string) map[string]any {
	numbers := func(list []float64) []*record.Number {
		out := make([]*record.Number, len(list))
		for i, v := range list {
			n := record.Number(v)
			out[i] = &n
		}
		return out
	}
	values := numbers(s.values)
	for i := range values {
		if !s.fits(i) {
			values[i] = nil
		}
	}
	d := map[string]any{"tensor": tensor, "mode": s.mode, "worker": worker, "stat": s.stat, "steps": s.steps, "values": values}
	if s.within != nil {
		d["approximate"], d["error"] = s.approximate() > 0, numbers(s.within)
	} else {
		d["sign"], d["log"] = numbers(s.sign), numbers(s.log)
	}
	return d
}

func (s *computedSeries) csv(w *csv.Writer) error {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	head := []string{"step", s.stat, "error"}
	if s.within == nil {
		head = []string{"step", s.stat, "sign", "log"}
	}
	_ = w.Write(head)
	for i, step := range s.steps {
		row := []string{strconv.FormatInt(step, 10), ""}
		if s.fits(i) {
			row[1] = number(s.values[i])
		}
		if s.within != nil {
			row = append(row, number(s.within[i]))
		} else {
			row = append(row, number(s.sign[i]), number(s.log[i]))
		}
		_ = w.Write(row)
	}
	w.Flush()
	return w.Error()
}

// onDemand are the statistics that are there when a collection asks for them.
var onDemand = []string{plan.MedianKey, plan.ProdKey}
