package view

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// wellKnown are packages that are named; of the others their number is.
var wellKnown = []string{"torch", "torchvision", "torchaudio", "lightning", "pytorch-lightning", "transformers", "accelerate", "datasets", "xgboost", "scikit-learn", "numpy"}

// Provenance is what a run was made of, a line for each kind of thing; what is
// not known is left out.
func Provenance(run record.Run) []Property {
	p := run.Provenance
	if p == nil {
		return nil
	}
	var list []Property
	add := func(label string, parts ...string) {
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		if len(parts) > 0 {
			list = append(list, Property{label, strings.Join(parts, ", ")})
		}
	}
	if g := p.Git; g != nil {
		add("code", codeText(g))
		if g.Truncated {
			add("diff", fmt.Sprintf("only the first %d KiB are stored", 1024))
		}
		add("not in the diff", g.LeftOut...)
	}
	add("arguments", pairs(p.Hyperparameters, " ")...)
	add("config", Flatten(p.Config)...)
	var seeds []string
	for _, name := range slices.Sorted(maps.Keys(p.Seeds)) {
		seeds = append(seeds, fmt.Sprintf("%s %d", name, p.Seeds[name]))
	}
	add("seeds", seeds...)
	if p.Deterministic != nil && *p.Deterministic {
		add("algorithms", "deterministic")
	}
	var devices []string
	for _, d := range p.Devices {
		devices = append(devices, deviceText(d))
	}
	add("devices", devices...)
	if py := p.Python; py != nil {
		text := strings.TrimSpace(py.Implementation + " " + py.Version)
		if py.Executable != "" {
			text += " (" + py.Executable + ")"
		}
		add("python", text)
	}
	add("packages", packageTexts(p.Packages)...)
	if m := p.Machine; m != nil {
		memory := ""
		if m.Memory > 0 {
			memory = fmt.Sprintf("%.3g GiB of memory", float64(m.Memory)/(1<<30))
		}
		add("machine", m.CPU, number(int64(m.Cores), "core"), memory, strings.TrimSpace(m.OS+" "+m.Kernel))
	}
	add("environment", pairs(p.Environment, "=")...)
	return list
}

// codeText is the commit and how the files differ from it.
func codeText(g *record.Git) string {
	text := "no commit yet"
	if g.Commit != "" {
		text = "commit " + g.Commit[:min(len(g.Commit), 10)]
	}
	if g.Branch != "" {
		text += " of " + g.Branch
	}
	switch {
	case g.Changed == 0 && g.Untracked == 0:
		return text + ", nothing changed since"
	case g.Changed == 0:
		return text + ", " + number(int64(g.Untracked), "new file")
	case g.Untracked == 0:
		return text + ", " + number(int64(g.Changed), "file") + " changed"
	}
	return text + ", " + number(int64(g.Changed), "file") + " changed, " + number(int64(g.Untracked), "new file")
}

func number(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func deviceText(d record.Device) string {
	text := d.Type
	if d.Type != "cpu" {
		text += fmt.Sprintf(":%d", d.Index)
	}
	if d.Name != "" {
		text += " (" + d.Name
		if d.Memory > 0 {
			text += fmt.Sprintf(", %.3g GiB", float64(d.Memory)/(1<<30))
		}
		text += ")"
	}
	return text
}

func pairs(values map[string]string, between string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, name+between+values[name])
	}
	return list
}

func packageTexts(packages map[string]string) []string {
	var list []string
	for _, name := range wellKnown {
		if version, there := packages[name]; there {
			list = append(list, strings.TrimSpace(name+" "+version))
		}
	}
	if more := len(packages) - len(list); more > 0 && len(list) > 0 {
		return append(list, fmt.Sprintf("and %d more", more))
	} else if more > 0 {
		return []string{number(int64(more), "package")}
	}
	return list
}

// Flatten gives the values of a JSON object as lines "model.depth 3", sorted by
// name.
func Flatten(raw json.RawMessage) []string {
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if len(raw) == 0 || d.Decode(&v) != nil {
		return nil
	}
	return settingsOf(nil, "", v)
}

func settingsOf(list []string, prefix string, values map[string]any) []string {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch v := values[name].(type) {
		case map[string]any:
			list = settingsOf(list, prefix+name+".", v)
		case string:
			list = append(list, prefix+name+" "+v)
		default:
			b, err := json.Marshal(v)
			if err == nil {
				list = append(list, prefix+name+" "+string(b))
			}
		}
	}
	return list
}
