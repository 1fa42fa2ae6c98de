package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
)

// defaultInterval is the interval of collections for which a document of
// SageMaker Debugger names none.
const defaultInterval = 500

var (
	scheduleKeys         = []string{"save_interval", "start_step", "end_step", "save_steps"}
	keepKeys             = []string{"reductions", "save_raw_tensor", "save_shape"}
	hookParameters       = append([]string{"save_all", "include_regex", "include_workers", "export_tensorboard", "tensorboard_dir", "dry_run"}, keepKeys...)
	collectionParameters = append([]string{"include_regex", "tensor_names", "save_histogram"}, keepKeys...)

	reductionNames = []string{"min", "max", "mean", "std", "variance", "sum", "prod", "median", "l1", "l2"}
	// computed are those that are computed besides the usual statistics; of their
	// magnitudes only the product is.
	computed = map[string]plan.Want{"median": plan.Median, "prod": plan.Prod, "abs_prod": plan.Prod}

	// holdsNothing are collections of SageMaker Debugger into which nothing of
	// what Vigil captures goes.
	holdsNothing = []string{"sm_metrics", "tensorflow_summaries"}
	// asValues are collections whose tensors are kept as they are, whatever the
	// document says.
	asValues = []string{plan.Losses, plan.Metrics, plan.FeatureImportance, plan.AverageShap}
)

// parameters are those of the hook or of a collection. All values may be text,
// as they are in a request.
type parameters struct{ list []pair }

func (p parameters) find(key string) (pair, bool) {
	i := slices.IndexFunc(p.list, func(q pair) bool { return q.key == key })
	if i < 0 {
		return pair{}, false
	}
	return p.list[i], true
}

// parameters reads an object; keys that mean nothing are told and left out.
func (h *hookDocument) parameters(p pair, known []string) (parameters, error) {
	pairs, err := h.object(p)
	if err != nil {
		return parameters{}, err
	}
	var out parameters
	for _, q := range pairs {
		mode, key, moded := strings.Cut(q.key, ".")
		_, bad := record.ParseMode(mode)
		if slices.Contains(known, q.key) || slices.Contains(scheduleKeys, q.key) || moded && bad == nil && slices.Contains(scheduleKeys, key) {
			out.list = append(out.list, q)
			continue
		}
		h.layer.warn(h.document, q.keyNode, "%s is ignored: %s", q.key, Suggest(q.key, append(slices.Clone(scheduleKeys), known...)))
	}
	return out, nil
}

// collection reads one of CollectionConfigurations.
func (h *hookDocument) collection(item ast.Node) error {
	pairs, err := h.mapping(item, "a collection configuration")
	if err != nil {
		return err
	}
	c := collection{Collection: plan.Collection{By: []string{h.at(item)}}}
	var own parameters
	for _, p := range pairs {
		switch p.key {
		case "CollectionName":
			c.Name, err = h.text(p.value, p.key)
		case "CollectionParameters":
			own, err = h.parameters(p, collectionParameters)
		default:
			h.layer.warn(h.document, p.keyNode, "%s is left out", p.key)
		}
		if err != nil {
			return err
		}
	}
	if notEmpty(c.Name) != nil {
		return h.fail(item, "write CollectionName", "a collection without a name")
	}
	if slices.Contains(holdsNothing, c.Name) {
		h.layer.warn(h.document, item, "the collection %s is left out: Vigil captures nothing for it", c.Name)
		return nil
	}
	if p, ok := own.find("include_regex"); ok {
		if err := h.patterns(&c, p); err != nil {
			return err
		}
	}
	if p, ok := own.find("tensor_names"); ok {
		text, err := h.joined(p.value, p.key)
		if err != nil {
			return err
		}
		c.Names = split(text, ",")
	}
	return h.finish(&c, own)
}

// patterns takes a list, or text with commas between patterns: none of them
// can hold a comma then.
func (h *hookDocument) patterns(c *collection, p pair) error {
	text, err := h.joined(p.value, p.key)
	if err != nil {
		return err
	}
	list := strings.Split(text, ",")
	if _, isList := plainNode(p.value).(*ast.SequenceNode); isList {
		if list, err = h.texts(p.value, p.key); err != nil {
			return err
		}
	}
	for _, re := range list {
		if re = strings.TrimSpace(re); re == "" {
			continue
		}
		if err := checkRegex(re); err != nil {
			return h.wrap(p.value, err)
		}
		c.Regex = append(c.Regex, re)
	}
	return nil
}

// finish gives a collection its schedule and what is kept, and takes it.
func (h *hookDocument) finish(c *collection, own parameters) (err error) {
	if c.Schedule, err = h.schedule(own, h.common); err != nil {
		return err
	}
	from := own
	if _, ok := own.find("reductions"); !ok {
		from = h.common
	}
	raw, want, err := h.reductions(from)
	if err != nil {
		return err
	}
	c.Want = plan.Stats | plan.Hist | want
	if raw || slices.Contains(asValues, c.Name) {
		c.Want |= plan.Raw
	}
	h.layer.collect = append(h.layer.collect, c.Collection)
	return nil
}

// reductions reports whether the values themselves are kept: unless reductions
// are asked for without them; and what is computed besides the usual statistics.
func (h *hookDocument) reductions(p parameters) (raw bool, want plan.Want, err error) {
	for _, key := range []string{"save_raw_tensor", "save_shape", "save_histogram"} {
		if q, ok := p.find(key); ok {
			text, err := h.text(q.value, key)
			if err != nil {
				return false, 0, err
			}
			on, err := parseBool(text)
			if err != nil {
				return false, 0, h.wrap(q.value, fmt.Errorf("%s: %w", key, err))
			}
			raw = raw || on && key == "save_raw_tensor"
		}
	}
	q, ok := p.find("reductions")
	if !ok {
		return true, 0, nil
	}
	text, err := h.joined(q.value, q.key)
	if err != nil {
		return false, 0, err
	}
	names := split(text, ",")
	for _, name := range names {
		plainName := strings.TrimSuffix(strings.TrimPrefix(name, "abs_"), "_norm")
		if !slices.Contains(reductionNames, plainName) {
			return false, 0, h.fail(q.value, Suggest(plainName, reductionNames), "reductions: there is no reduction %q", name)
		}
		want |= computed[name]
		if w := fmt.Sprintf("the reduction %s is not computed", name); name == "abs_median" && !h.layer.said(w) {
			h.layer.warn(h.document, q.value, "%s", w)
		}
	}
	return raw || len(names) == 0, want, nil
}

func (l *layer) said(text string) bool {
	return slices.ContainsFunc(l.warnings, func(w string) bool { return strings.HasSuffix(w, text) })
}

// schedule merges, for each mode: the default, what the hook says, what the
// hook says for the mode, what the collection says, and what it says for the
// mode. The later word counts.
func (h *hookDocument) schedule(own, hook parameters) (s plan.Schedule, err error) {
	for m := range s {
		c := collection{schedule: plan.ModeSchedule{Every: defaultInterval}}
		for _, from := range []parameters{hook, own} {
			for _, prefix := range []string{"", strings.ToLower(record.Mode(m).String()) + "."} {
				for _, key := range scheduleKeys {
					p, ok := from.find(prefix + key)
					if !ok {
						continue
					}
					if err := h.part(&c, key, p); err != nil {
						return s, err
					}
				}
			}
		}
		c.schedule.Off = c.endSet && c.schedule.End == 0
		s[m] = c.schedule
	}
	return s, nil
}

// part takes one word of a schedule.
func (h *hookDocument) part(c *collection, key string, p pair) error {
	text, err := h.joined(p.value, p.key)
	if err != nil {
		return err
	}
	text = strings.Trim(strings.TrimSpace(text), "[]")
	ours := map[string]string{"save_interval": "every", "start_step": "start", "end_step": "end", "save_steps": "steps"}[key]
	if ours == "steps" {
		c.schedule.Steps = nil
	}
	if ours == "end" && (strings.EqualFold(text, "none") || text == "") {
		c.endSet, c.schedule.End = false, 0
		return nil
	}
	if err := c.set(ours, text); err != nil {
		return h.wrap(p.value, fmt.Errorf("%s: %s", p.key, strings.TrimPrefix(err.Error(), ours+": ")))
	}
	return nil
}
