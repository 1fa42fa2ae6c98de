package capture

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// sent are the kinds of messages that a hook sends.
var sent = map[string]reflect.Type{
	TypeHello:      reflect.TypeFor[Hello](),
	TypeModules:    reflect.TypeFor[Modules](),
	TypeTensors:    reflect.TypeFor[Tensors](),
	TypeShapes:     reflect.TypeFor[Shapes](),
	TypeLayout:     reflect.TypeFor[Layout](),
	TypeFacts:      reflect.TypeFor[Facts](),
	TypeLoader:     reflect.TypeFor[Loader](),
	TypeCompiler:   reflect.TypeFor[Compiler](),
	TypeMissing:    reflect.TypeFor[Missing](),
	TypeCollection: reflect.TypeFor[Collection](),
	TypeNotice:     reflect.TypeFor[Notice](),
	TypeCheckpoint: reflect.TypeFor[Checkpoint](),
	TypeProvenance: reflect.TypeFor[Provenance](),
	TypeTraceback:  reflect.TypeFor[Traceback](),
	TypeBye:        reflect.TypeFor[Bye](),
	TypeControl:    reflect.TypeFor[Control](),
}

// SentMismatches compares a message of a hook, as JSON, with its type, and the
// facts in it with their record.
func SentMismatches(body []byte) ([]record.Mismatch, error) {
	m, err := parseMessage(body)
	if err != nil {
		return nil, err
	}
	return m.mismatches(), nil
}

func (m Message) mismatches() []record.Mismatch {
	t, ok := sent[m.Type]
	if !ok {
		return []record.Mismatch{{Path: "t", Problem: fmt.Sprintf("unknown kind %q", m.Type)}}
	}
	all := record.Mismatches(m.Body, t, "t")
	var f Facts
	if m.Type == TypeFacts && m.Decode(&f) == nil {
		all = append(all, record.FactsMismatches(f.Facts)...)
	}
	return all
}

// shownMismatches bounds how many a notice names.
const shownMismatches = 5

// compare notes what of a message does not fit its type, each mismatch once in a
// session: decoding passes over it. Of announcements the first of their kind is
// looked at, of facts each. A kind of message that is not known is no mismatch:
// later hooks may have more.
func (s *Session) compare(m Message) {
	if sent[m.Type] == nil || s.compared[m.Type] && m.Type != TypeFacts {
		return
	}
	if s.compared == nil {
		s.compared, s.mismatches = map[string]bool{}, map[record.Mismatch]bool{}
	}
	s.compared[m.Type] = true
	var names []string
	for _, one := range m.mismatches() {
		if !s.mismatches[one] && len(s.mismatches) < 1000 {
			s.mismatches[one] = true
			names = append(names, one.String())
		}
	}
	if len(names) == 0 {
		return
	}
	more := ""
	if n := len(names) - shownMismatches; n > 0 {
		names, more = names[:shownMismatches], fmt.Sprintf(", and %d more", n)
	}
	s.sink.Notice(Notice{
		Level: "warning",
		Text:  fmt.Sprintf("%s of the hook in another form than expected: %s%s", m.Type, strings.Join(names, ", "), more),
		Hint:  "the Python package and the program vigil may be of different versions; what is not understood is left out",
	})
}
