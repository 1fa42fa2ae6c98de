package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/vigil-ml/vigil/internal/plan"
)

// Keys of the documents of SageMaker Debugger: of a request for a training
// job, and of the configuration of a hook, which is also a part of the former.
var (
	requestKeys = []string{
		"TrainingJobName", "DebugHookConfig", "DebugHookConfiguration", "DebugRuleConfigurations",
		"ProfilerConfig", "ProfilerRuleConfigurations", "TensorBoardOutputConfig",
	}
	hookKeys = []string{"S3OutputPath", "S3Path", "LocalPath", "HookParameters", "CollectionConfigurations"}
)

// isSageMaker tells that the document is one of SageMaker Debugger's.
func isSageMaker(pairs []pair) bool {
	return slices.ContainsFunc(pairs, func(p pair) bool {
		return slices.Contains(requestKeys, p.key) || slices.Contains(hookKeys, p.key)
	})
}

// sageMaker reads a request for a training job, or the configuration of a hook.
// What it says of places and services that are not ours is left out, with a
// word where somebody may rely on it.
func (d *document) sageMaker(l *layer, pairs []pair) error {
	hook := &hookDocument{document: d, layer: l}
	for _, p := range pairs {
		var err error
		switch p.key {
		case "TrainingJobName":
			err = d.setting(l, p, "name")
		case "DebugHookConfig", "DebugHookConfiguration":
			var parts []pair
			if parts, err = d.object(p); err == nil {
				err = hook.read(parts)
			}
		case "DebugRuleConfigurations":
			err = d.requestedRules(l, p)
		case "ExperimentConfig":
			err = d.experiment(l, p)
		case "Tags":
			err = d.requestedTags(l, p)
		case "ProfilerConfig":
			err = d.profiler(l, p)
		case "ProfilerRuleConfigurations":
			err = d.profilerRules(l, p)
		case "TensorBoardOutputConfig":
			l.warn(d, p.keyNode, "%s is left out: Vigil does not write for TensorBoard", p.key)
		default:
			if slices.Contains(hookKeys, p.key) {
				continue // the document is that of a hook, which is read as a whole
			}
			l.warn(d, p.keyNode, "%s is left out", p.key)
		}
		if err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(pairs, func(p pair) bool { return slices.Contains(requestKeys, p.key) }) {
		return hook.read(pairs)
	}
	return nil
}

func (l *layer) warn(d *document, n ast.Node, format string, args ...any) {
	l.warnings = append(l.warnings, d.at(n)+": "+fmt.Sprintf(format, args...))
}

// object is the pairs of a value; null has none.
func (d *document) object(p pair) ([]pair, error) {
	if _, null := plainNode(p.value).(*ast.NullNode); null || p.value == nil {
		return nil, nil
	}
	if m, ok := plainNode(p.value).(*ast.MappingNode); ok && len(m.Values) == 0 {
		return nil, nil
	}
	return d.mapping(p.value, p.key)
}

// setting takes a value for one of our own keys.
func (d *document) setting(l *layer, p pair, key string) error {
	text, err := d.text(p.value, p.key)
	if err != nil {
		return err
	}
	return d.set(l, p, key, text)
}

func (d *document) set(l *layer, p pair, key, text string) error {
	s := setting{key, text, d.at(p.value) + ": " + p.key}
	if err := d.check(s); err != nil {
		return place(err, s.at)
	}
	l.scalars = append(l.scalars, s)
	return nil
}

// requestedRules reads the rules of a request. One that is wrong is told when
// the run starts, gets the status Error there, and keeps nothing from running.
func (d *document) requestedRules(l *layer, p pair) error {
	for _, item := range d.sequence(p.value) {
		pairs, err := d.mapping(item, "a rule configuration")
		if err != nil {
			return err
		}
		rc := RuleConfig{From: d.at(item), Lenient: true, Params: map[string]string{}}
		for _, q := range pairs {
			switch q.key {
			case "RuleConfigurationName":
				if rc.Configuration, err = d.text(q.value, q.key); err != nil {
					return err
				}
			case "RuleParameters":
				parts, err := d.object(q)
				if err != nil {
					return err
				}
				for _, x := range parts {
					if rc.Params[x.key], err = d.listOrText(x.value, x.key); err != nil {
						return err
					}
				}
			}
		}
		if err := d.requested(&rc, item); err != nil {
			return err
		}
		for _, o := range l.rules {
			if o.Configuration == rc.Configuration {
				return d.fail(item, "give each its own RuleConfigurationName", "the rule configuration %q already exists in %s", rc.Configuration, o.From)
			}
		}
		l.rules = append(l.rules, rc)
	}
	return nil
}

// requested finds the rule of a configuration: a built-in one, or a class of
// the user's.
func (d *document) requested(rc *RuleConfig, item ast.Node) error {
	class := rc.Params["rule_to_invoke"]
	delete(rc.Params, "rule_to_invoke")
	source, own := rc.Params["source_s3_uri"]
	delete(rc.Params, "source_s3_uri")
	if class == "" {
		class = rc.Configuration
	}
	if class == "" {
		return d.fail(item, "write rule_to_invoke under RuleParameters", "a rule configuration that names no rule")
	}
	if rc.Configuration == "" {
		rc.Configuration = class
	}
	rc.Rule = class
	if name, _, ok := d.cat.builtin(class); ok && !own {
		rc.Rule = name
	}
	if kind := d.cat.kind(func(key string) bool { return own && key == "source" }); kind != nil {
		rc.Rule = rc.Configuration
		rc.Params["source"], rc.Params["class"] = localPath(source), class
		return d.wrap(item, d.cat.place(kind, rc.Params))
	}
	return nil
}

// localPath is the path that a file:// address names; other texts stay.
func localPath(text string) string {
	if u, err := url.Parse(text); err == nil && u.Scheme == "file" && u.Path != "" {
		return filepath.FromSlash(u.Path)
	}
	return text
}

// hookDocument is the configuration of a hook that is being read.
type hookDocument struct {
	*document
	layer  *layer
	common parameters // of the hook
}

func (h *hookDocument) read(pairs []pair) error {
	var collections []ast.Node
	for _, p := range pairs {
		var err error
		switch p.key {
		case "HookParameters":
			if h.common, err = h.parameters(p, hookParameters); err == nil {
				err = h.hook()
			}
		case "CollectionConfigurations":
			collections = h.sequence(p.value)
		case "S3OutputPath":
			err = h.output(p)
		}
		if err != nil {
			return err
		}
	}
	for _, item := range collections {
		if err := h.collection(item); err != nil {
			return err
		}
	}
	return nil
}

// output takes a local place as the root of the runs.
func (h *hookDocument) output(p pair) error {
	text, err := h.text(p.value, p.key)
	if err != nil {
		return err
	}
	if path := localPath(text); path != text {
		return h.set(h.layer, p, "dir", path)
	}
	h.layer.warn(h.document, p.value, "nothing is written to %q: runs are stored below --dir", text)
	return nil
}

// hook turns what holds for all collections into our settings.
func (h *hookDocument) hook() error {
	for _, p := range h.common.list {
		var err error
		switch p.key {
		case "save_all":
			err = h.setting(h.layer, p, "save-all")
		case "include_workers":
			if text, _ := h.text(p.value, p.key); text == "all" {
				err = h.set(h.layer, p, "workers", "all")
			}
		case "include_regex":
			c := collection{Collection: plan.Collection{Name: plan.Default, By: []string{h.at(p.keyNode)}}}
			if err = h.patterns(&c, p); err == nil {
				err = h.finish(&c, h.common)
			}
		case "save_interval", "train.save_interval":
			if _, train := h.common.find("train.save_interval"); !train || p.key != "save_interval" {
				err = h.setting(h.layer, p, "every")
			}
		case "dry_run":
			var text string
			var on bool
			if text, err = h.text(p.value, p.key); err == nil {
				if on, err = parseBool(text); err != nil {
					err = h.wrap(p.value, fmt.Errorf("dry_run: %w", err))
				} else if on {
					h.layer.warn(h.document, p.keyNode, "dry_run is left out: what is captured is stored")
				}
			}
		case "export_tensorboard", "tensorboard_dir":
			h.layer.warn(h.document, p.keyNode, "%s is left out: Vigil does not write for TensorBoard", p.key)
		}
		if err != nil {
			return err
		}
	}
	// A reduction or a schedule that is wrong is told even where no collection uses it.
	_, err := h.schedule(parameters{}, h.common)
	if err == nil {
		_, _, err = h.reductions(h.common)
	}
	return err
}
