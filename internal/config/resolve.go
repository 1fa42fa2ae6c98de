package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/notify"
	"github.com/vigil-ml/vigil/internal/plan"
)

// File is the configuration file that is read when none is named.
const File = "vigil.yaml"

// layer is what one source says.
type layer struct {
	scalars []setting
	rules   []RuleConfig
	collect []plan.Collection
	mutes   []Mute
	actions []action
	tags    map[string]string
	smtp    *notify.SMTP
	gateway *notify.Gateway

	warnings []string
	request  bool            // the document is one of SageMaker Debugger's
	profiler json.RawMessage // what it asks of profiling
}

// setting is the text of one key and where it stands.
type setting struct{ key, text, at string }

// Keys of the file, in the order of the documentation; those up to the first
// list are also flags and variables.
var (
	scalarKeys = []string{
		"dir", "name", "note", "resume", "resume-step", "rules", "every", "save-all", "budget", "stop-on", "workers", "keep", "min-free", "look", "source", "monitor", "profile", "no-profile", "keep-output", "ui", "strict", "quiet", "no-status", "json", "no-color",
	}
	listKeys = []string{"tag", "rule", "collect", "mute", "actions"}
	// serviceKeys describe what actions are carried out with.
	serviceKeys = []string{"smtp", "gateway"}
)

// How many rules may be asked for besides those of the set; manyRules are worth
// a word.
const (
	MaxRules  = 100
	manyRules = 20
)

// Resolve joins flags, environment (as os.Environ gives it) and configuration
// file into the settings of a run. The file is the one that is named, else
// vigil.yaml in dir when it is there.
//
// A scalar is taken from the first source that has it. Rules add up; a
// parameter is taken from the first source that sets it. A collection that a
// source names replaces what later sources say of it; within one source,
// requests for one collection are united. Every error is a *UsageError.
func Resolve(flags Flags, environ []string, dir string, cat Catalogue) (Run, error) {
	run := Defaults()
	var notices []string
	cat.notices = &notices
	env := variables(environ)
	var layers []layer // the strongest last

	file, named := env["VIGIL_CONFIG"], env["VIGIL_CONFIG"] != ""
	if flags.Config != nil {
		file, named = *flags.Config, true
	}
	if !named {
		file = File
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	beside := cat
	beside.base = filepath.Dir(path)
	cat.base = dir
	l, err := load(path, file, beside)
	switch {
	case err == nil:
		run.File = path
		l.beside(filepath.Dir(path))
		run.Warnings = l.warnings
		run.Profiler = l.profiler
		cat = cat.with(cat.ownOf(l.rules))
		if l.request && l.asksToWrite() {
			services, err := servicesOf(dir, cat)
			if err != nil {
				return run, err
			}
			layers = append(layers, services)
		}
		layers = append(layers, l)
	case named || !errors.Is(err, fs.ErrNotExist):
		return run, usage(err, file, "")
	}
	l, warnings, err := fromEnvironment(env, cat)
	if err != nil {
		return run, err
	}
	run.Warnings = append(run.Warnings, warnings...)
	layers = append(layers, l)
	if l, err = fromFlags(flags, cat); err != nil {
		return run, err
	}
	layers = append(layers, l)
	if env["NO_COLOR"] != "" {
		run.NoColor = true
	}
	run.Warnings = append(run.Warnings, notices...)
	return run, run.join(layers, cat)
}

// servicesOf is what the vigil.yaml of a directory says of the mail server and the
// gateway; nothing where there is none.
func servicesOf(dir string, cat Catalogue) (layer, error) {
	cat.base = dir
	l, err := load(filepath.Join(dir, File), File, cat)
	if errors.Is(err, fs.ErrNotExist) {
		return layer{}, nil
	}
	if err != nil {
		return layer{}, usage(err, File, "")
	}
	l = layer{smtp: l.smtp, gateway: l.gateway}
	l.beside(dir)
	return l, nil
}

// usage makes an error a *UsageError.
func usage(err error, what, hint string) *UsageError {
	var u *UsageError
	if errors.As(err, &u) {
		return u
	}
	if h := hintOf(err); h != "" {
		hint = h
	}
	return &UsageError{Message: err.Error(), What: what, Hint: hint}
}

// join applies the layers, the weakest first.
func (r *Run) join(layers []layer, cat Catalogue) (err error) {
	for _, l := range layers {
		for _, rc := range distinct(l.rules) {
			if r.Rule, err = addRule(r.Rule, rc); err != nil {
				return err
			}
		}
		r.Collect = slices.DeleteFunc(r.Collect, func(c plan.Collection) bool {
			return slices.ContainsFunc(l.collect, func(o plan.Collection) bool { return o.Name == c.Name })
		})
		r.Collect = append(r.Collect, l.collect...)
		r.Mutes = append(r.Mutes, l.mutes...)
	}
	if err := r.joinTags(layers); err != nil {
		return err
	}
	inherit(r.Rule, cat)
	if err := checkCollections(r.Collect); err != nil {
		return err
	}
	if n := len(r.Rule); n > MaxRules {
		return &UsageError{Message: fmt.Sprintf("%d rules are too many; the limit is %d", n, MaxRules), What: r.Rule[MaxRules].From, Hint: "leave some out, or combine several in one expression"}
	} else if n > manyRules {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d rules are asked for; each costs time at every step, and more than %d are refused", n, MaxRules))
	}
	var configurations []string
	for _, rc := range r.Rule {
		configurations = append(configurations, rc.Configuration)
	}
	for _, l := range layers {
		for _, s := range l.scalars {
			if err := r.set(s.key, s.text, cat, configurations); err != nil {
				return usage(fmt.Errorf("%s: %w", s.at, err), s.at, hintOf(err))
			}
		}
	}
	return r.joinActions(layers, cat, configurations)
}

func (r *Run) set(key, text string, cat Catalogue, configurations []string) (err error) {
	switch key {
	case "dir":
		r.Dir, err = rootOf(text)
	case "name":
		r.Name, err = text, checkName(text)
	case "note":
		r.Note, err = text, CheckNote(text)
	case "resume":
		r.Resume, err = text, notEmpty(text)
	case "resume-step":
		var n int64
		n, err = parseInt(text, 0)
		r.ResumeStep = &n
	case "rules":
		r.Rules, err = parseSets(text, cat)
	case "every":
		if strings.EqualFold(text, "auto") {
			r.Every = plan.Auto
			return nil
		}
		r.Every, err = parseInt(text, 1)
	case "save-all":
		r.SaveAll, err = parseBool(text)
	case "budget":
		r.Budget, err = ParseBudget(text)
	case "stop-on":
		r.StopOn, err = parseWhen(text, cat, configurations, false)
	case "workers":
		var which string
		which, err = oneOf(text, "chief", "all")
		r.AllWorkers = which == "all"
	case "keep":
		r.Keep, r.KeepAge, err = ParseKeep(text)
	case "min-free":
		r.MinFree, err = ParseMinFree(text)
	case "look":
		var look bool
		look, err = parseBool(text)
		r.NoLook = !look
	case "source":
		var source bool
		source, err = parseBool(text)
		r.NoSource = !source
	case "monitor":
		r.Monitor, err = ParseMonitor(text)
	case "profile":
		r.Windows, err = parseWindows(text)
	case "no-profile":
		r.NoProfile, err = parseBool(text)
	case "keep-output":
		var keep bool
		keep, err = parseBool(text)
		r.KeepOutput = &keep
	case "ui":
		r.UI, err = parseBool(text)
	case "strict":
		r.Strict, err = parseBool(text)
	case "quiet":
		r.Quiet, err = parseBool(text)
	case "no-status":
		r.NoStatus, err = parseBool(text)
	case "json":
		r.JSON, err = parseBool(text)
	case "no-color":
		r.NoColor, err = parseBool(text)
	}
	return err
}

// rootOf is the directory that the root of the runs names: a path, in which ~/
// is the user's own, or a file:// address.
func rootOf(text string) (string, error) {
	path := localPath(strings.TrimSpace(text))
	if scheme, _, ok := strings.Cut(path, "://"); ok && !strings.ContainsAny(scheme, `/\`) {
		return "", fmt.Errorf("%q is not a directory; runs are stored only in directories", text)
	}
	if home, err := os.UserHomeDir(); err == nil && (path == "~" || strings.HasPrefix(path, "~/")) {
		path = filepath.Join(home, path[1:])
	}
	return path, notEmpty(path)
}

func notEmpty(s string) error {
	if strings.TrimSpace(s) == "" {
		return fmt.Errorf("it is empty")
	}
	return nil
}

// checkName refuses names that cannot be a directory of their own below the
// root.
func checkName(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return fmt.Errorf("it is empty")
	case s == "." || s == ".." || strings.ContainsAny(s, "/\\\x00\n\r"):
		return fmt.Errorf("%q cannot be the name of a directory", s)
	case s == "latest" || strings.HasPrefix(s, "latest~"):
		return fmt.Errorf("%q is reserved for the newest run or one before it", s)
	case len(s) > 200:
		return fmt.Errorf("the name has %d bytes; at most 200 are allowed", len(s))
	}
	return nil
}

// parseSets reads names of sets of rules that are joined by commas.
func parseSets(text string, cat Catalogue) (string, error) {
	var names []string
	for word := range strings.SplitSeq(text, ",") {
		name, err := oneOf(word, "default", "experimental", "all", "none")
		if err != nil && cat.has(strings.TrimSpace(word)) {
			return "", &hinted{fmt.Errorf("%q is a rule, and rules has sets of them: default, experimental, all, none", word), "rules by name are a list under `rule:`, and --rule on the command line"}
		}
		if err != nil {
			return "", err
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ","), nil
}

func oneOf(s string, known ...string) (string, error) {
	if t := strings.ToLower(strings.TrimSpace(s)); slices.Contains(known, t) {
		return t, nil
	}
	err := fmt.Errorf("%q is none of %s", s, strings.Join(known, ", "))
	if n := Nearest(s, known); n != "" {
		return "", &hinted{err, fmt.Sprintf("did you mean %q?", n)}
	}
	return "", err
}

// load reads a configuration file. name is how errors call it.
func load(path, name string, cat Catalogue) (layer, error) {
	f, err := os.Open(path)
	if err != nil {
		return layer{}, &UsageError{Message: fmt.Sprintf("read configuration file: %v", err), What: name, Hint: "pass an existing file to --config", cause: err}
	}
	defer f.Close()
	data := make([]byte, maxFile+1)
	n, err := readFull(f, data)
	if err != nil {
		return layer{}, &UsageError{Message: fmt.Sprintf("read configuration file: %v", err), What: name, cause: err}
	}
	return parseFile(data[:n], name, cat)
}
