package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// healthy is the name of no fault.
const healthy = "none"

// A family is one word; the folder's name keeps it from being misspelt.
var family = regexp.MustCompile(`^[a-z]+$`)

// authorship is who wrote a program, and whether the checks were known to them.
var authorship = regexp.MustCompile(`^([a-z][a-z0-9-]*), (unseen|seen)$`)

var splits = []string{"tune", "held"}

// module is the name of a package that can be imported.
var module = regexp.MustCompile(`^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*$`)

// headerLine is one line of a header. A comment of more words is the author's.
var headerLine = regexp.MustCompile(`^# ([a-z_]+):(.*)$`)

// Program is one training script and what its header says of it.
type Program struct {
	Path   string   // relative to the suite's folder, with slashes
	Fault  string   // "none" or the fault's name
	Causes []string // cause classes that are right, the best first
	Family string
	Split  string
	Hint   bool     // the fault is only worth knowing: no alarm is asked for
	Author string   // who wrote it; "" where that is not known
	Unseen bool     // the author knew neither the rules nor their checks
	Needs  []string // packages besides PyTorch that it imports
	Aim    aim      // what a healthy program reaches, if it says so
	Text   []byte   // of a program that lies in no file of its own
}

// Healthy reports whether the program has no fault.
func (p Program) Healthy() bool { return p.Fault == healthy }

// Name is the program's path without its ending.
func (p Program) Name() string { return strings.TrimSuffix(p.Path, ".py") }

// parseHeader reads the comments `# key: value` that a program begins with. The
// header ends at the first line that is not one.
func parseHeader(r io.Reader) (Program, error) {
	var p Program
	seen := map[string]bool{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		m := headerLine.FindStringSubmatch(lines.Text())
		if m == nil {
			break
		}
		key, value := m[1], strings.TrimSpace(m[2])
		if seen[key] {
			return p, fmt.Errorf("header: %q stands there twice", key)
		}
		seen[key] = true
		if err := p.set(key, value); err != nil {
			return p, fmt.Errorf("header: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return p, fmt.Errorf("header: %w", err)
	}
	for _, key := range []string{"fault", "family", "split"} {
		if !seen[key] {
			return p, fmt.Errorf("header: %q is missing", key)
		}
	}
	if stated := len(p.Aim.stated); stated > 0 && (stated < 3 || !p.Healthy()) {
		return p, fmt.Errorf("header: metric, baseline and reaches belong together, in a program without a fault")
	}
	if err := p.Aim.check(); err != nil {
		return p, fmt.Errorf("header: %w", err)
	}
	switch {
	case p.Healthy() && (len(p.Causes) > 0 || p.Hint):
		return p, fmt.Errorf("header: a program without a fault has no cause_class or alarm")
	case !p.Healthy() && len(p.Causes) == 0:
		return p, fmt.Errorf("header: %q is missing", "cause_class")
	}
	return p, nil
}

func (p *Program) set(key, value string) error {
	if value == "" {
		return fmt.Errorf("%q is empty", key)
	}
	switch key {
	case "fault":
		p.Fault = value
	case "cause_class":
		for c := range strings.SplitSeq(value, ",") {
			c = strings.TrimSpace(c)
			if !slices.Contains(rule.CauseClasses, c) {
				return fmt.Errorf("unknown cause class %q; known: %s", c, strings.Join(rule.CauseClasses, ", "))
			}
			p.Causes = append(p.Causes, c)
		}
	case "family":
		if !family.MatchString(value) {
			return fmt.Errorf("family %q is not one word of small letters", value)
		}
		p.Family = value
	case "split":
		if !slices.Contains(splits, value) {
			return fmt.Errorf("unknown split %q; known: %s", value, strings.Join(splits, ", "))
		}
		p.Split = value
	case "needs":
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.TrimSpace(name); !module.MatchString(name) {
				return fmt.Errorf("needs names %q, which is no package that can be imported", name)
			}
			p.Needs = append(p.Needs, name)
		}
	case "set":
		m := authorship.FindStringSubmatch(value)
		if m == nil {
			return fmt.Errorf("set is %q; it is the author's name, a comma, and \"unseen\" or \"seen\"", value)
		}
		p.Author, p.Unseen = m[1], m[2] == "unseen"
	case "alarm":
		if value != "no" {
			return fmt.Errorf("alarm is %q; it can only be \"no\"", value)
		}
		p.Hint = true
	case "metric", "baseline", "reaches":
		return p.Aim.set(key, value)
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	return nil
}

// discover reads all programs below the suite's folder, in the order of their
// paths, then those that are made from others. A program whose place and header disagree is refused.
func discover(dir string) ([]Program, error) {
	var programs []Program
	for _, top := range []string{"faulty", "healthy"} {
		err := filepath.WalkDir(filepath.Join(dir, top), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) != ".py" {
				return err
			}
			rel, err := filepath.Rel(dir, name)
			if err != nil {
				return err
			}
			p, err := readProgram(name)
			if err != nil {
				return fmt.Errorf("read %q: %w", rel, err)
			}
			p.Path = filepath.ToSlash(rel)
			if err := p.place(); err != nil {
				return fmt.Errorf("read %q: %w", rel, err)
			}
			programs = append(programs, p)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	made, err := discoverEdited(dir)
	if err != nil {
		return nil, err
	}
	programs = append(programs, made...)
	known := map[string]bool{}
	for _, p := range programs {
		if known[p.Path] {
			return nil, fmt.Errorf("read %q: the suite has two of that name", p.Path)
		}
		known[p.Path] = true
	}
	return programs, nil
}

func readProgram(name string) (Program, error) {
	f, err := os.Open(name)
	if err != nil {
		return Program{}, err
	}
	defer f.Close()
	return parseHeader(f)
}

// place compares what the header says with where the program lies.
func (p Program) place() error {
	top, _, _ := strings.Cut(p.Path, "/")
	folder := path.Dir(p.Path)
	switch {
	case p.Healthy() != (top == "healthy"):
		return fmt.Errorf("header: fault %q does not belong below %s/", p.Fault, top)
	case path.Base(folder) != p.Family:
		return fmt.Errorf("header: family %q does not belong into %s/", p.Family, folder)
	}
	return nil
}
