package journal

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Samples is one record of a host's journal. The names of series stand in the
// first record that needs them and are numbers from then on, in this journal.
type Samples struct {
	Host  string
	First uint32 // number of the first one of Names; the next ones count on
	Names []string
	Rows  []Row
}

// Row is one sample.
type Row struct {
	Time    int64    // microseconds since 1970
	Numbers []uint32 // of the series, ascending
	Values  []float64
}

// AppendSamples appends the payload of a record of samples.
func AppendSamples(b []byte, s *Samples) []byte {
	b = append(b, kindSamples)
	b = appendString(b, s.Host)
	b = binary.AppendUvarint(b, uint64(s.First))
	b = binary.AppendUvarint(b, uint64(len(s.Names)))
	for _, name := range s.Names {
		b = appendString(b, name)
	}
	b = binary.AppendUvarint(b, uint64(len(s.Rows)))
	at := int64(0)
	for _, r := range s.Rows {
		b = binary.AppendVarint(b, r.Time-at)
		at = r.Time
		b = binary.AppendUvarint(b, uint64(len(r.Values)))
		next := uint32(0)
		for i, n := range r.Numbers {
			b = binary.AppendUvarint(b, uint64(n-next)) // most often 0
			next = n + 1
			b = appendFigure(b, r.Values[i])
		}
	}
	return b
}

// A figure is an even uvarint, twice its 128th parts, where these are few and
// whole, as they are of percentages; else an odd one, the bits of the double from
// the last to the first one.
const (
	parts    = 128
	maxParts = 1 << 20
)

func appendFigure(b []byte, v float64) []byte {
	if n := v * parts; n >= 0 && n < maxParts && n == math.Trunc(n) && !math.Signbit(v) {
		return binary.AppendUvarint(b, uint64(n)<<1)
	}
	r := bits.Reverse64(math.Float64bits(v))
	if r >= 1<<63 { // the last bit of the mantissa is lost: nothing that is rounded has it
		r &^= 1 << 63
	}
	return binary.AppendUvarint(b, r<<1|1)
}

func (d *Decoder) figure() float64 {
	n := d.uvarint()
	if n&1 == 0 {
		return float64(n>>1) / parts
	}
	return math.Float64frombits(bits.Reverse64(n >> 1))
}

func (d *Decoder) samples() *Samples {
	s := &Samples{Host: d.string()}
	first := d.uvarint()
	if n := d.count(1); n > 0 {
		s.Names = make([]string, n)
		for i := range s.Names {
			s.Names[i] = d.string()
		}
	}
	if first+uint64(len(s.Names)) > maxNumber {
		d.fail("%d is no number of a series", first)
		return s
	}
	s.First = uint32(first)
	at := int64(0)
	for range d.count(2) {
		if d.err != nil {
			break
		}
		at += d.varint()
		r := Row{Time: at}
		if n := d.count(2); n > 0 {
			r.Numbers, r.Values = make([]uint32, n), make([]float64, n)
			next := uint64(0)
			for i := range r.Values {
				number := next + d.uvarint()
				if number > maxNumber {
					d.fail("%d is no number of a series", number)
					break
				}
				r.Numbers[i], r.Values[i] = uint32(number), d.figure()
				next = number + 1
			}
		}
		s.Rows = append(s.Rows, r)
	}
	return s
}

// maxNumber bounds how many series a journal may name.
const maxNumber = 1 << 24

// Machine is what samples of one host a journal holds, or a sealed table, by
// column.
type Machine struct {
	Host    string
	Times   []int64     // microseconds since 1970, ascending
	Names   []string    // of the columns
	Columns [][]float64 // NaN where a sample has no such figure; see Column

	numbers map[uint32]int // of the series in this journal, to their column
	byName  map[string]int
	next    uint32 // the first number that is free
}

// Add takes in a record. Figures of series whose names are lost are left out and
// are the error.
func (m *Machine) Add(s *Samples) error {
	if m.numbers == nil {
		m.numbers, m.byName = map[uint32]int{}, map[string]int{}
	}
	m.Host = s.Host
	for i, name := range s.Names {
		column, there := m.byName[name]
		if !there {
			column = len(m.Names)
			m.byName[name] = column
			m.Names, m.Columns = append(m.Names, name), append(m.Columns, nil)
		}
		number := s.First + uint32(i)
		m.numbers[number] = column
		m.next = max(m.next, number+1)
	}
	lost := 0
	for _, r := range s.Rows {
		k := len(m.Times)
		m.Times = append(m.Times, r.Time)
		for i, n := range r.Numbers {
			column, known := m.numbers[n]
			if !known {
				m.next = max(m.next, n+1)
				lost++
				continue
			}
			c := m.Columns[column]
			if len(c) > k {
				continue
			}
			for len(c) < k {
				c = append(c, math.NaN())
			}
			m.Columns[column] = append(c, r.Values[i])
		}
	}
	if lost > 0 {
		return fmt.Errorf("%d figures are of series whose names were in a damaged record", lost)
	}
	return nil
}

// Column is the column of a series, one figure for each of Times, NaN where there
// is none; nil when there is no such series.
func (m *Machine) Column(name string) []float64 {
	i := slices.Index(m.Names, name)
	if i < 0 {
		return nil
	}
	for len(m.Columns[i]) < len(m.Times) {
		m.Columns[i] = append(m.Columns[i], math.NaN())
	}
	return m.Columns[i]
}

// Numbers are the series that have a number, and the first number that is free.
func (m *Machine) Numbers() (byName map[string]uint32, next uint32) {
	byName = map[string]uint32{}
	for number, column := range m.numbers {
		byName[m.Names[column]] = number
	}
	return byName, m.next
}
