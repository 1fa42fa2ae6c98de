package view

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Changed is what of a run may have made its steps faster or slower, as far as both
// runs know it: code, packages, settings, environment. Each is one short text, such as
// "torch 2.14.0 → 2.15.0". Diffs are what differed from the commit in each of them.
func Changed(before, now record.Run, diffBefore, diffNow []byte) []string {
	var c Comparison
	was, is := propertiesOf(before), propertiesOf(now)
	c.differ([]map[property]string{was, is})
	bySection := map[string][]string{}
	put := func(section, text string) { bySection[section] = append(bySection[section], text) }
	for _, d := range c.Differences {
		name, ok := changedName(d.Section, d.Name)
		if !ok {
			continue
		}
		switch from, to := d.Values[0], d.Values[1]; {
		case from != nil && to != nil:
			put(d.Section, fmt.Sprintf("%s %s → %s", name, shortValue(d.Name, *from), shortValue(d.Name, *to)))
		case d.Section != InConfiguration && !strings.HasPrefix(d.Name, "environment."):
			// One of them may only not have said it.
		case from == nil:
			put(d.Section, fmt.Sprintf("%s set to %s", name, shortValue(d.Name, *to)))
		default:
			put(d.Section, fmt.Sprintf("%s no longer set (was %s)", name, shortValue(d.Name, *from)))
		}
	}
	if string(diffBefore) != string(diffNow) {
		bySection[InCode] = append(bySection[InCode], "uncommitted changes of the code")
	}
	var all []string
	for _, section := range []string{InCode, InPackages, InConfiguration, InEnvironment, InTraining} {
		all = append(all, bySection[section]...)
	}
	return all
}

// changedName is how a property is called; false for what says nothing about speed.
func changedName(section, name string) (string, bool) {
	switch section {
	case InConfiguration:
		return name, !strings.HasPrefix(name, "tag ")
	case InCode:
		return name, name == "commit"
	case InTraining: // rates and the like are settings already
		return name, madeOf.MatchString(name)
	case InEnvironment:
		if of, is := strings.CutPrefix(name, "environment."); is {
			return of, true
		}
		of, is := environmentNames[name]
		return of, is
	}
	return name, true
}

// madeOf matches the properties of a training that decide how fast it is.
var madeOf = regexp.MustCompile(`^(model|optimiser|loss|input|booster)( \d+)?( trained)?( parameters)?$`)

// environmentNames are the properties of software and machine that decide how fast
// a training is.
var environmentNames = map[string]string{
	"framework": "framework", "vigil": "Vigil", "workers": "processes", "python.version": "Python", "python.implementation": "Python",
	"machine.cores": "cores", "machine.cpu": "CPU", "machine.kernel": "kernel", "devices.0.type": "device", "devices.0.name": "device", "deterministic": "deterministic algorithms",
}

// shortValue is a value in a sentence.
func shortValue(name, value string) string {
	if name == "commit" && len(value) > 10 {
		return value[:10]
	}
	const most = 40
	if r := []rune(value); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return value
}
