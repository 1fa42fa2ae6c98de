package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// profiler reads the ProfilerConfig of a request: how often the machine is
// sampled, and whether it is. The whole is kept with the run.
func (d *document) profiler(l *layer, p pair) error {
	if err := d.keepProfiler(l, p); err != nil {
		return err
	}
	parts, err := d.object(p)
	if err != nil {
		return err
	}
	parts = slices.DeleteFunc(parts, func(q pair) bool { _, null := plainNode(q.value).(*ast.NullNode); return null })
	var unused []string
	disabled := false
	for _, q := range parts {
		switch q.key {
		case "ProfilingIntervalInMilliseconds":
			err = d.setting(l, q, "monitor")
		case "DisableProfiler":
			var text string
			if text, err = d.text(q.value, q.key); err != nil {
				break
			}
			if disabled, err = parseBool(text); err != nil {
				err = d.wrap(q.value, fmt.Errorf("%s: %w", q.key, err))
			}
		default:
			unused = append(unused, q.key)
		}
		if err != nil {
			return err
		}
	}
	if disabled { // after the interval, whatever their order
		at := parts[slices.IndexFunc(parts, func(q pair) bool { return q.key == "DisableProfiler" })]
		if err := d.set(l, at, "monitor", "off"); err != nil {
			return err
		}
	}
	if len(unused) > 0 {
		l.warn(d, p.keyNode, "%s of %s: stored with the run, without effect", strings.Join(unused, ", "), p.key)
	}
	return nil
}

// profilerRules keeps the profiling rules of a request, which are not rules here.
func (d *document) profilerRules(l *layer, p pair) error {
	if err := d.keepProfiler(l, p); err != nil {
		return err
	}
	if len(d.sequence(p.value)) > 0 {
		l.warn(d, p.keyNode, "%s: stored with the run, without effect: profiling rules of SageMaker Debugger are not among the rules here", p.key)
	}
	return nil
}

// keepProfiler keeps what a request says of profiling, as it is written.
func (d *document) keepProfiler(l *layer, p pair) error {
	kept := map[string]any{}
	if l.profiler != nil {
		if err := json.Unmarshal(l.profiler, &kept); err != nil {
			return err
		}
	}
	var v any
	if err := yaml.NodeToValue(p.value, &v); err != nil {
		return d.fail(p.keyNode, "", "%s cannot be read", p.key)
	}
	kept[p.key] = v
	var err error
	if l.profiler, err = json.Marshal(kept); err != nil {
		return d.fail(p.keyNode, "", "%s cannot be read", p.key)
	}
	return nil
}
