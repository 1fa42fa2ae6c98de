package chunk_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/chunk"
	"github.com/vigil-ml/vigil/internal/store/journal"
)

// points is a series to make levels of: the steps of a mode, and what is at them.
type points struct {
	mode record.Mode
	at   []int64
}

func every(from, n, by int64) (at []int64) {
	for i := range n {
		at = append(at, from+i*by)
	}
	return at
}

func wavy(i int) float64 {
	switch i % 1000 {
	case 17:
		return math.NaN()
	case 500:
		return 1e9
	}
	return math.Sin(float64(i) / 100)
}

func lossOf(list ...points) []journal.Lazy {
	var out []journal.Lazy
	for i := 0; ; i++ {
		some := false
		for _, p := range list { // the modes in turn
			if i < len(p.at) {
				some = true
				out = append(out, journal.Lazy{Step: &record.Step{Worker: "w", Mode: p.mode, ModeStep: p.at[i], Scalars: []record.Scalar{{Name: "other"}, {Name: "loss", Value: wavy(i)}}}})
			}
		}
		if !some {
			return out
		}
	}
}

func levelsOf(t *testing.T, steps []journal.Lazy) (table, levels *chunk.File) {
	t.Helper()
	rows := chunk.GatherScalars(steps)
	var a, b bytes.Buffer
	if _, err := rows.Write(&a); err != nil {
		t.Fatal(err)
	}
	if err := rows.Levels().Write(&b); err != nil {
		t.Fatal(err)
	}
	table, err := open(a.Bytes())
	if err == nil {
		levels, err = open(b.Bytes())
	}
	if err != nil {
		t.Fatal(err)
	}
	return table, levels
}

// The stretches of a series hold all its points, each once; a stretch says where
// its rows are.
func TestLevels(t *testing.T) {
	again := every(0, 5000, 1)
	for i := 100; i < 200; i++ {
		again[i] = 99 // of several at one step the last counts
	}
	for name, c := range map[string]struct {
		list points
		most int // stretches
	}{
		"dense":                 {points{record.Train, every(3, 20_000, 1)}, 20_000/256 + 1},
		"every 500th":           {points{record.Train, every(0, 20_000, 500)}, 20_000/192 + 1},
		"another mode":          {points{record.Eval, every(1e12, 20_000, 7)}, 20_000/192 + 1},
		"one far away":          {points{record.Train, append(every(0, 20_000, 1), 1<<60)}, 20_000/256 + 2},
		"two clumps":            {points{record.Train, append(every(0, 3000, 1), every(1<<40, 3000, 1000)...)}, 6000 / 192},
		"several at one step":   {points{record.Train, again}, 5000/192 + 1},
		"negative steps":        {points{record.Train, every(-5000, 10_000, 1)}, 10_000/192 + 1},
		"as long as may be":     {points{record.Train, append(append([]int64{math.MinInt64}, every(0, 3000, 1)...), math.MaxInt64)}, 16},
		"just long enough":      {points{record.Train, every(0, chunk.LevelFrom+1, 1)}, 10},
		"too short":             {points{record.Train, every(0, chunk.LevelFrom, 1)}, 0},
		"steps that come again": {points{record.Train, append(every(0, 3000, 1), every(0, 3000, 1)...)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			table, levels := levelsOf(t, lossOf(points{record.Predict, every(0, 10, 1)}, c.list))
			got, err := levels.ReadLevels("loss", chunk.ValueStat, c.list.mode)
			if err != nil || len(got) > c.most || len(got) == 0 != (c.most == 0) {
				t.Fatalf("%d stretches, at most %d were expected: %v", len(got), c.most, err)
			}
			e := table.Find("loss")[0]
			modes, at, err := table.ModeSteps(e.From, e.Rows)
			if err != nil {
				t.Fatal(err)
			}
			values, err := table.Floats("value", e.From, e.Rows)
			if err != nil {
				t.Fatal(err)
			}
			count := int64(0)
			for k, v := range got {
				end := e.Rows
				if k+1 < len(got) {
					end = got[k+1].Row
				}
				var want record.Stretch
				for i := v.Row; i < end; i++ {
					if modes[i] == c.list.mode && (i+1 == e.Rows || at[i+1] != at[i] || modes[i+1] != modes[i]) {
						want.Add(at[i], values[i])
					}
				}
				v.Mean, want.Mean = math.Round(v.Mean*1e-3), math.Round(want.Mean*1e-3) // of 20 bits
				if d := cmp.Diff(want, v.Stretch, equal); d != "" {
					t.Fatalf("stretch %d: %s", k, d)
				}
				count += v.Count
			}
			different := int64(0)
			for i, x := range c.list.at {
				if i == 0 || x != c.list.at[i-1] {
					different++
				}
			}
			if len(got) > 0 && count != different {
				t.Errorf("%d points of %d are in stretches", count, different)
			}
			if got, err := levels.ReadLevels("loss", chunk.ValueStat, record.Global); err != nil || len(got) > 0 {
				t.Errorf("%d stretches of a mode without points, %v", len(got), err)
			}
		})
	}
}

// Levels that are made coarser are what they were made of, joined.
func TestCoarserLevels(t *testing.T) {
	l := chunk.GatherScalars(lossOf(points{record.Train, every(100, 30_000, 1)})).Levels()
	for _, width := range []int64{256, 512, 1024} {
		var b bytes.Buffer
		if err := l.Write(&b); err != nil {
			t.Fatal(err)
		}
		f, err := open(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.ReadLevels("loss", chunk.ValueStat, record.Train)
		if err != nil || int64(len(got)) != 30_100/width+1 {
			t.Fatalf("%d stretches of %d steps: %v", len(got), width, err)
		}
		for k, v := range got {
			first := max(int64(k)*width, 100)
			if v.Row != first-100 || v.From != first || v.To != min(int64(k+1)*width, 30_100)-1 || v.Count != v.To-v.From+1 {
				t.Fatalf("stretch %d of %d steps: %+v", k, width, v)
			}
		}
		l.Coarsen()
	}
}

// All statistics have levels, all parts of steps, by step and by time, and all
// metrics.
func TestLevelsOfOtherTables(t *testing.T) {
	written := func(l *chunk.Levels) *chunk.File {
		t.Helper()
		var b bytes.Buffer
		if err := l.Write(&b); err != nil {
			t.Fatal(err)
		}
		f, err := open(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	read := func(f *chunk.File, name, stat string, mode record.Mode) []chunk.Level {
		t.Helper()
		list, err := f.ReadLevels(name, stat, mode)
		if err != nil || len(list) == 0 {
			t.Fatalf("%s %s: %d stretches, %v", name, stat, len(list), err)
		}
		return list
	}
	stats := noisyStats(3000, 2)
	f := written(chunk.StatLevels(stats))
	for _, stat := range chunk.StatisticNames {
		high := math.Inf(-1)
		for i := range stats[:256] {
			high = max(high, chunk.Statistics[stat].Value(&stats[i].Stats[1].Stats))
		}
		if list := read(f, "layers.1.attention.weight", stat, record.Train); list[0].Max != high || list[0].Count != 256 {
			t.Errorf("%s: %+v, the maximum is %g", stat, list[0], high)
		}
	}
	times := noisyTimes(3000)
	f = written(chunk.TimeLevels(times))
	for p := range record.StepParts + 1 {
		list := read(f, p.Series(), chunk.ByStep, record.Train)
		if list[0].First != times[0].Seconds(p) || list[0].To != 255 {
			t.Errorf("%s by step: %+v", p.Series(), list[0])
		}
		list = read(f, p.Series(), chunk.ByTime, record.Train)
		if list[0].First != times[0].Seconds(p) || list[0].From != times[0].Start.UnixMicro() {
			t.Errorf("%s by time: %+v", p.Series(), list[0])
		}
	}
	m := realistic(5000, 100)
	f = written(chunk.MetricLevels(m))
	for _, name := range m.Names {
		count := int64(0)
		for _, v := range m.Column(name) {
			if !math.IsNaN(v) {
				count++
			}
		}
		if count <= chunk.LevelFrom {
			continue
		}
		for _, v := range read(f, name, chunk.ValueStat, record.Global) {
			if count -= v.Count; m.Times[v.Row] != v.From {
				t.Fatalf("%s: the stretch from %s on begins in row %d", name, time.UnixMicro(v.From), v.Row)
			}
		}
		if count != 0 {
			t.Errorf("%s: %d figures are in no stretch", name, count)
		}
	}
}

// TestGoldenLevels reads what earlier releases wrote.
func TestGoldenLevels(t *testing.T) {
	l := chunk.GatherScalars(lossOf(points{record.Eval, every(0, 10, 1)}, points{record.Train, every(0, 3000, 2)})).Levels()
	file := filepath.Join("testdata", "scalars.levels-000001.parquet")
	if *update {
		var b bytes.Buffer
		if err := l.Write(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.ReadLevels("loss", chunk.ValueStat, record.Train)
	if err != nil || len(got) != 12 {
		t.Fatalf("%d stretches, %v", len(got), err)
	}
	want := record.Stretch{From: 512, To: 1022, Min: math.Sin(4.71), Max: 1e9, Mean: got[1].Mean, First: math.Sin(2.56), Last: math.Sin(5.11), Count: 256, Finite: 256}
	if d := cmp.Diff(want, got[1].Stretch); d != "" || got[1].Row != 266 || math.Abs(got[1].Mean/3906249.6-1) > 1e-5 {
		t.Errorf("row %d, mean %g: %s", got[1].Row, got[1].Mean, d)
	}
}

// A table says which modes it has steps of without its rows being read, where it
// has one mode.
func TestModes(t *testing.T) {
	none := [record.Global + 1]int64{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}
	for _, list := range [][]points{{}, {{record.Eval, every(5, 100, 1)}}, {{record.Train, every(7, 300_000, 1)}, {record.Global, every(3, 2, 1)}}} {
		var b bytes.Buffer
		if err := chunk.WriteSteps(&b, lossOf(list...)); err != nil {
			t.Fatal(err)
		}
		read := &counter{src: bytes.NewReader(b.Bytes())}
		f, err := chunk.Open(read, int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		opened := read.n
		want, first := [record.Global + 1]bool{}, none
		for _, p := range list {
			want[p.mode], first[p.mode] = true, p.at[0]
		}
		if got, err := f.Modes(); err != nil || *got != want {
			t.Errorf("modes %v instead of %v, %v", got, want, err)
		}
		if len(list) == 1 && read.n != opened {
			t.Errorf("%d bytes of rows were read", read.n-opened)
		}
		if got, err := f.LeastSteps(); err != nil || *got != first {
			t.Errorf("first steps %v instead of %v, %v", got, first, err)
		}
	}
}
