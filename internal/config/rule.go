package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Catalogue is what config must know of the rules to check names.
type Catalogue struct {
	// Names are the canonical names, for suggestions.
	Names []string
	// Lookup finds a rule by any of its spellings and gives its canonical name
	// and the names of its parameters.
	Lookup func(name string) (canonical string, params []string, ok bool)
	// Foreign says of a name that is no rule why it is none, "" when it is not
	// known either; nil: none is.
	Foreign func(name string) string
	// Notice says what a rule is here of a name that it has elsewhere, "" of others;
	// nil: there is none.
	Notice func(name string) string
	// Own are the kinds of rules that users write.
	Own []Own
	// CheckOwn refuses such a rule when it is wrong; an error that has a
	// Position says where in the text of its key.
	CheckOwn func(name string, params map[string]string) error

	own  map[string]*Own // the rules of this configuration that the user has written
	base string          // the directory that paths are seen from; empty: the working directory
	// notices are those on names of rules so far; nil: nobody wants them.
	notices *[]string
}

// has reports whether there is a rule of this name.
func (c Catalogue) has(name string) bool {
	if c.own[name] != nil {
		return true
	}
	if c.Lookup == nil {
		return false
	}
	_, _, ok := c.Lookup(name)
	return ok
}

// Own is a kind of rules that users write: expressions, Python classes.
type Own struct {
	Key    string   // the parameter that makes a rule one of them
	Of     string   // what it is called: "an expression"
	Params []string // that every rule of the kind takes
	Free   bool     // it takes parameters besides, which are not known here
	Paths  []string // parameters that hold a path
}

// with is the catalogue and the rules that the user has written.
func (c Catalogue) with(rules map[string]*Own) Catalogue {
	own := maps.Clone(c.own)
	if own == nil {
		own = map[string]*Own{}
	}
	c.Names = slices.Clone(c.Names)
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		own[name] = rules[name]
		c.Names = append(c.Names, name)
	}
	c.own = own
	return c
}

// kind is the kind of rules that users write that has one of these parameters.
func (c Catalogue) kind(has func(key string) bool) *Own {
	for i := range c.Own {
		if has(c.Own[i].Key) {
			return &c.Own[i]
		}
	}
	return nil
}

// lookup finds a rule by name, also one that the user has written; free says
// that it may have parameters besides those that are given.
func (c Catalogue) lookup(name string) (canonical string, params []string, free, ok bool) {
	if o := c.own[name]; o != nil {
		return name, o.Params, o.Free, true
	}
	canonical, params, ok = c.builtin(name)
	return canonical, params, false, ok
}

func (c Catalogue) builtin(name string) (string, []string, bool) {
	if c.Lookup == nil {
		return "", nil, false
	}
	return c.Lookup(name)
}

// place makes the paths among the parameters of a user's rule absolute.
func (c Catalogue) place(o *Own, params map[string]string) error {
	for _, key := range o.Paths {
		p := params[key]
		// A word alone may be a program on the PATH.
		if p == "" || filepath.IsAbs(p) || key != o.Key && !strings.ContainsRune(p, filepath.Separator) {
			continue
		}
		path, err := filepath.Abs(filepath.Join(c.base, p))
		if err != nil {
			return fmt.Errorf("find %q: %w", p, err)
		}
		params[key] = path
	}
	return nil
}

// configurationKey may be given to every rule besides its parameters: the name
// of this configuration, so that a rule can run twice.
const configurationKey = "configuration"

// RuleConfig is one rule that was asked for by name.
type RuleConfig struct {
	Rule          string            `json:"rule"`          // canonical name
	Configuration string            `json:"configuration"` // name of this configuration; the rule's own unless said
	Params        map[string]string `json:"params,omitempty"`
	From          string            `json:"from"` // where it was written: "--rule", "VIGIL_RULE", "vigil.yaml:3:5"
	// Lenient: a mistake in it gives it the status Error and keeps nothing from
	// running, as in a request of SageMaker Debugger.
	Lenient bool `json:"lenient,omitempty"`
}

// notice tells the user what there is to say about a name of a rule.
func (c Catalogue) notice(name, at string) {
	if c.Notice == nil || c.notices == nil {
		return
	}
	if text := c.Notice(name); text != "" {
		*c.notices = append(*c.notices, fmt.Sprintf("%s: %s: %s", at, name, text))
	}
}

func (c Catalogue) unknown(name, at string) error {
	hint := Suggest(name, c.Names)
	if c.Foreign != nil {
		if why := c.Foreign(name); why != "" {
			hint = why
		}
	}
	return &UsageError{Message: fmt.Sprintf("%s: unknown rule %q", at, name), What: name, Hint: hint}
}

// misspelt is the error for a SPEC of a rule that is not known: a word that is
// almost the key of a rule of the user's own, else the name.
func (c Catalogue) misspelt(spec, name, at string) error {
	var keys []string
	for _, o := range c.Own {
		keys = append(keys, o.Key)
	}
	for _, word := range words(spec) {
		if Nearest(word, keys) != "" && Nearest(name, c.Names) == "" {
			return &UsageError{Message: fmt.Sprintf("%s: unknown key %q of a rule", at, word), What: spec, Hint: Suggest(word, keys)}
		}
	}
	return c.unknown(name, at)
}

// parseRule reads a --rule SPEC.
func parseRule(spec, at string, cat Catalogue) (RuleConfig, error) {
	canonical, own := "", (*Own)(nil)
	name, kv, err := ParseSpec(spec, func(name string) ([]string, error) {
		c, params, free, ok := cat.lookup(name)
		if !ok {
			if own = cat.kind(func(key string) bool { return strings.Contains(spec, key+"=") }); own != nil {
				c, params, free, ok = name, own.Params, own.Free, true
			}
		}
		if !ok {
			return nil, cat.misspelt(spec, name, at)
		}
		canonical = c
		cat.notice(name, at)
		params = append(slices.Clone(params), configurationKey, actionJSON)
		for _, word := range words(spec) {
			if free || ofTrials(word) {
				params = append(params, word)
			}
		}
		return params, nil
	})
	if err != nil {
		return RuleConfig{}, err
	}
	rc := RuleConfig{Rule: canonical, Configuration: canonical, From: at}
	for _, p := range kv {
		if p.Key == configurationKey {
			if strings.TrimSpace(p.Value) == "" {
				return rc, &UsageError{Message: fmt.Sprintf("%s: the configuration of %q has no name", at, name), What: spec}
			}
			rc.Configuration = p.Value
			continue
		}
		if rc.Params == nil {
			rc.Params = map[string]string{}
		}
		rc.Params[p.Key] = p.Value
	}
	isNew := own != nil
	if !isNew {
		own = cat.own[canonical]
	}
	if own != nil {
		if err := cat.place(own, rc.Params); err != nil {
			return rc, err
		}
	}
	if isNew {
		if err := cat.CheckOwn(canonical, rc.Params); err != nil {
			return rc, &UsageError{Message: fmt.Sprintf("%s: %v", at, err), What: spec, cause: err}
		}
	}
	return rc, nil
}

var keyword = regexp.MustCompile(`[:,]\s*([A-Za-z_][A-Za-z0-9_]*)\s*=`)

// ofTrials tells the parameters by which every rule of SageMaker Debugger was told
// its runs. Here the run is the one at hand: they are taken, and mean nothing to a
// rule that reads no others.
func ofTrials(key string) bool {
	n, is := strings.CutPrefix(key, "other_trial_")
	return key == "base_trial" || is && n != "" && strings.Trim(n, "0123456789") == ""
}

// words are what looks like the name of a parameter in a SPEC.
func words(spec string) []string {
	var out []string
	for _, m := range keyword.FindAllStringSubmatch(spec, -1) {
		out = append(out, m[1])
	}
	return out
}

// distinct names what one source asks for several times: a rule that is there
// again runs again, as NAME_2.
func distinct(list []RuleConfig) []RuleConfig {
	first, taken := map[string]string{}, map[string]bool{} // the rule of each name
	for _, rc := range list {
		taken[rc.Configuration] = true
	}
	for i := range list {
		rc := &list[i]
		if rule, again := first[rc.Configuration]; !again || rule != rc.Rule {
			first[rc.Configuration] = rc.Rule
			continue
		}
		name := rc.Configuration
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", rc.Configuration, n)
		}
		rc.Configuration, taken[name] = name, true
	}
	return list
}

// addRule adds a configuration or, when one of its name is there, sets its
// parameters.
func addRule(list []RuleConfig, rc RuleConfig) ([]RuleConfig, error) {
	for i := range list {
		old := &list[i]
		if old.Configuration != rc.Configuration {
			continue
		}
		if old.Rule != rc.Rule {
			msg := fmt.Sprintf("%s: configuration %q is of rule %q in %s, of rule %q here", rc.From, rc.Configuration, old.Rule, old.From, rc.Rule)
			return nil, &UsageError{Message: msg, What: rc.Configuration, Hint: "use another configuration name"}
		}
		for k, v := range rc.Params {
			if old.Params == nil {
				old.Params = map[string]string{}
			}
			old.Params[k] = v
		}
		old.From += ", " + rc.From
		return list, nil
	}
	return append(list, rc), nil
}

// inherit gives further configurations of a rule that the user has written what
// makes it that rule, and the parameters that they leave out.
func inherit(list []RuleConfig, cat Catalogue) {
	for i := range list {
		kind := cat.own[list[i].Rule]
		if kind == nil || list[i].Params[kind.Key] != "" {
			continue
		}
		for _, o := range list {
			if o.Rule == list[i].Rule && o.Params[kind.Key] != "" {
				params := maps.Clone(o.Params)
				maps.Copy(params, list[i].Params)
				list[i].Params = params
				break
			}
		}
	}
}
