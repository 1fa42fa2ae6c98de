// Package ruletest runs unit tests of rules: series and tensors that are
// written by hand, or recorded runs, and the findings that are expected of
// them. The values go the way that captured ones go: what the rules need is
// planned, measured and judged as it is live.
package ruletest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/vigil-ml/vigil/internal/config"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// maxFile is the most bytes that a file of tests may have.
const maxFile = 1 << 20

// File is a file of tests that has been read.
type File struct {
	Name  string
	tests []*test
}

// document is the file as it is written.
type document struct {
	Config string  `yaml:"config"` // a configuration file whose rules are tested
	Rule   any     `yaml:"rule"`   // rules, as in a configuration file
	Tests  []*test `yaml:"tests"`
}

// test is one case.
type test struct {
	Name    string     `yaml:"name"`
	Rule    texts      `yaml:"rule"`
	Run     string     `yaml:"run"`
	Series  []series   `yaml:"series"`
	Tensors []tensorIn `yaml:"tensors"`
	Facts   any        `yaml:"facts"`
	Expect  []expected `yaml:"expect"`
	Status  string     `yaml:"status"`
	Details string     `yaml:"details"`
	configs []rules.Config
	path    string // of the recorded run
	facts   *record.Facts
}

// Place says where the values of a series stand.
type Place struct {
	Name   string `yaml:"name"`
	Kind   string `yaml:"kind"`
	Mode   string `yaml:"mode"`
	Worker string `yaml:"worker"`
	Start  int64  `yaml:"start"` // mode step of the first value
	Every  int64  `yaml:"every"` // mode steps from one value to the next
	mode   record.Mode
}

// series is a scalar over steps.
type series struct {
	Place  `yaml:",inline"`
	Values points `yaml:"values"`
}

// tensorIn is a tensor over steps, with its elements.
type tensorIn struct {
	Place      `yaml:",inline"`
	Shape      []int64 `yaml:"shape"`
	ModuleType string  `yaml:"module_type"`
	Rows       []row   `yaml:"rows"`
}

// texts is a text, or a list of them.
type texts []string

// UnmarshalYAML takes a text or a list.
func (t *texts) UnmarshalYAML(decode func(any) error) error {
	var one string
	if decode(&one) == nil {
		*t = texts{one}
		return nil
	}
	var list []string
	err := decode(&list)
	*t = list
	return err
}

// Load reads a file of tests and checks all that it names. The error is a
// *config.UsageError.
func Load(path string, cat config.Catalogue) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &config.UsageError{Message: fmt.Sprintf("read tests: %v", err), What: path, Hint: "name a file of tests: docs/rule-tests.md shows one"}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, &config.UsageError{Message: fmt.Sprintf("read tests: %v", err), What: path}
	}
	return parse(data, path, cat)
}

func parse(data []byte, path string, cat config.Catalogue) (*File, error) {
	fail := func(format string, args ...any) error {
		return &config.UsageError{Message: path + ": " + fmt.Sprintf(format, args...), What: path}
	}
	if len(data) > maxFile {
		return nil, fail("the file is larger than %d KiB", maxFile>>10)
	}
	known, err := config.ParseRules(data, path, cat) // which also bounds how deep it is nested
	if err != nil {
		return nil, err
	}
	var d document
	if err := decode(data, &d); err != nil {
		return nil, misread(data, path, err)
	}
	if len(d.Tests) == 0 {
		return nil, fail("there are no tests in it: write tests: and a list")
	}
	if d.Config != "" {
		name := beside(path, d.Config)
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fail("read configuration: %v", err)
		}
		more, err := config.ParseRules(text, name, cat)
		if err != nil {
			return nil, err
		}
		known = append(known, more...)
	}
	for i, t := range d.Tests {
		if t == nil || t.Name == "" {
			return nil, fail("test %d has no name", i+1)
		}
		if err := t.finish(path, cat, known); err != nil {
			return nil, err
		}
	}
	return &File{Name: path, tests: d.Tests}, nil
}

// decode reads strictly; what makes the reader panic is an error, too.
func decode(data []byte, d *document) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("this is not YAML that can be read (%v)", r)
		}
	}()
	err = yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(d)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// misread gives an error of the reader its place, and names the field that one
// that is not known was meant to be.
func misread(data []byte, path string, err error) error {
	at, text, hint := path, err.Error(), ""
	var y yaml.Error
	if errors.As(err, &y) {
		text = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			at = fmt.Sprintf("%s:%d:%d", path, t.Position.Line, t.Position.Column)
		}
		if unknown := (*yaml.UnknownFieldError)(nil); errors.As(err, &unknown) {
			hint = meant(data, unknown.Token)
		}
	}
	return &config.UsageError{Message: at + ": " + text, What: at, Hint: hint}
}

// next to is a path as seen from the file that names it.
func beside(file, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(file), name)
}

// finish checks a test and finds its rules.
func (t *test) finish(path string, cat config.Catalogue, known []config.RuleConfig) error {
	at := fmt.Sprintf("%s: test %q", path, t.Name)
	fail := func(format string, args ...any) error {
		return &config.UsageError{Message: at + ": " + fmt.Sprintf(format, args...), What: t.Name}
	}
	list := known
	if len(t.Rule) > 0 {
		list = nil
		for _, spec := range t.Rule {
			rc, err := config.ParseRule(spec, at, cat, known)
			if err != nil {
				return err
			}
			list = append(list, rc)
		}
	}
	if len(list) == 0 {
		return fail("it names no rule: write rule: NAME")
	}
	for _, rc := range list {
		c := rules.Named(rules.Config{Rule: rc.Rule, Configuration: rc.Configuration, Params: rc.Params})
		if err := rules.Check(c); err != nil {
			return fail("%v", err)
		}
		t.configs = append(t.configs, c)
	}
	if t.Status != "" && !slices.Contains(statuses, t.Status) {
		return fail("unknown status %q; known are %s", t.Status, strings.Join(statuses, ", "))
	}
	if (t.Status != "" || t.Details != "") && len(t.configs) > 1 {
		return fail("status and details are of one rule, and it has %d", len(t.configs))
	}
	recorded := t.Run != ""
	if recorded == (len(t.Series)+len(t.Tensors) > 0 || t.Facts != nil) {
		return fail("it needs either series, tensors and facts, or a recorded run")
	}
	var err error
	if t.facts, err = readFacts(t.Facts); err != nil {
		return fail("facts: %v", err)
	}
	if recorded {
		t.path = beside(path, t.Run)
	}
	total := 0
	for i := range t.Series {
		s := &t.Series[i]
		if err := s.check(); err != nil {
			return fail("series %q: %v", s.Name, err)
		}
		total += s.Values.n
	}
	for i := range t.Tensors {
		x := &t.Tensors[i]
		if err := x.check(); err != nil {
			return fail("tensor %q: %v", x.Name, err)
		}
		for _, r := range x.Rows {
			total += r.Times * max(1, r.Values.n)
		}
		if total > maxPoints {
			return fail("there are more than %d values in it", maxPoints)
		}
		if err := x.fits(); err != nil {
			return fail("tensor %q: %v", x.Name, err)
		}
	}
	if total > maxPoints {
		return fail("there are more than %d values in it", maxPoints)
	}
	for i := range t.Expect {
		if err := t.Expect[i].check(); err != nil {
			return fail("expected finding %d: %v", i+1, err)
		}
	}
	return nil
}

var statuses = []string{rules.InProgress, rules.NoIssuesFound, rules.IssuesFound, rules.StatusError, rules.Stopped}

var kinds = []record.Kind{
	record.Weight, record.Bias, record.Gradient, record.Loss, record.Input, record.Output, record.Label, record.Prediction, record.State, record.Metric, record.Custom, record.Samples, record.Training,
}

// far is beyond any step that a test may name.
const far = 1 << 40

// check fills in what was left out.
func (p *Place) check() (err error) {
	if p.Name == "" {
		return errors.New("it has no name")
	}
	if p.Kind != "" && !slices.Contains(kinds, record.Kind(p.Kind)) {
		return fmt.Errorf("unknown kind %q; known are %v", p.Kind, kinds)
	}
	if p.Every == 0 {
		p.Every = 1
	}
	if p.Start < 0 || p.Every < 0 || p.Start > far || p.Every > far {
		return fmt.Errorf("start %d and every %d must be numbers from 0 to %d", p.Start, p.Every, int64(far))
	}
	if p.Worker == "" {
		p.Worker = "worker_0"
	}
	p.mode, err = readMode(p.Mode, record.Train)
	return err
}

func readMode(text string, otherwise record.Mode) (record.Mode, error) {
	if text == "" {
		return otherwise, nil
	}
	for _, m := range []record.Mode{record.Train, record.Eval, record.Predict, record.Global} {
		if strings.EqualFold(m.String(), text) {
			return m, nil
		}
	}
	return 0, fmt.Errorf("unknown mode %q; known are train, eval, predict, global", text)
}

// fits checks that all rows have the size of the shape.
func (x *tensorIn) fits() error {
	for i, r := range x.Rows {
		size := int64(r.Values.n)
		if x.Shape != nil {
			n := int64(1)
			for _, d := range x.Shape {
				if d < 0 || d > maxPoints {
					return fmt.Errorf("shape %v cannot be", x.Shape)
				}
				if n *= d; n > maxPoints {
					return fmt.Errorf("shape %v is too large", x.Shape)
				}
			}
			if n != size {
				return fmt.Errorf("row %d has %d values, its shape %v has %d", i+1, size, x.Shape, n)
			}
		}
		if slices.ContainsFunc(r.Values.runs, func(p run) bool { return p.missing }) {
			return fmt.Errorf("row %d: an element cannot be left out", i+1)
		}
	}
	return nil
}
