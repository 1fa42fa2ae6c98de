package journal

import (
	"encoding/binary"
	"encoding/json"

	"github.com/vigil-ml/vigil/internal/record"
)

// Times is one record of a worker's journal: where the time of steps went, and
// events; and how far in the ring of a session they reach. In a host's journal it
// has no worker, no session and events only.
type Times struct {
	Worker  string
	Session string
	Seq     uint64
	Times   []record.StepTime
	Events  []record.Event
}

// AppendTimes appends the payload of a record of step times and events.
func AppendTimes(b []byte, t *Times) []byte {
	b = append(b, kindTimes)
	b = appendString(b, t.Worker)
	b = appendString(b, t.Session)
	b = binary.AppendUvarint(b, t.Seq)
	b = binary.AppendUvarint(b, uint64(len(t.Times)))
	at := int64(0)
	for i := range t.Times {
		s := &t.Times[i]
		b = binary.AppendVarint(b, s.Step)
		b = append(b, byte(s.Mode))
		b = binary.AppendVarint(b, s.ModeStep)
		b = binary.AppendVarint(b, s.Steps)
		start, end := Nanos(s.Start), Nanos(s.End)
		b = binary.AppendVarint(b, start-at)
		b = binary.AppendVarint(b, end-start)
		at = end
		b = binary.AppendVarint(b, s.Gap)
		for _, ns := range s.Parts {
			b = binary.AppendVarint(b, ns)
		}
		b = binary.AppendVarint(b, s.Longest)
		b = binary.AppendVarint(b, s.LongestStep-s.ModeStep)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Events)))
	for i := range t.Events {
		e := &t.Events[i]
		for _, s := range []string{e.Worker, e.Host, e.Kind, e.Name} {
			b = appendString(b, s)
		}
		start := Nanos(e.Start)
		b = binary.AppendVarint(b, start)
		b = binary.AppendVarint(b, Nanos(e.End)-start)
		b = binary.AppendVarint(b, e.Step)
		b = appendString(b, string(e.Facts))
	}
	return b
}

func (d *Decoder) times() *Times {
	t := &Times{Worker: d.string(), Session: d.string(), Seq: d.uvarint()}
	if n := d.count(9 + int(record.StepParts)); n > 0 {
		t.Times = make([]record.StepTime, n)
		at := int64(0)
		for i := range t.Times {
			s := &t.Times[i]
			*s = record.StepTime{Worker: t.Worker, Step: d.varint(), Mode: record.Mode(d.byte()), ModeStep: d.varint(), Steps: d.varint()}
			start := at + d.varint()
			at = start + d.varint()
			s.Start, s.End = Time(start), Time(at)
			s.Gap = d.varint()
			for p := range s.Parts {
				s.Parts[p] = d.varint()
			}
			s.Longest = d.varint()
			s.LongestStep = s.ModeStep + d.varint()
		}
	}
	if n := d.count(8); n > 0 {
		t.Events = make([]record.Event, n)
		for i := range t.Events {
			e := &t.Events[i]
			*e = record.Event{Worker: d.string(), Host: d.string(), Kind: d.string(), Name: d.string()}
			start := d.varint()
			e.Start, e.End = Time(start), Time(start+d.varint())
			e.Step = d.varint()
			if facts := d.take(d.count(1)); len(facts) > 0 {
				e.Facts = json.RawMessage(append([]byte(nil), facts...))
			}
		}
	}
	return t
}
