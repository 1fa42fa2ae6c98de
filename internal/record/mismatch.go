package record

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Mismatch is a place of a JSON document that is not as the type says that it is
// decoded into. Decoding itself passes over most of them: it ignores keys that
// it does not know, and leaves out what is missing.
type Mismatch struct {
	Path    string `json:"path"`    // graph.addends[].labels.dtype
	Problem string `json:"problem"` // unknown key, missing key, or what stands there instead
}

func (m Mismatch) String() string { return m.Path + ": " + m.Problem }

// Problems of a key. All other problems are of the type of a value.
const (
	UnknownKey = "unknown key"
	MissingKey = "missing key"
)

// Mismatches compares a JSON document with a type, and gives each place that
// does not fit once, sorted by path. A key whose field has neither omitempty nor
// omitzero has to be there, keys are spelt as their fields say, and null stands
// only for pointers, lists and maps. A field with the tag empty:"allowed" may be
// an object without any key. Also are keys of the outermost object that are
// known besides.
func Mismatches(doc []byte, t reflect.Type, also ...string) []Mismatch {
	c := comparison{}
	c.value("", doc, t, also)
	return c.sorted()
}

// FactsMismatches compares facts with the record of them. Labels and predictions
// have to name their place, and the version has to be one that is known.
func FactsMismatches(facts []byte) []Mismatch {
	c := comparison{}
	c.value("", facts, reflect.TypeFor[Facts](), nil)
	f, err := ParseFacts(facts)
	if f == nil || err != nil {
		return c.sorted()
	}
	if f.V > FactsVersion {
		c.add("v", fmt.Sprintf("version %d instead of %d", f.V, FactsVersion))
	}
	c.places("", f)
	for _, t := range f.Trainings {
		if t.Facts != nil {
			c.places(trainingsName+"[].facts", t.Facts)
		}
	}
	return c.sorted()
}

// places notes labels and predictions without a place. Their key may be left
// out where they are no section.
func (c comparison) places(path string, f *Facts) {
	if f.Labels != nil && f.Labels.At == 0 {
		c.add(path+".labels.at", MissingKey)
	}
	if f.Predictions != nil && f.Predictions.At == 0 {
		c.add(path+".predictions.at", MissingKey)
	}
}

func (c comparison) sorted() []Mismatch {
	return slices.SortedFunc(maps.Keys(c), func(a, b Mismatch) int {
		return strings.Compare(a.String(), b.String())
	})
}

type comparison map[Mismatch]struct{}

func (c comparison) add(path, problem string) {
	c[Mismatch{strings.TrimPrefix(path, "."), problem}] = struct{}{}
}

var (
	ownJSON = reflect.TypeFor[json.Unmarshaler]()
	ownText = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (c comparison) value(path string, doc []byte, t reflect.Type, also []string) {
	null := bytes.Equal(bytes.TrimSpace(doc), []byte("null"))
	if null {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		default:
			c.add(path, "null instead of "+describe(t))
		}
		return
	}
	if p := reflect.PointerTo(t); t.Kind() != reflect.Pointer && (p.Implements(ownJSON) || p.Implements(ownText)) {
		c.decode(path, doc, t)
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		c.value(path, doc, t.Elem(), also)
	case reflect.Struct:
		c.object(path, doc, t, also)
	case reflect.Map:
		var all map[string]json.RawMessage
		if json.Unmarshal(doc, &all) != nil {
			c.decode(path, doc, t)
			return
		}
		for _, v := range all {
			c.value(path+".*", v, t.Elem(), nil)
		}
	case reflect.Slice, reflect.Array:
		var all []json.RawMessage
		if json.Unmarshal(doc, &all) != nil {
			c.decode(path, doc, t)
			return
		}
		for _, v := range all {
			c.value(path+"[]", v, t.Elem(), nil)
		}
	default:
		c.decode(path, doc, t)
	}
}

// decode lets encoding/json judge a value that has no parts of its own.
func (c comparison) decode(path string, doc []byte, t reflect.Type) {
	if json.Unmarshal(doc, reflect.New(t).Interface()) != nil {
		c.add(path, shown(doc)+" instead of "+describe(t))
	}
}

// shown says what a value is, without the value: mismatches of one kind are one.
func shown(doc []byte) string {
	doc = bytes.TrimSpace(doc)
	if !json.Valid(doc) || len(doc) == 0 {
		return "no JSON"
	}
	switch doc[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	}
	if bytes.ContainsAny(doc, ".eE") {
		return "a number that is not whole"
	}
	return "a number"
}

func describe(t reflect.Type) string { return strings.ReplaceAll(t.String(), "record.", "") }

func (c comparison) object(path string, doc []byte, t reflect.Type, also []string) {
	var there map[string]json.RawMessage
	if json.Unmarshal(doc, &there) != nil {
		c.decode(path, doc, t)
		return
	}
	known := fieldsOf(t)
	for key, v := range there {
		if f, ok := known[key]; ok {
			if !f.empty || string(bytes.TrimSpace(v)) != "{}" {
				c.value(path+"."+key, v, f.t, nil)
			}
		} else if !slices.Contains(also, key) {
			c.add(path+"."+key, UnknownKey)
		}
	}
	for key, f := range known {
		if _, ok := there[key]; !ok && !f.optional {
			c.add(path+"."+key, MissingKey)
		}
	}
}

type field struct {
	t        reflect.Type
	optional bool
	empty    bool
}

var fieldCache sync.Map // reflect.Type -> map[string]field

// fieldsOf gives the fields of a struct by their keys, those of embedded structs included.
func fieldsOf(t reflect.Type) map[string]field {
	if known, ok := fieldCache.Load(t); ok {
		return known.(map[string]field)
	}
	fields := map[string]field{}
	for _, f := range reflect.VisibleFields(t) {
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "-" || !f.IsExported() || (f.Anonymous && key == "") {
			continue
		}
		if key == "" {
			key = f.Name
		}
		fields[key] = field{
			t:        f.Type,
			optional: strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero"),
			empty:    f.Tag.Get("empty") == "allowed",
		}
	}
	fieldCache.Store(t, fields)
	return fields
}
