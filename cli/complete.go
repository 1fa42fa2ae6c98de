package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/vigil-ml/vigil/internal/demo"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
	"github.com/vigil-ml/vigil/rule"
)

// completeCmd answers a shell's question. After "--" stand the words of the
// command line behind the program's name, up to the cursor; the last one is the
// word that is being written, and may be empty.
//
// The first line of the answer is what may come: "words", and then they stand
// on lines of their own, each with a tab and what it means where that is known;
// "files"; "dirs"; or "command N", a command of the user's that begins with the
// N-th word, counted from zero.
type completeCmd struct{}

// Run prints the answer.
func (completeCmd) Run(a *app, ctx *kong.Context) error {
	kind, list := complete(ctx.Model.Node, a.rest)
	if _, err := fmt.Fprintln(a.stdout, kind); err != nil {
		return err
	}
	for _, w := range list {
		line := w.text
		if w.about != "" {
			line += "\t" + w.about
		}
		if _, err := fmt.Fprintln(a.stdout, line); err != nil {
			return err
		}
	}
	return nil
}

// candidate is a word that may be written, and what it means.
type candidate struct{ text, about string }

func candidates(list ...string) []candidate {
	var out []candidate
	for _, text := range list {
		out = append(out, candidate{text: text})
	}
	return out
}

// What may come next.
const (
	theseWords = "words"
	anyFile    = "files"
	anyDir     = "dirs"
)

// typed is a command line as far as it is written.
type typed struct {
	node    *kong.Node
	given   map[string]string // flags with their last values
	args    []string          // positional arguments of the command
	open    *kong.Flag        // whose value comes next
	command int               // index of the first word of the user's command, or -1
}

// readTyped understands the words that are complete.
func readTyped(root *kong.Node, words []string) *typed {
	l := &typed{node: root, given: map[string]string{}, command: -1}
	for i, w := range words {
		switch {
		case l.open != nil:
			l.given[l.open.Name], l.open = w, nil
		case w == "--":
			l.command = i + 1
			return l
		case strings.HasPrefix(w, "-"):
			name, value, whole := strings.Cut(strings.TrimLeft(w, "-"), "=")
			flag := l.flag(name)
			l.given[name] = value
			if flag != nil && !whole && !flag.IsBool() {
				l.open = flag
			}
		case child(l.node, w) != nil:
			l.node = child(l.node, w)
		case len(l.node.Positional) > 0 && l.node.Positional[0].PassthroughMode != kong.PassThroughModeNone:
			l.command = i
			return l
		default:
			l.args = append(l.args, w)
		}
	}
	return l
}

// flags are those of the command that can be seen.
func (l *typed) flags() []*kong.Flag {
	var out []*kong.Flag
	for _, group := range l.node.AllFlags(true) {
		out = append(out, group...)
	}
	return out
}

func (l *typed) flag(name string) *kong.Flag {
	for _, f := range l.flags() {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// complete is what may come in the place of the last word.
func complete(root *kong.Node, words []string) (kind string, list []candidate) {
	if len(words) == 0 {
		words = []string{""}
	}
	before, current := words[:len(words)-1], words[len(words)-1]
	l := readTyped(root, before)
	name, value, whole := strings.Cut(current, "=")
	switch {
	case l.command >= 0:
		return fmt.Sprintf("command %d", l.command), nil
	case l.open != nil:
		return l.values(l.open.Value, current)
	case strings.HasPrefix(current, "-") && whole:
		flag := l.flag(strings.TrimLeft(name, "-"))
		if flag == nil {
			return theseWords, nil
		}
		kind, list = l.values(flag.Value, value)
		for i := range list {
			list[i].text = name + "=" + list[i].text
		}
		return kind, list
	case strings.HasPrefix(current, "-"):
		return theseWords, l.unused()
	}
	for _, c := range l.node.Children {
		if !c.Hidden {
			list = append(list, candidate{c.Name, c.Help})
		}
	}
	if len(list) > 0 || len(l.node.Positional) == 0 {
		return theseWords, list
	}
	at := min(len(l.args), len(l.node.Positional)-1)
	if p := l.node.Positional[at]; at == len(l.args) || p.IsCumulative() {
		return l.values(p, current)
	}
	return theseWords, nil
}

// unused are the flags that may still be given.
func (l *typed) unused() []candidate {
	var out []candidate
	for _, f := range l.flags() {
		if _, given := l.given[f.Name]; given && !f.IsCumulative() {
			continue
		}
		text := "--" + f.Name
		if f.Tag.Negatable != "" {
			out = append(out, candidate{"--no-" + f.Name, f.Help})
			continue
		}
		out = append(out, candidate{text, f.Help})
	}
	return out
}

// values is what may stand for a flag's value or an argument, by what the help
// calls it.
func (l *typed) values(v *kong.Value, current string) (kind string, list []candidate) {
	what := v.Tag.PlaceHolder
	switch {
	case what == "FILE":
		return anyFile, nil
	case what == "DIR":
		return anyDir, nil
	case what == "RUN":
		list = l.runs()
		if len(l.args) == 0 && len(l.node.Positional) > 1 && ofTensors(l.node.Positional[1]) {
			list = append(list, l.tensors("")...) // of the newest run, which may be left out
		}
		if !anyBegins(list, current) {
			return anyDir, nil
		}
	case ofTensors(v):
		if len(l.args) > 0 {
			list = l.tensors(l.args[0])
		}
	case what == "SHELL":
		list = candidates(shells...)
	case what == "COMMAND":
		list = l.helpOf()
	case what == "MODE":
		list = candidates(modeNames...)
	case what == "FORMAT":
		list = candidates(formats...)
	case what == "SEVERITY":
		list = candidates(severityNames()...)
	case what == "SET":
		list = inList(current, candidates(rules.Sets...))
	case v.Flag != nil && v.Name == "status":
		list = inList(current, candidates(statuses...))
	case v.Name == "sort":
		list = candidates(slices.Sorted(maps.Keys(sorts))...)
	case v.Name == "finding":
		list = ruleWords()
	case v.Name == "stop-on":
		list = inList(current, append(candidates(severityNames()...), ruleWords()...))
	case v.Name == "fault":
		for _, name := range demo.Faults() {
			if f, err := demo.Lookup(name); err == nil {
				list = append(list, candidate{name, f.About})
			}
		}
	case v.Name == "rule" || v.Name == "add-rule":
		list = ruleSpecs(current)
	case v.Name == "collect":
		list = candidates(plan.Names()...)
	case what == "NAME[/CHECK]":
		list = checkWords(current)
	case v.Name == "workers":
		list = candidates("all", "chief")
	case v.Enum != "":
		list = candidates(v.EnumSlice()...)
	}
	return theseWords, list
}

func severityNames() []string {
	return []string{string(record.Error), string(record.Warning), string(record.Info), "never"}
}

func anyBegins(list []candidate, current string) bool {
	for _, w := range list {
		if strings.HasPrefix(w.text, current) {
			return true
		}
	}
	return false
}

// inList completes the last name of a list that commas join.
func inList(current string, list []candidate) []candidate {
	head := current[:strings.LastIndexByte(current, ',')+1]
	given := strings.Split(head, ",")
	var out []candidate
	for _, w := range list {
		if !contains(given, w.text) {
			out = append(out, candidate{head + w.text, w.about})
		}
	}
	return out
}

// definitions are all rules: Vigil's, and those of the configuration here.
func definitions() []*rule.Definition {
	all := rules.Catalogue()
	own, err := ownRules()
	if err != nil { // a configuration that is wrong keeps nobody from the others
		own = nil
	}
	for _, o := range own {
		all = append(all[:len(all):len(all)], o.def)
	}
	return all
}

func ruleWords() []candidate {
	var out []candidate
	for _, d := range definitions() {
		out = append(out, candidate{d.Name, d.Summary})
	}
	return out
}

// ruleSpecs complete NAME:key=value,key=value: the name, then its keys.
func ruleSpecs(current string) []candidate {
	name, settings, named := strings.Cut(current, ":")
	if !named {
		return ruleWords()
	}
	var out []candidate
	for _, d := range definitions() {
		if d.Name != name {
			continue
		}
		head := name + ":" + settings[:strings.LastIndexByte(settings, ',')+1]
		for _, p := range d.AllParameters() {
			out = append(out, candidate{head + p.Name + "=", p.Meaning})
		}
	}
	return out
}

// checkWords complete RULE or RULE/CHECK.
func checkWords(current string) []candidate {
	name, _, named := strings.Cut(current, "/")
	if !named {
		return ruleWords()
	}
	var out []candidate
	for _, d := range definitions() {
		if d.Name == name {
			for _, c := range rules.Checks(d) {
				out = append(out, candidate{c.ID, c.When})
			}
		}
	}
	return out
}

// ofTensors reports whether a value names tensors.
func ofTensors(v *kong.Value) bool {
	return v.Tag.PlaceHolder == "TENSOR" || v.Tag.PlaceHolder == "NAME_REGEX"
}

// runs are those that the line does not name yet, and the word for the newest.
func (l *typed) runs() []candidate {
	names := runNames(rootFlag{l.given["dir"]}.root())
	var out []candidate
	for _, name := range names {
		if !contains(l.args, name) {
			out = append(out, candidate{text: name})
		}
	}
	if len(names) > 0 {
		out = append(out, candidate{newest, "the newest run"})
	}
	return out
}

// tensors are those of a run, as the user names it.
func (l *typed) tensors(run string) []candidate {
	path, _, err := findRun(rootFlag{l.given["dir"]}.root(), run)
	if err != nil {
		return nil
	}
	t, err := openRun(run, path)
	if err != nil {
		return nil
	}
	defer t.Close()
	var out []candidate
	for _, info := range t.Tensors() {
		if printable(info.Name) == info.Name {
			out = append(out, candidate{text: info.Name})
		}
	}
	return out
}

// helpOf are the commands below those that `vigil help` already names.
func (l *typed) helpOf() []candidate {
	root := l.node
	for root.Parent != nil {
		root = root.Parent
	}
	for _, name := range l.args {
		if root = child(root, name); root == nil {
			return nil
		}
	}
	var out []candidate
	for _, c := range root.Children {
		if !c.Hidden {
			out = append(out, candidate{c.Name, c.Help})
		}
	}
	return out
}
