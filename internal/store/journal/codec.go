package journal

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// Kinds of payloads: the first byte.
const (
	kindSteps    = 1
	kindComplete = 2
	kindSamples  = 3
	kindTimes    = 4
	kindWindow   = 5
)

// Steps is one record of a worker's journal: whole steps, and how far in the
// ring of a session they reach.
type Steps struct {
	Worker  string
	Session string
	Seq     uint64
	Steps   []*record.Step
}

// Lazy is a step whose histograms are still encoded: decoded, the histograms
// of a chunk take many times the memory of everything else.
type Lazy struct {
	*record.Step
	// Hists holds the encoded histogram of each of Step.Stats, nil where there
	// is none; it is nil when no tensor of the step has one. Step.Stats[i].Hist
	// is always nil.
	Hists [][]byte
}

// Full is the step with its histograms. It shares nothing that may be changed
// with the lazy one.
func (l Lazy) Full() (*record.Step, error) {
	if l.Hists == nil {
		return l.Step, nil
	}
	s := *l.Step
	s.Stats = slices.Clone(s.Stats)
	for i, b := range l.Hists {
		if b == nil {
			continue
		}
		s.Stats[i].Hist = new(tensor.Histogram)
		if err := s.Stats[i].Hist.UnmarshalBinary(b); err != nil {
			return nil, fmt.Errorf("decode the histogram of %.200q: %w", s.Stats[i].Tensor, err)
		}
	}
	return &s, nil
}

// Decoded is a record of steps as it is read, or one of what goes by time: then
// Samples or Times is set.
type Decoded struct {
	Worker  string
	Session string
	Seq     uint64
	Steps   []Lazy

	Samples *Samples
	Times   *Times
}

// Decision says that a step is complete and whose parts were in, in the order
// in which the evaluator got them; or, with Window, that a window of time closed.
type Decision struct {
	Step     int64
	Mode     record.Mode
	ModeStep int64
	Time     time.Time
	Workers  []string
	Joined   []int // by worker: how many of the parts that it stored after are in, too; nil: none
	Window   *Window
}

// Window says that a window of time closed, and how many rows of each source are
// in it: those after the ones of the windows before.
type Window struct {
	Index    int64
	From, To time.Time
	Late     []string
	Rows     record.Rows
}

// AppendSteps appends the payload of a record of steps.
func AppendSteps(b []byte, s *Steps) []byte {
	b = append(b, kindSteps)
	b = appendString(b, s.Worker)
	b = appendString(b, s.Session)
	b = binary.AppendUvarint(b, s.Seq)
	b = binary.AppendUvarint(b, uint64(len(s.Steps)))
	for _, st := range s.Steps {
		b = appendStep(b, st)
	}
	return b
}

func appendStep(b []byte, s *record.Step) []byte {
	b = binary.AppendVarint(b, s.Step)
	b = append(b, byte(s.Mode))
	b = binary.AppendVarint(b, s.ModeStep)
	b = appendTime(b, s.Time)
	b = appendFloat(b, s.Seconds)
	b = appendFloat(b, s.Overhead)
	b = append(b, flag(s.Skipped))
	b = binary.AppendUvarint(b, uint64(len(s.Scalars)))
	for _, v := range s.Scalars {
		b = appendString(b, v.Name)
		b = appendFloat(b, v.Value)
	}
	b = binary.AppendUvarint(b, uint64(len(s.Stats)))
	for i := range s.Stats {
		b = appendStats(b, &s.Stats[i])
	}
	b = binary.AppendUvarint(b, uint64(len(s.Derived)))
	for _, v := range s.Derived {
		b = appendString(b, v.Tensor)
		b = appendString(b, v.Stat)
		b = binary.AppendVarint(b, v.From)
		b = appendFloat(b, v.Value)
	}
	b = binary.AppendUvarint(b, uint64(len(s.Raw)))
	for _, name := range s.Raw {
		b = appendString(b, name)
	}
	return b
}

func appendStats(b []byte, s *record.TensorStats) []byte {
	b = appendString(b, s.Tensor)
	for _, n := range []int64{s.Count, s.NaN, s.PosInf, s.NegInf, s.Zeros} {
		b = binary.AppendVarint(b, n)
	}
	for _, f := range []float64{s.Min, s.Max, s.Mean, s.M2, s.L1} {
		b = appendFloat(b, f)
	}
	if s.Hist == nil {
		return binary.AppendUvarint(b, 0)
	}
	h, _ := s.Hist.AppendBinary(nil) // its error is always nil
	b = binary.AppendUvarint(b, uint64(len(h)))
	return append(b, h...)
}

// AppendDecision appends the payload of a decision.
func AppendDecision(b []byte, d *Decision) []byte {
	if d.Window != nil {
		return appendWindow(b, d.Window)
	}
	b = append(b, kindComplete)
	b = binary.AppendVarint(b, d.Step)
	b = append(b, byte(d.Mode))
	b = binary.AppendVarint(b, d.ModeStep)
	b = appendTime(b, d.Time)
	b = binary.AppendUvarint(b, uint64(len(d.Workers)))
	for _, w := range d.Workers {
		b = appendString(b, w)
	}
	for _, n := range d.Joined {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func appendWindow(b []byte, w *Window) []byte {
	b = append(b, kindWindow)
	b = binary.AppendVarint(b, w.Index)
	b = appendTime(b, w.From)
	b = appendTime(b, w.To)
	b = binary.AppendUvarint(b, uint64(len(w.Late)))
	for _, name := range w.Late {
		b = appendString(b, name)
	}
	b = binary.AppendUvarint(b, uint64(len(w.Rows)))
	for _, s := range w.Rows.Sources() {
		b = append(b, byte(s.Kind))
		b = appendString(b, s.Name)
		b = binary.AppendUvarint(b, uint64(w.Rows[s]))
	}
	return b
}

func flag(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendFloat(b []byte, f float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
}

// appendTime spells a time as nanoseconds since 1970, the zero time as 0.
func appendTime(b []byte, t time.Time) []byte { return binary.AppendVarint(b, Nanos(t)) }

// Nanos is a time as the store spells it: nanoseconds since 1970, 0 for the
// zero time.
func Nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// Time is the inverse of Nanos.
func Time(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// Micros is a time as the store spells it, in whole microseconds.
func Micros(n int64) int64 {
	if n <= 0 {
		return Time(n).UnixMicro()
	}
	return n / 1000
}

// Decoder decodes payloads. It keeps the names it has seen, so that the many
// records of a journal share them.
type Decoder struct {
	names map[string]string
	b     []byte
	err   error
}

// Decode decodes one payload: exactly one of the results is set. Histograms
// stay part of the payload, which must not be changed after.
func (d *Decoder) Decode(payload []byte) (*Decoded, *Decision, error) {
	if d.names == nil {
		d.names = map[string]string{}
	}
	d.b, d.err = payload, nil
	var steps *Decoded
	var decision *Decision
	switch kind := d.byte(); kind {
	case kindSteps:
		steps = d.steps()
	case kindComplete:
		decision = d.decision()
	case kindSamples:
		steps = &Decoded{Samples: d.samples()}
	case kindTimes:
		steps = &Decoded{Times: d.times()}
	case kindWindow:
		decision = &Decision{Window: d.window()}
	default:
		d.fail("unknown kind %d", kind)
	}
	if d.err == nil && len(d.b) > 0 {
		d.fail("%d bytes too many", len(d.b))
	}
	if d.err != nil {
		return nil, nil, fmt.Errorf("decode journal record: %w", d.err)
	}
	return steps, decision, nil
}

func (d *Decoder) steps() *Decoded {
	s := &Decoded{Worker: d.string(), Session: d.string(), Seq: d.uvarint()}
	for range d.count(20) {
		if d.err != nil {
			break
		}
		s.Steps = append(s.Steps, d.step(s.Worker))
	}
	return s
}

func (d *Decoder) step(worker string) Lazy {
	l := Lazy{}
	s := &record.Step{Worker: worker, Step: d.varint(), Mode: record.Mode(d.byte()), ModeStep: d.varint(),
		Time: Time(d.varint()), Seconds: d.float(), Overhead: d.float(), Skipped: d.byte() == 1}
	if n := d.count(9); n > 0 {
		s.Scalars = make([]record.Scalar, n)
		for i := range s.Scalars {
			s.Scalars[i] = record.Scalar{Name: d.string(), Value: d.float()}
		}
	}
	if n := d.count(47); n > 0 {
		s.Stats = make([]record.TensorStats, n)
		for i := range s.Stats {
			if h := d.stats(&s.Stats[i]); h != nil {
				if l.Hists == nil {
					l.Hists = make([][]byte, n)
				}
				l.Hists[i] = h
			}
		}
	}
	if n := d.count(11); n > 0 {
		s.Derived = make([]record.Derived, n)
		for i := range s.Derived {
			s.Derived[i] = record.Derived{Tensor: d.string(), Stat: d.string(), From: d.varint(), Value: d.float()}
		}
	}
	if n := d.count(1); n > 0 {
		s.Raw = make([]string, n)
		for i := range s.Raw {
			s.Raw[i] = d.string()
		}
	}
	l.Step = s
	return l
}

// stats decodes one row and gives its encoded histogram.
func (d *Decoder) stats(s *record.TensorStats) []byte {
	s.Tensor = d.string()
	s.Count, s.NaN, s.PosInf, s.NegInf, s.Zeros = d.varint(), d.varint(), d.varint(), d.varint(), d.varint()
	s.Min, s.Max, s.Mean, s.M2, s.L1 = d.float(), d.float(), d.float(), d.float(), d.float()
	if h := d.take(d.count(1)); len(h) > 0 {
		return h
	}
	return nil
}

func (d *Decoder) decision() *Decision {
	c := &Decision{Step: d.varint(), Mode: record.Mode(d.byte()), ModeStep: d.varint(), Time: Time(d.varint())}
	if n := d.count(1); n > 0 {
		c.Workers = make([]string, n)
		for i := range c.Workers {
			c.Workers[i] = d.string()
		}
	}
	if d.err == nil && len(d.b) > 0 {
		c.Joined = make([]int, len(c.Workers))
		for i := range c.Joined {
			c.Joined[i] = int(min(d.uvarint(), math.MaxInt32))
		}
	}
	return c
}

func (d *Decoder) window() *Window {
	w := &Window{Index: d.varint(), From: Time(d.varint()), To: Time(d.varint()), Rows: record.Rows{}}
	if n := d.count(1); n > 0 {
		w.Late = make([]string, n)
		for i := range w.Late {
			w.Late[i] = d.string()
		}
	}
	for range d.count(3) {
		s := record.RowSource{Kind: record.RowKind(d.byte()), Name: d.string()}
		if s.Kind >= record.RowKinds {
			d.fail("unknown kind of rows %d", s.Kind)
		}
		w.Rows[s] += int64(min(d.uvarint(), math.MaxInt32))
	}
	return w
}

func (d *Decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
	d.b = nil
}

// take gives the next n bytes, or nothing after an error.
func (d *Decoder) take(n int) []byte {
	if n > len(d.b) {
		d.fail("ends early")
		return nil
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

func (d *Decoder) byte() byte {
	if v := d.take(1); v != nil {
		return v[0]
	}
	return 0
}

func (d *Decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail("no number where one belongs")
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *Decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail("no number where one belongs")
		return 0
	}
	d.b = d.b[n:]
	return v
}

// count reads a number of items of at least size bytes each, so that what is
// left of the record bounds what is allocated.
func (d *Decoder) count(size int) int {
	n := d.uvarint()
	if n > uint64(len(d.b)/size) {
		d.fail("%d items do not fit into %d bytes", n, len(d.b))
		return 0
	}
	return int(n)
}

func (d *Decoder) float() float64 {
	v := d.take(8)
	if v == nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(v))
}

func (d *Decoder) string() string {
	v := d.take(d.count(1))
	if s, ok := d.names[string(v)]; ok {
		return s
	}
	s := string(v)
	d.names[s] = s
	return s
}
