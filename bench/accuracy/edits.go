package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

// edited is the folder of programs from which others are made: next to NAME.py,
// which is sound, NAME.yaml lists what people change in it.
const edited = "edited"

// variant is one program that is made from another by a few changes.
type variant struct {
	Name    string   `yaml:"name"`
	Fault   string   `yaml:"fault"`
	Causes  string   `yaml:"cause_class,omitempty"`
	Split   string   `yaml:"split,omitempty"` // default: that of the program it is made from
	Alarm   string   `yaml:"alarm,omitempty"`
	Set     string   `yaml:"set,omitempty"` // who made the change
	Changes []change `yaml:"changes"`
}

// change puts one text, which is in the program once, in the place of another.
type change struct {
	Old string `yaml:"old"`
	New string `yaml:"new"`
}

// discoverEdited reads the programs of the folder and makes those that are
// made from them. Their paths are those that they would have in the suite.
func discoverEdited(dir string) ([]Program, error) {
	names, err := filepath.Glob(filepath.Join(dir, edited, "*.py"))
	if err != nil {
		return nil, err
	}
	var programs []Program
	for _, name := range names {
		made, err := makeEdited(name)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", filepath.Join(edited, filepath.Base(name)), err)
		}
		programs = append(programs, made...)
	}
	return programs, nil
}

// makeEdited gives the program of the file and all that are made from it.
func makeEdited(name string) ([]Program, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	base, err := parseHeader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if !base.Healthy() {
		return nil, fmt.Errorf("header: fault %q: what others are made from has none", base.Fault)
	}
	stem := strings.TrimSuffix(filepath.Base(name), ".py")
	base.Text = text
	base.Path = base.at(stem)
	programs := []Program{base}
	list, err := os.ReadFile(strings.TrimSuffix(name, ".py") + ".yaml")
	if err != nil {
		return nil, err
	}
	var variants []variant
	if err := yaml.UnmarshalWithOptions(list, &variants, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read its changes: %w", err)
	}
	known := map[string]bool{stem: true}
	for _, v := range variants {
		if known[v.Name] {
			return nil, fmt.Errorf("changes: %q stands there twice", v.Name)
		}
		known[v.Name] = true
		p, err := v.apply(base)
		if err != nil {
			return nil, fmt.Errorf("changes: %q: %w", v.Name, err)
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// at is the path of a program of that name in the suite.
func (p Program) at(stem string) string {
	top := "faulty"
	if p.Healthy() {
		top = "healthy"
	}
	return top + "/" + p.Family + "/" + stem + ".py"
}

// apply makes the program.
func (v variant) apply(base Program) (Program, error) {
	if v.Name == "" || strings.ContainsAny(v.Name, `/\.`) {
		return Program{}, fmt.Errorf("is no name of a program")
	}
	if len(v.Changes) == 0 {
		return Program{}, fmt.Errorf("changes nothing")
	}
	_, body := splitHeader(string(base.Text))
	for _, c := range v.Changes {
		if n := strings.Count(body, c.Old); c.Old == "" || n != 1 {
			return Program{}, fmt.Errorf("%q stands there %d times; it has to be once", c.Old, n)
		}
		body = strings.Replace(body, c.Old, c.New, 1)
	}
	var head strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&head, "# %s: %s\n", key, value)
		}
	}
	split := base.Split
	if v.Split != "" {
		split = v.Split
	}
	line("fault", v.Fault)
	line("cause_class", v.Causes)
	line("family", base.Family)
	line("split", split)
	line("needs", strings.Join(base.Needs, ", "))
	line("alarm", v.Alarm)
	line("set", v.Set)
	text := head.String() + body
	p, err := parseHeader(strings.NewReader(text))
	if err != nil {
		return Program{}, err
	}
	p.Text = []byte(text)
	p.Path = p.at(v.Name)
	return p, nil
}

// splitHeader parts a program into its header and the rest.
func splitHeader(text string) (head, body string) {
	for body = text; ; {
		line, rest, found := strings.Cut(body, "\n")
		if !found || !headerLine.MatchString(line) {
			return text[:len(text)-len(body)], body
		}
		body = rest
	}
}

// script is the file that is run: the program's own, or one that is written into dir.
func (p Program) script(suite, dir string) (string, error) {
	if p.Text == nil {
		return filepath.Join(suite, filepath.FromSlash(p.Path)), nil
	}
	name := filepath.Join(dir, filepath.Base(p.Path))
	return name, os.WriteFile(name, p.Text, 0o644)
}
