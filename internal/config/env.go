package config

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// protocolVariables mean something else: they travel from the launcher to the
// hook. VIGIL_STRICT is both, with one meaning.
var protocolVariables = []string{"VIGIL", "VIGIL_SOCKET", "VIGIL_RUN", "VIGIL_LAUNCH", "VIGIL_BIN"}

// Variable is the environment variable of a setting: save-all is
// VIGIL_SAVE_ALL.
func Variable(key string) string {
	return "VIGIL_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

func variables(environ []string) map[string]string {
	m := map[string]string{}
	for _, e := range environ {
		if k, v, ok := strings.Cut(e, "="); ok && (strings.HasPrefix(k, "VIGIL") || k == "NO_COLOR") {
			m[k] = v
		}
	}
	return m
}

// fromEnvironment reads the variables of all settings. VIGIL_TAG, VIGIL_RULE and
// VIGIL_COLLECT hold tags and SPECs between semicolons or line ends. An empty variable
// says nothing. A variable that is almost one of ours gives a warning.
func fromEnvironment(env map[string]string, cat Catalogue) (l layer, warnings []string, err error) {
	var own []string
	for _, k := range append(slices.Clone(scalarKeys), "tag", "rule", "collect", "config") {
		own = append(own, Variable(k))
	}
	own = append(own, smtpVariable, gatewayVariable)
	if err := l.services(env); err != nil {
		return l, nil, err
	}
	for _, k := range scalarKeys {
		if v := env[Variable(k)]; v != "" {
			l.scalars = append(l.scalars, setting{k, v, Variable(k)})
		}
	}
	if err := l.tagged(specs(env["VIGIL_TAG"]), "VIGIL_TAG"); err != nil {
		return l, nil, err
	}
	for _, spec := range specs(env["VIGIL_RULE"]) {
		rc, err := parseRule(spec, "VIGIL_RULE", cat)
		if err != nil {
			return l, nil, place(err, "VIGIL_RULE")
		}
		l.rules = append(l.rules, rc)
	}
	for _, spec := range specs(env["VIGIL_COLLECT"]) {
		c, err := ParseCollect(spec, "VIGIL_COLLECT")
		if err != nil {
			return l, nil, place(err, "VIGIL_COLLECT")
		}
		l.collect = append(l.collect, c)
	}
	for k := range env {
		if slices.Contains(own, k) || slices.Contains(protocolVariables, k) || !strings.HasPrefix(k, "VIGIL_") {
			continue
		}
		for _, o := range own {
			if distance(plain(k), plain(o)) <= 1 {
				warnings = append(warnings, fmt.Sprintf("unknown environment variable %s; did you mean %s?", k, o))
				break
			}
		}
	}
	sort.Strings(warnings)
	return l, warnings, nil
}

// specs splits at semicolons and line ends outside double quotes.
func specs(s string) []string {
	var out []string
	quoted := false
	start := 0
	add := func(end int) {
		if t := strings.TrimSpace(s[start:end]); t != "" {
			out = append(out, t)
		}
		start = end + 1
	}
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case !quoted && (s[i] == ';' || s[i] == '\n'):
			add(i)
		}
	}
	add(len(s))
	return out
}

// place puts the place in front of the message of a *UsageError.
func place(err error, at string) error {
	u := *usage(err, at, "")
	if !strings.HasPrefix(u.Message, at) {
		u.Message = at + ": " + u.Message
	}
	return &u
}

// fromFlags reads what was given on the command line.
func fromFlags(f Flags, cat Catalogue) (l layer, err error) {
	text := func(key string, v *string) {
		if v != nil {
			l.scalars = append(l.scalars, setting{key, *v, "--" + key})
		}
	}
	toggle := func(key string, v *bool) {
		if v != nil {
			l.scalars = append(l.scalars, setting{key, fmt.Sprint(*v), "--" + key})
		}
	}
	text("dir", f.Dir)
	text("name", f.Name)
	text("note", f.Note)
	text("resume", f.Resume)
	text("resume-step", f.ResumeStep)
	text("rules", f.Rules)
	text("every", f.Every)
	toggle("save-all", f.SaveAll)
	text("budget", f.Budget)
	text("stop-on", f.StopOn)
	text("workers", f.Workers)
	text("keep", f.Keep)
	text("min-free", f.MinFree)
	toggle("look", f.Look)
	toggle("source", f.Source)
	text("monitor", f.Monitor)
	if len(f.Profile) > 0 {
		all := strings.Join(f.Profile, ";")
		text("profile", &all)
	}
	toggle("no-profile", f.NoProfile)
	toggle("keep-output", f.KeepOutput)
	toggle("ui", f.UI)
	toggle("strict", f.Strict)
	toggle("quiet", f.Quiet)
	toggle("no-status", f.NoStatus)
	toggle("json", f.JSON)
	toggle("no-color", f.NoColor)
	if err := l.tagged(f.Tag, "--tag"); err != nil {
		return l, err
	}
	for _, spec := range f.Rule {
		rc, err := parseRule(spec, "--rule", cat)
		if err != nil {
			return l, place(err, "--rule")
		}
		l.rules = append(l.rules, rc)
	}
	for _, spec := range f.Collect {
		c, err := ParseCollect(spec, "--collect")
		if err != nil {
			return l, place(err, "--collect")
		}
		l.collect = append(l.collect, c)
	}
	return l, nil
}
