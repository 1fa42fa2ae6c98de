package view

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Member is one of two tensors that are compared, of this run or another one.
type Member struct {
	Run    source.Run
	Name   string // of the run, for messages
	Tensor string
	Mode   record.Mode
	Worker string // "": the chief
	Step   int64  // of the mode; -1: the end
}

// Pair is one tensor at a step next to another one.
type Pair struct {
	Here, There *Moment
	Stats       []StatPair
	// Histograms are in common bins, that of here first, each of the step of its
	// tensor or of the last one before it that has one; nil: one of the two has none.
	Histograms *Histograms
	// Values reports whether values of both are stored and of one shape; else WhyNot is
	// a sentence.
	Values bool
	WhyNot string
}

// StatPair is a number that both have.
type StatPair struct {
	Name    string
	Derived bool
	Here    float64
	There   float64
	// Difference is that of here from there, Relative its part of the magnitude of
	// there; NaN where there is none.
	Difference, Relative float64
}

// Unlike is the error for two tensors that cannot be compared: a sentence.
type Unlike struct{ message string }

func (u *Unlike) Error() string { return u.message }

func unlike(format string, args ...any) error { return &Unlike{fmt.Sprintf(format, args...)} }

// info is what was announced of the tensor.
func (m *Member) info() (record.TensorInfo, error) {
	infos := source.OfTraining(m.Run.Tensors())
	i := slices.IndexFunc(infos, func(info record.TensorInfo) bool { return info.Name == m.Tensor })
	if i < 0 {
		return record.TensorInfo{}, unlike("Run %.200q has no tensor %.200q.", m.Name, m.Tensor)
	}
	return infos[i], nil
}

// query asks for it; a worker that the run does not have stands for its chief.
func (m *Member) query() source.Query {
	q := source.Query{Tensor: m.Tensor, Mode: m.Mode, Worker: m.Worker}
	if !slices.Contains(m.Run.Workers(), q.Worker) {
		q.Worker = ""
	}
	return q
}

func (m *Member) moment() (*Moment, error) {
	if _, err := m.info(); err != nil {
		return nil, err
	}
	q := m.query()
	q.From = m.Step
	moment, err := MomentOf(m.Run, q)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unlike("Run %.200q has nothing of %.200q in mode %s.", m.Name, m.Tensor, m.Mode)
	}
	return moment, err
}

// PairOf compares two tensors; the error is *Unlike where there is nothing to
// compare. There with step -1 is at the step of here, or at the last one before it.
func PairOf(here, there Member) (*Pair, error) {
	p := &Pair{}
	var err error
	if p.Here, err = here.moment(); err != nil {
		return nil, err
	}
	if there.Step < 0 {
		there.Step = p.Here.Step
	}
	if p.There, err = there.moment(); err != nil {
		return nil, err
	}
	p.Stats = append(statPairs(p.Here.Stats, p.There.Stats, false), statPairs(p.Here.Derived, p.There.Derived, true)...)
	here.Step, there.Step = p.Here.Step, p.There.Step
	var rows []source.StatsRow
	for _, m := range []*Member{&here, &there} {
		row, err := m.histogram()
		if err != nil {
			return nil, err
		}
		rows = append(rows, row...)
	}
	if len(rows) == 2 {
		p.Histograms = HistogramsOf(rows)
	}
	p.WhyNot, err = whyNot(&here, &there)
	p.Values = p.WhyNot == ""
	return p, err
}

// statPairs are the numbers that both have, in the order of interest.
func statPairs(here, there map[string]float64, derived bool) (list []StatPair) {
	for name, a := range here {
		b, both := there[name]
		if !both {
			continue
		}
		s := StatPair{Name: name, Derived: derived, Here: a, There: b, Difference: a - b, Relative: math.NaN()}
		if d := s.Difference / math.Abs(b); d-d == 0 {
			s.Relative = d
		}
		list = append(list, s)
	}
	place := func(s StatPair) int {
		if i := slices.Index(plainStats, s.Name); i >= 0 {
			return i
		}
		return len(plainStats)
	}
	slices.SortFunc(list, func(a, b StatPair) int {
		if d := place(a) - place(b); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}

// histogram is the row with the histogram of the step, or of the last one before it;
// none when there is none.
func (m *Member) histogram() ([]source.StatsRow, error) {
	q := m.query()
	for _, from := range []int64{m.Step, 0} {
		q.From, q.To = from, m.Step+1
		rows, err := m.Run.Stats(q)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read statistics of %q: %w", m.Tensor, err)
		}
		for i := range slices.Backward(rows) {
			if rows[i].Hist != nil {
				return rows[i : i+1], nil
			}
		}
	}
	return nil, nil
}

// whyNot says why the values of two tensors cannot be subtracted; "": they can.
func whyNot(here, there *Member) (string, error) {
	_, err := oneShape(here, there)
	var why *Unlike
	if errors.As(err, &why) {
		return why.message, nil
	}
	return "", err
}

// oneShape are the steps at which the values of two tensors lie, the last ones up to
// those asked for; *Unlike where they have no values of one shape.
func oneShape(here, there *Member) (at [2]int64, err error) {
	var shapes [2][]int64
	for i, m := range []*Member{here, there} {
		info, err := m.info()
		if err != nil {
			return at, err
		}
		if info.Strings {
			return at, unlike("%.200q is strings in run %.200q, which have no difference.", m.Tensor, m.Name)
		}
		q := m.query()
		raw := m.Run.RawSteps(q.Tensor, q.Mode, q.Worker)
		if len(raw) == 0 {
			return at, unlike("The values of %.200q were not stored in run %.200q, only their statistics.", m.Tensor, m.Name)
		}
		step := m.Step
		if i == 1 && step < 0 {
			step = at[0]
		}
		at[i] = nearest(raw, step)
		err = source.ReadPart(m.Run, q.Tensor, q.Mode, at[i], whose(m.Run, q, at[i]), func(part source.RawPart) error {
			shapes[i] = slices.Clone(part.Shape)
			return nil
		})
		if err != nil {
			return at, err
		}
	}
	if !slices.Equal(shapes[0], shapes[1]) {
		return at, unlike("%.200q has the shape %v in run %.200q and %v here: only values of one shape have a difference.", there.Tensor, shapes[1], there.Name, shapes[0])
	}
	return at, nil
}

// DifferenceOf are the values of here less those of there, each at the last step up
// to its own at which they are stored; there with step -1 is at the step of here.
// *Unlike where they have none.
func DifferenceOf(here, there Member, c Cut) (a, b *Values, err error) {
	at, err := oneShape(&here, &there)
	if err != nil {
		return nil, nil, err
	}
	var both [2]*Values
	for i, m := range []*Member{&here, &there} {
		info, err := m.info()
		if err != nil {
			return nil, nil, err
		}
		if both[i], err = ValuesOf(m.Run, info, m.query(), at[i], c); err != nil {
			return nil, nil, err
		}
	}
	both[0].Matrix.less(both[1].Matrix)
	return both[0], both[1], nil
}

// less subtracts another matrix of the same part of a tensor, at the values that both
// have.
func (m *Matrix) less(o *Matrix) {
	rows, columns := max(m.RowStride, o.RowStride), max(m.ColumnStride, o.ColumnStride)
	mine, its := m.every(rows, columns), o.every(rows, columns)
	m.RowStride, m.ColumnStride, m.Values = rows, columns, mine
	m.Min, m.Max = math.NaN(), math.NaN()
	for i := range m.Values {
		m.Values[i] -= its[i]
		m.Min, m.Max = widened(m.Min, m.Max, m.Values[i])
	}
}

// every are the values of one row and column in so many: multiples of those that are there.
func (m *Matrix) every(rows, columns int64) []float64 {
	if rows == m.RowStride && columns == m.ColumnStride {
		return m.Values
	}
	var list []float64
	width := m.ShownColumns()
	for r := int64(0); r < m.ShownRows(); r += rows / m.RowStride {
		for c := int64(0); c < width; c += columns / m.ColumnStride {
			list = append(list, m.Values[r*width+c])
		}
	}
	return list
}
