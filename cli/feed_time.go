package cli

import (
	"encoding/binary"
	"encoding/json"
	"io/fs"
	"math"
	"strings"
	"time"

	"github.com/vigil-ml/vigil/internal/feed"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/source"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// What Python may ask for besides raw values and histograms.
const (
	hostsStat   = "hosts"   // the machine's series by host: JSON
	machineStat = "machine" // a series of a host: times and values
	timeStat    = "time"    // a part of the steps of a worker: mode steps, times and seconds
)

// byTime answers questions about what goes by time; ok is false for others.
func (f *feeder) byTime(q feed.Question) (v tensor.View, ok bool, err error) {
	m, there := f.t.(source.Metrics)
	switch q.Stat {
	case hostsStat, machineStat, timeStat:
		if !there {
			return v, true, fs.ErrNotExist
		}
	}
	switch q.Stat {
	case hostsStat:
		hosts := map[string][]string{}
		for _, host := range m.Hosts() {
			hosts[host] = m.MetricNames(host)
		}
		b, err := json.Marshal(hosts)
		return tensor.View{DType: tensor.U8, Shape: []int64{int64(len(b))}, Data: b}, true, err
	case machineStat:
		host := q.Worker
		for _, h := range m.Hosts() {
			if host == "" {
				host = h
			}
		}
		at, values, err := m.Metric(host, q.Tensor, time.Time{}, time.Time{})
		return doubles(seconds(at), values), true, err
	case timeStat:
		var steps, ends, lengths []float64
		err := m.Times(q.Worker, time.Time{}, time.Time{}, func(row *record.StepTime) error {
			if row.Mode == q.Mode {
				steps, ends = append(steps, float64(row.ModeStep)), append(ends, float64(row.End.UnixMicro())/1e6)
				lengths = append(lengths, partOf(row, strings.TrimPrefix(q.Tensor, "time/")))
			}
			return nil
		})
		if err == nil && len(steps) == 0 {
			err = fs.ErrNotExist
		}
		return doubles(steps, ends, lengths), true, err
	}
	return v, false, nil
}

// partOf is the mean of a part of the steps of a row, in seconds; "step" is all
// but the gap.
func partOf(row *record.StepTime, part string) float64 {
	ns := row.Total() - row.Gap
	for p := range record.StepParts {
		if p.String() == part {
			ns = row.Parts[p]
		}
	}
	return float64(ns) / 1e9 / float64(max(row.Steps, 1))
}

func seconds(at []time.Time) []float64 {
	out := make([]float64, len(at))
	for i, t := range at {
		out[i] = float64(t.UnixMicro()) / 1e6
	}
	return out
}

// doubles are rows of numbers of one length.
func doubles(rows ...[]float64) tensor.View {
	v := tensor.View{DType: tensor.F64, Shape: []int64{int64(len(rows)), int64(len(rows[0]))}}
	for _, row := range rows {
		for _, x := range row {
			v.Data = binary.LittleEndian.AppendUint64(v.Data, math.Float64bits(x))
		}
	}
	return v
}
