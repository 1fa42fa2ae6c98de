package record

import "math"

// Stretch is what a chart needs of neighbouring points of a series.
type Stretch struct {
	From, To    int64   // first and last step of a point in it, or microseconds since 1970
	Min, Max    float64 // of the finite values; NaN when none is
	Mean        float64 // likewise
	First, Last float64 // the values at From and To as they are
	Count       int64   // points
	Finite      int64   // of them finite
}

// Add takes in the next point. The stretch may be empty.
func (s *Stretch) Add(at int64, v float64) {
	if s.Count == 0 {
		*s = Stretch{From: at, First: v, Min: math.NaN(), Max: math.NaN(), Mean: math.NaN()}
	}
	s.To, s.Last = at, v
	s.Count++
	if v-v != 0 { // NaN or infinite
		return
	}
	s.Finite++
	if s.Finite == 1 {
		s.Min, s.Max, s.Mean = v, v, v
		return
	}
	s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	n := float64(s.Finite)
	s.Mean += v/n - s.Mean/n // v - s.Mean may be too large for a number
}

// Join takes in the stretch that comes next.
func (s *Stretch) Join(o *Stretch) {
	switch {
	case s.Count == 0:
		*s = *o
		return
	case o.Count == 0:
		return
	}
	s.To, s.Last = o.To, o.Last
	s.Count += o.Count
	switch {
	case o.Finite == 0:
	case s.Finite == 0:
		s.Min, s.Max, s.Mean, s.Finite = o.Min, o.Max, o.Mean, o.Finite
	default:
		s.Min, s.Max = min(s.Min, o.Min), max(s.Max, o.Max)
		s.Finite += o.Finite
		share := float64(o.Finite) / float64(s.Finite)
		s.Mean += o.Mean*share - s.Mean*share
	}
}
