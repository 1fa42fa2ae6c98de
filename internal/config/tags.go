package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
)

// Bounds of tags and notes.
const (
	MaxTags   = 200
	maxKey    = 128
	maxValue  = 1024
	MaxNote   = 16 << 10
	tagAdvice = "write KEY=VALUE, such as experiment=lr-sweep"
)

// ParseTag reads KEY=VALUE.
func ParseTag(text string) (key, value string, err error) {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return "", "", &hinted{fmt.Errorf("%q is not a tag: it has no =", text), tagAdvice}
	}
	return key, value, CheckTag(key, value)
}

// CheckTag refuses keys and values that do not fit on a line.
func CheckTag(key, value string) error {
	var err error
	switch {
	case strings.TrimSpace(key) != key || key == "":
		err = fmt.Errorf("%q cannot be the key of a tag", key)
	case strings.Contains(key, "="), !printable(key), !printable(value):
		err = fmt.Errorf("the tag %q contains a non-printable character", key+"="+value)
	case len(key) > maxKey:
		err = fmt.Errorf("the key %.20q… of a tag has %d bytes; at most %d are allowed", key, len(key), maxKey)
	case len(value) > maxValue:
		err = fmt.Errorf("the value of the tag %q has %d bytes; at most %d are allowed", key, len(value), maxValue)
	default:
		return nil
	}
	return &hinted{err, tagAdvice}
}

// CheckNote refuses a note that cannot be shown.
func CheckNote(text string) error {
	switch {
	case !utf8.ValidString(text):
		return fmt.Errorf("the note is not text in UTF-8")
	case len(text) > MaxNote:
		return fmt.Errorf("the note has %d bytes; at most %d are allowed", len(text), MaxNote)
	}
	return nil
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// tagged adds tags that are given as text.
func (l *layer) tagged(list []string, at string) error {
	for _, text := range list {
		key, value, err := ParseTag(text)
		if err == nil && value == "" {
			err = &hinted{fmt.Errorf("the tag %q has no value", key), tagAdvice}
		}
		if err != nil {
			return place(err, at)
		}
		l.tag(key, value)
	}
	return nil
}

func (l *layer) tag(key, value string) {
	if l.tags == nil {
		l.tags = map[string]string{}
	}
	l.tags[key] = value
}

// joinTags gives the run the tags of all layers, those of the strongest last.
func (r *Run) joinTags(layers []layer) error {
	for _, l := range layers {
		if len(l.tags) == 0 {
			continue
		}
		if r.Tags == nil {
			r.Tags = map[string]string{}
		}
		maps.Copy(r.Tags, l.tags)
	}
	if n := len(r.Tags); n > MaxTags {
		return &UsageError{Message: fmt.Sprintf("%d tags are too many; the limit is %d", n, MaxTags), What: "--tag"}
	}
	return nil
}

// readTags reads tags that are pairs, or a list of KEY=VALUE.
func (d *document) readTags(l *layer, p pair) error {
	switch plainNode(p.value).(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		pairs, err := d.mapping(p.value, p.key)
		if err != nil {
			return err
		}
		for _, q := range pairs {
			if err := d.tagPair(l, q.value, q.key, q.value); err != nil {
				return err
			}
		}
		return nil
	}
	list, err := d.texts(p.value, p.key)
	if err != nil {
		return err
	}
	return l.tagged(list, d.at(p.value)+": "+p.key)
}

// tagPair adds a tag whose value is a node.
func (d *document) tagPair(l *layer, at ast.Node, key string, value ast.Node) error {
	text, err := d.text(value, key)
	if err == nil {
		err = CheckTag(key, text)
	}
	if err != nil {
		return d.wrap(at, err)
	}
	if text == "" {
		return d.fail(at, "", "the tag %q has no value", key)
	}
	l.tag(key, text)
	return nil
}

// experimentKeys are what a request for a training job says of the experiment it
// belongs to.
var experimentKeys = []string{"ExperimentName", "TrialName", "TrialComponentDisplayName", "RunName"}

// experiment makes the experiment of a request tags of the same names.
func (d *document) experiment(l *layer, p pair) error {
	pairs, err := d.object(p)
	if err != nil {
		return err
	}
	for _, q := range pairs {
		if !slices.Contains(experimentKeys, q.key) {
			l.warn(d, q.keyNode, "%s of the %s is left out", q.key, p.key)
			continue
		}
		if err := d.tagPair(l, q.value, q.key, q.value); err != nil {
			return err
		}
	}
	return nil
}

// requestedTags makes the tags of a request ours. One that cannot be is told, and
// keeps nothing from running.
func (d *document) requestedTags(l *layer, p pair) error {
	for _, item := range d.sequence(p.value) {
		pairs, err := d.mapping(item, "a tag")
		if err != nil {
			return err
		}
		var key, value string
		for _, q := range pairs {
			text, err := d.text(q.value, q.key)
			if err != nil {
				return err
			}
			switch q.key {
			case "Key":
				key = text
			case "Value":
				value = text
			}
		}
		if err := CheckTag(key, value); err != nil || value == "" {
			l.warn(d, item, "the tag %q is left out: it has no value, or a non-printable character", key)
			continue
		}
		l.tag(key, value)
	}
	return nil
}
