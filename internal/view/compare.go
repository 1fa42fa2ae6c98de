package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/provenance"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
)

// Comparison is what two or more runs have in common and what they have not.
type Comparison struct {
	Runs []Compared `json:"runs"`
	// Differences are properties that are not the same in all runs, by section, in
	// the order of Sections; Same counts those that are.
	Differences []Difference `json:"differences"`
	Same        int          `json:"same"`
	Alike       []Difference `json:"-"` // those that Same counts
	// Series are the numbers that two runs or more have.
	Series []SharedSeries `json:"series"`
	// Alone are series that only one of the runs has.
	Alone []string `json:"alone"`
}

// Compared is one of the runs.
type Compared struct {
	Name     string           `json:"name"`
	Path     string           `json:"path"`
	Status   string           `json:"status"`
	Seconds  float64          `json:"seconds"` // it took; 0: not known
	Steps    map[string]int64 `json:"steps"`
	Findings map[string]int   `json:"findings"`
	Tally    record.Tally     `json:"-"` // the findings by root cause
}

// Sections of differences.
const (
	InConfiguration = "configuration"
	InTraining      = "training"
	InCode          = "code"
	InPackages      = "packages"
	InEnvironment   = "environment"
)

// Sections are in the order in which they are read.
var Sections = []string{InConfiguration, InTraining, InCode, InPackages, InEnvironment}

// Difference is a property that runs differ in. Values are in the order of the
// runs; nil where a run does not have it.
type Difference struct {
	Section string    `json:"section"`
	Name    string    `json:"name"`
	Values  []*string `json:"values"`
}

// SharedSeries is one series of one mode in all runs; Of is nil for a run without it.
type SharedSeries struct {
	Name string      `json:"name"`
	Mode record.Mode `json:"mode"`
	Loss bool        `json:"-"` // less of it is better
	Of   []*Course   `json:"of"`
}

// Course is how a series went in one run: its end, its least and greatest finite
// value, and as many of its points as were asked for, spikes among them. A point of an
// evaluation is its whole pass.
type Course struct {
	Points int             `json:"points"`
	Last   record.Number   `json:"last"`
	At     int64           `json:"at"` // step of Last
	Min    record.Number   `json:"min"`
	Max    record.Number   `json:"max"`
	Steps  []int64         `json:"steps"`
	Values []record.Number `json:"values"`
}

// Compare compares runs. Of each series at most points points are kept.
func Compare(runs []source.Run, points int) (Comparison, error) {
	c := Comparison{Differences: []Difference{}, Series: []SharedSeries{}, Alone: []string{}}
	var properties []map[property]string
	for _, t := range runs {
		run := t.Run()
		one := Compared{Name: filepath.Base(t.Path()), Path: t.Path(), Status: run.Status, Steps: run.Steps, Findings: map[string]int{"error": 0, "warning": 0, "info": 0}, Tally: record.Count(t.Groups())}
		if run.Name != "" {
			one.Name = run.Name
		}
		if run.Ended != nil {
			one.Seconds = run.Ended.Sub(run.Started).Seconds()
		}
		if one.Steps == nil {
			one.Steps = map[string]int64{}
		}
		for _, f := range t.Findings() {
			if !f.Muted {
				one.Findings[string(f.Severity)]++
			}
		}
		c.Runs = append(c.Runs, one)
		mine := propertiesOf(run)
		if text := changesText(t); text != "" {
			mine[property{InCode, "uncommitted changes"}] = text
		}
		properties = append(properties, mine)
	}
	c.differ(properties)
	return c, c.join(runs, points)
}

// property is one thing that may differ.
type property struct{ section, name string }

// differ finds the properties that are not the same in all runs.
func (c *Comparison) differ(runs []map[property]string) {
	all := map[property]bool{}
	for _, m := range runs {
		for p := range m {
			all[p] = true
		}
	}
	list := slices.SortedFunc(maps.Keys(all), func(a, b property) int {
		if d := slices.Index(Sections, a.section) - slices.Index(Sections, b.section); d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
	for _, p := range list {
		d, same := Difference{Section: p.section, Name: p.name}, true
		for _, m := range runs {
			var value *string
			if v, ok := m[p]; ok {
				value = &v
			}
			d.Values = append(d.Values, value)
			first := d.Values[0]
			same = same && value != nil && first != nil && *value == *first
		}
		if same {
			c.Same++
			c.Alike = append(c.Alike, d)
			continue
		}
		c.Differences = append(c.Differences, d)
	}
}

// propertiesOf is what a run was made of, as far as it knows.
func propertiesOf(run record.Run) map[property]string {
	m := map[property]string{}
	put := func(section, name, value string) {
		if value != "" {
			m[property{section, name}] = value
		}
	}
	put(InEnvironment, "host", run.Host)
	put(InEnvironment, "vigil", run.Vigil)
	put(InEnvironment, "framework", strings.TrimSpace(run.Framework.Name+" "+run.Framework.Version))
	put(InEnvironment, "workers", counted(len(run.Workers)))
	put(InCode, "directory", run.Directory)
	for key, value := range run.Tags {
		put(InConfiguration, "tag "+key, value)
	}
	ofFacts(run, put)
	script := scriptOf(run.Command)
	put(InCode, "script", script)
	if !ofProvenance(run, put) {
		for key, value := range provenance.Hyperparameters(run.Command, script) {
			put(InConfiguration, key, value)
		}
	}
	return m
}

// counted is a number, or nothing for none.
func counted(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// ofFacts are the parts of the facts that say how a training is made: model, loss
// and optimisers, not what was measured.
func ofFacts(run record.Run, put func(section, name, value string)) {
	f, err := run.KnownFacts()
	if err != nil || f == nil {
		return
	}
	for i := range f.Models {
		m := &f.Models[i]
		name := numbered("model", i)
		put(InTraining, name, m.Class)
		put(InTraining, name+" parameters", strconv.FormatInt(m.Parameters, 10))
		put(InTraining, name+" trained parameters", strconv.FormatInt(m.Trained, 10))
	}
	for i := range f.Optimisers {
		o := &f.Optimisers[i]
		name := numbered("optimiser", i)
		put(InTraining, name, o.Class)
		put(InTraining, name+" lr", rateSet(o))
		for j, g := range o.Groups {
			group := name
			if len(o.Groups) > 1 {
				group += fmt.Sprintf(" group %d", j)
				put(InTraining, group+" lr", floatText(g.LR))
			}
			put(InTraining, group+" weight decay", floatText(g.WeightDecay))
			put(InTraining, group+" momentum", floatText(g.Momentum))
			put(InTraining, group+" eps", floatText(g.Eps))
			if len(g.Betas) > 0 {
				put(InTraining, group+" betas", fmt.Sprint(g.Betas))
			}
		}
	}
	if l := f.Loss; l != nil {
		put(InTraining, "loss", strings.TrimSpace(l.Function+" "+l.Reduction))
		for key, value := range l.Settings {
			put(InTraining, "loss "+key, fmt.Sprint(value))
		}
	}
	if in := f.Inputs; in != nil {
		for i, t := range in.Tensors {
			put(InTraining, numbered("input", i), fmt.Sprintf("%s %v", t.DType, t.Shape))
		}
	}
	if b := f.Boosting; b != nil {
		put(InTraining, "booster", b.Booster)
		put(InTraining, "objective", b.Objective)
		for key, value := range b.Hyperparameters {
			put(InTraining, "xgboost "+key, jsonText(value))
		}
	}
	put(InTraining, "step", f.Step)
}

func numbered(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s %d", name, i+1)
}

// rateSet is the rate that the script set: the momentary one depends on when it was read.
func rateSet(o *record.OptimiserFacts) string {
	if o.Set != nil {
		return floatText(o.Set) + ", scheduled"
	}
	return floatText(o.LR)
}

// floatText is a number in six digits, or nothing.
func floatText(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', 6, 64)
}

// jsonText is a JSON value without the quotes of a string.
func jsonText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// changesText tells the differences from the commit that a run was started with from
// those of another run, where they are stored.
func changesText(t source.Run) string {
	d, ok := t.(interface{ Diff() []byte })
	if !ok {
		return ""
	}
	diff := d.Diff()
	if len(diff) == 0 {
		return ""
	}
	lines := "lines"
	n := bytes.Count(diff, []byte("\n"))
	if n == 1 {
		lines = "line"
	}
	return fmt.Sprintf("%d %s (%08x)", n, lines, crc32.ChecksumIEEE(diff))
}

// sectionOf says where parts of a provenance are read.
var sectionOf = map[string]string{"git": InCode, "config": InConfiguration, "hyperparameters": InConfiguration, "packages": InPackages}

// ofProvenance takes what run.json says under provenance apart, and reports whether
// it says which options the script was given.
func ofProvenance(run record.Run, put func(section, name, value string)) (options bool) {
	b, err := json.Marshal(run)
	if err != nil {
		return false
	}
	var doc struct {
		Provenance map[string]any `json:"provenance"`
	}
	if json.Unmarshal(b, &doc) != nil {
		return false
	}
	for part, value := range doc.Provenance {
		section, known := sectionOf[part]
		prefix := ""
		if !known {
			section, prefix = InEnvironment, part
		}
		if part == "config" {
			prefix = "config"
		}
		flatten(prefix, value, func(name, value string) {
			if part != "git" || name != "diff" { // a file's name; changesText has what is in it
				put(section, name, value)
			}
		})
	}
	_, options = doc.Provenance["hyperparameters"]
	return options
}

// flatten gives each leaf of a JSON value the name that leads to it: optimizer.lr.
func flatten(name string, value any, leaf func(name, value string)) {
	join := func(key string) string {
		if name == "" {
			return key
		}
		return name + "." + key
	}
	switch v := value.(type) {
	case map[string]any:
		for key, x := range v {
			flatten(join(key), x, leaf)
		}
	case []any:
		if slices.ContainsFunc(v, func(x any) bool { _, deep := x.(map[string]any); return deep }) {
			for i, x := range v {
				flatten(join(strconv.Itoa(i)), x, leaf)
			}
			return
		}
		b, _ := json.Marshal(v)
		leaf(name, string(b))
	case string:
		leaf(name, v)
	case nil:
	default:
		b, _ := json.Marshal(v)
		leaf(name, string(b))
	}
}

// scriptOf is the word of a command that names the script.
func scriptOf(command []string) string {
	for i, w := range command {
		if strings.HasSuffix(w, ".py") || i > 0 && command[i-1] == "-m" {
			return w
		}
	}
	if len(command) > 0 {
		return command[0]
	}
	return ""
}

// join brings the series of the runs together: losses first, then the numbers that
// scripts gave, in the order of the first run that has them.
func (c *Comparison) join(runs []source.Run, points int) error {
	type key struct {
		name string
		mode record.Mode
	}
	var order []key
	courses, losses := map[key][]*Course{}, []string{}
	for i, t := range runs {
		read := newCourses(t)
		losses = append(losses, lossNames(t)...)
		for _, name := range courseNames(t) {
			for _, mode := range t.Modes() {
				one, err := read.whole(source.Query{Tensor: name, Stat: "value", Mode: mode})
				if err != nil {
					return fmt.Errorf("compare run %q: %w", c.Runs[i].Name, err)
				}
				if len(one.steps) == 0 {
					continue
				}
				k := key{name, mode}
				if courses[k] == nil {
					courses[k] = make([]*Course, len(runs))
					order = append(order, k)
				}
				courses[k][i] = newCourse(one, points)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b key) int {
		rank := func(k key) int { return map[bool]int{true: 0, false: 1}[k.name == "loss"] }
		return rank(a) - rank(b)
	})
	for _, k := range order {
		have := 0
		for _, course := range courses[k] {
			if course != nil {
				have++
			}
		}
		if have < 2 {
			c.Alone = append(c.Alone, fmt.Sprintf("%s (%s)", k.name, k.mode))
			continue
		}
		c.Series = append(c.Series, SharedSeries{Name: k.name, Mode: k.mode, Loss: slices.Contains(losses, k.name), Of: courses[k]})
	}
	return nil
}

// digests is how series begin by which ranks are compared with each other.
const digests = "digest/"

// courseNames are the series of a run that say how it went.
func courseNames(t source.Run) []string {
	infos := t.Tensors()
	var names []string
	known := map[string]bool{}
	for _, kind := range []record.Kind{record.Loss, record.Metric} {
		for _, info := range infos {
			if info.Kind == kind && info.AliasOf == "" && !known[info.Name] && !ofBoosting(info) && !strings.HasPrefix(info.Name, digests) {
				known[info.Name] = true
				names = append(names, info.Name)
			}
		}
	}
	return names
}

func newCourse(one course, points int) *Course {
	steps, values := one.steps, one.values
	c := &Course{Points: len(steps), Last: record.Number(values[len(values)-1]), At: steps[len(steps)-1], Min: record.Number(math.NaN()), Max: record.Number(math.NaN())}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) && !one.open {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	if low <= high {
		c.Min, c.Max = record.Number(low), record.Number(high)
	}
	c.Steps, values = thin(steps, values, points)
	c.Values = make([]record.Number, len(values))
	for i, v := range values {
		c.Values[i] = record.Number(v)
	}
	return c
}
