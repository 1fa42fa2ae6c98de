package view

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Outline is how a run went in the few numbers that a list of runs has room for.
type Outline struct {
	Losses []LossLine       `json:"losses,omitempty"`
	Values map[string]Reach `json:"values,omitempty"` // by name as ValueName gives it
	More   int              `json:"more_values,omitempty"`
}

// LossLine is a loss in one mode, as a line of few points over its steps.
type LossLine struct {
	Name    string          `json:"name"`
	Mode    string          `json:"mode"`
	Steps   []int64         `json:"steps"`
	Values  []record.Number `json:"values"` // in six digits; NaN where none was finite
	Last    record.Number   `json:"last"`
	Min     record.Number   `json:"min"`
	MinStep int64           `json:"min_step"`
}

// Reach is what a series of numbers came to. A value of an evaluation is that of its
// whole pass, at its last step. Min, Max and Best are of the finite values, NaN where
// there is none, or no evaluation is over yet. Best is nil where it is not known
// whether less or more is better.
type Reach struct {
	Mode     string         `json:"mode"`
	Better   string         `json:"better,omitempty"` // less, or more; empty where it is not known
	Last     record.Number  `json:"last"`
	LastStep int64          `json:"last_step"`
	Min      record.Number  `json:"min"`
	MinStep  int64          `json:"min_step"`
	Max      record.Number  `json:"max"`
	MaxStep  int64          `json:"max_step"`
	Best     *record.Number `json:"best,omitempty"`
}

// Bounds of an outline.
const (
	OutlinePoints = 40   // of a line
	outlineNames  = 200  // series
	outlineChart  = 1200 // columns that a long series is read in
)

// ValueName is what a series of a mode is called in a list of runs: its name, with
// the mode where another mode of it has the name alone.
func ValueName(name string, mode record.Mode, first bool) string {
	if first {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, mode)
}

// OutlineOf reads the losses and the numbers that a script gave.
func OutlineOf(t source.Run) (Outline, error) {
	o := Outline{Values: map[string]Reach{}}
	names, modes, courses := courseNames(t), t.Modes(), newCourses(t)
	if i := slices.Index(names, "loss"); i > 0 {
		names = append([]string{"loss"}, slices.Delete(names, i, i+1)...)
	}
	losses := lossNames(t)
	lossless := "" // the first number of which less is better
	lines := map[string][]LossLine{}
	for i, name := range names {
		if c, ok := t.(source.Contents); ok && len(o.Values) >= outlineNames {
			o.More += seriesOf(c.Contents(), names[i:])
			break
		}
		first := true
		for _, mode := range modes {
			c, err := courses.of(name, mode)
			if err != nil {
				return o, err
			}
			if len(c.steps) == 0 {
				continue
			}
			if len(o.Values) >= outlineNames {
				o.More++
				continue
			}
			better := betterOf(name, slices.Contains(losses, name))
			o.Values[ValueName(name, mode, first)] = reachOf(c, mode, better)
			first = false
			if better == less && (lossless == "" || lossless == name) {
				lossless = name
				lines[name] = append(lines[name], lineOf(name, c, mode))
			}
		}
	}
	o.Losses = lines[lossless]
	return o, nil
}

// seriesOf counts the series of names, without reading them.
func seriesOf(has map[string]source.Content, names []string) int {
	n := 0
	for _, name := range names {
		if c := has[name]; slices.Contains(c.Stats, "value") {
			n += len(c.Modes)
		}
	}
	return n
}

// lossNames are the series announced as losses.
func lossNames(t source.Run) []string {
	names := []string{"loss"}
	for _, info := range t.Tensors() {
		if info.Kind == record.Loss {
			names = append(names, info.Name)
		}
	}
	return names
}

func reachOf(c course, mode record.Mode, b better) Reach {
	steps, values := c.steps, c.values
	n := len(values) - 1
	nan := record.Number(math.NaN())
	e := Reach{Mode: mode.String(), Better: b.String(), Last: record.Number(values[n]), LastStep: steps[n], Min: nan, Max: nan}
	low, high := -1, -1
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) || c.open {
			continue
		}
		if low < 0 || v < values[low] {
			low = i
		}
		if high < 0 || v > values[high] {
			high = i
		}
	}
	if low >= 0 {
		e.Min, e.MinStep, e.Max, e.MaxStep = record.Number(values[low]), steps[low], record.Number(values[high]), steps[high]
	}
	switch best := e.Max; b {
	case less:
		best = e.Min
		fallthrough
	case more:
		e.Best = &best
	}
	return e
}

func lineOf(name string, c course, mode record.Mode) LossLine {
	e := reachOf(c, mode, less)
	l := LossLine{Name: name, Mode: mode.String(), Last: e.Last, Min: e.Min, MinStep: e.MinStep}
	var values []float64
	l.Steps, values = thin(c.steps, c.values, OutlinePoints)
	for _, v := range values {
		l.Values = append(l.Values, record.Number(rounded(v)))
	}
	return l
}

// rounded is a number in six digits: enough for a line that is 20 pixels high.
func rounded(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return v
	}
	return short
}

// better is which values of a series are the good ones.
type better int

const (
	unknown better = iota
	less
	more
)

// Words in names of numbers of which less, or more, is better by what they are.
var (
	lessWords = []string{"loss", "error", "err", "mse", "rmse", "mae", "mape", "logloss", "mlogloss", "perplexity", "ppl", "nll", "wer", "cer", "fid"}
	moreWords = []string{"accuracy", "acc", "auc", "aucpr", "f1", "precision", "recall", "r2", "iou", "miou", "dice", "bleu", "rouge", "ndcg", "map", "psnr", "ssim", "reward", "return", "top1", "top5"}
)

// Better reports whether "less" or "more" of a number of this name is better; "" where
// that is not known.
func Better(name string) string { return betterOf(name, false).String() }

func (b better) String() string { return [...]string{"", "less", "more"}[b] }

// betterOf goes by the words of a name, since nothing else tells.
func betterOf(name string, loss bool) better {
	if loss {
		return less
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for i := len(words) - 1; i >= 0; i-- {
		switch {
		case slices.Contains(lessWords, words[i]):
			return less
		case slices.Contains(moreWords, words[i]):
			return more
		}
	}
	return unknown
}

// Parameters are what a run was started with: the options of the command line, what
// the script told, and how its optimisers are set. Those of the command line are
// called as they are there.
func Parameters(run record.Run) map[string]string {
	list := map[string]string{}
	all := propertiesOf(run)
	for _, section := range []string{InTraining, InConfiguration} {
		for p, value := range all {
			if p.section == section && !strings.HasPrefix(p.name, "tag ") {
				list[p.name] = value
			}
		}
	}
	if _, told := list["batch size"]; run.Time != nil && run.Time.BatchSize > 0 && !told {
		list["batch size"] = fmt.Sprint(run.Time.BatchSize)
	}
	return list
}

// LostShare is the share of the time of all steps in which nothing was computed:
// waiting for data and for other ranks, copies to the device, checkpoints; false
// where that is not known.
func LostShare(t *record.RunTime) (share float64, ok bool) {
	if t == nil {
		return 0, false
	}
	var lost record.Span
	for mode, m := range t.Modes {
		if mode == record.Eval.String() { // an evaluation is one part of the time, whatever it does
			continue
		}
		for _, p := range []record.StepPart{record.WaitForData, record.CopyToDevice, record.WaitForRanks, record.SaveCheckpoint} {
			lost += m.Parts[p.String()]
		}
	}
	total := t.Total()
	if total <= 0 {
		return 0, false
	}
	return min(float64(lost)/float64(total), 1), true
}
