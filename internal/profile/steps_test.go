package profile

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/record"
)

const ms = 1_000_000

// tape writes marks. What it is told is, separated by commas: a number (so many
// milliseconds pass), a part and a number (it takes so long), "(part" and "part)"
// (it begins, it ends), "train 7" or "late train 7" (this step closes), "loader 1",
// "unknown".
type tape struct {
	at   int64
	ints []int64
}

func (r *tape) write(t testing.TB, text string) {
	t.Helper()
	for word := range strings.SplitSeq(text, ",") {
		f := strings.Fields(word)
		late := len(f) > 0 && f[0] == "late"
		if late {
			f = f[1:]
		}
		var n int64
		if len(f) > 0 {
			n, _ = strconv.ParseInt(f[len(f)-1], 10, 64)
		}
		switch {
		case len(f) == 0:
		case f[0] == "unknown":
			r.put(unknown)
		case f[0] == "loader":
			r.put(loader)
			r.ints = append(r.ints, n, r.at)
		case f[0] == "train" || f[0] == "eval":
			kind := int64(closes)
			if f[0] == "eval" {
				kind |= int64(record.Eval)
			}
			if late {
				kind |= 0x04
			}
			r.put(kind)
			r.ints = append(r.ints, n, n)
		case f[0][0] == '(':
			r.put(partOf(t, f[0][1:]))
		case strings.HasSuffix(f[0], ")"):
			r.put(partOf(t, strings.TrimSuffix(f[0], ")")) | end)
		case len(f) == 1:
			r.at += n * ms
		default:
			p := partOf(t, f[0])
			r.put(p)
			r.at += n * ms
			r.put(p | end)
		}
	}
}

func (r *tape) put(kind int64) { r.ints = append(r.ints, r.at<<8|kind) }

func partOf(t testing.TB, name string) int64 {
	t.Helper()
	for p := record.WaitForData; p < record.StepParts; p++ {
		if p.String() == name {
			return int64(p)
		}
	}
	t.Fatalf("there is no part %q", name)
	return 0
}

// batch is what was written since the last one, as it travels.
func (r *tape) batch(first, since int64) []byte {
	b := make([]byte, 0, 8*len(r.ints)+headBytes)
	for _, v := range append([]int64{zero.UnixNano(), first, since}, r.ints...) {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	r.ints = nil
	return b
}

var zero = time.Unix(1763721000, 0).UTC()

// told is a row in short: "train 0 60ms: data 30 forward 20 other 10 (gap 35)".
func told(r *record.StepTime) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", strings.ToLower(r.Mode.String()), r.Step)
	if r.Steps > 1 {
		fmt.Fprintf(&b, "+%d", r.Steps-1)
	}
	fmt.Fprintf(&b, " at %d:", r.Start.Sub(zero)/time.Millisecond)
	for p, ns := range r.Parts {
		if ns != 0 {
			fmt.Fprintf(&b, " %s %d", record.StepPart(p), ns/ms)
		}
	}
	return b.String() + fmt.Sprintf(", gap %d", r.Gap/ms)
}

func tell(times []record.StepTime) (out []string) {
	for i := range times {
		out = append(out, told(&times[i]))
	}
	return out
}

func TestParts(t *testing.T) {
	for name, c := range map[string]struct {
		marks string
		want  []string
	}{
		"one after the other, and what lies between": {
			"data 30, 1, forward 100, 2, forward 10, backward 200, 3, optimizer 40, train 0",
			[]string{"train 0 at 0: data 30 forward 110 backward 200 optimizer 40 other 6, gap 31"},
		},
		"the gap before a step is in its row": {
			"forward 50, optimizer 50, train 0, 20, data 30, forward 50, optimizer 1, train 1",
			[]string{"train 0 at 0: forward 50 optimizer 50, gap 0", "train 1 at 100: data 30 forward 50 optimizer 1 other 20, gap 50"},
		},
		"the innermost counts": {
			"(optimizer, 5, (forward, 10, checkpoint 70, 4, forward), (backward, 20, ranks 6, backward), 8, optimizer), train 0",
			[]string{"train 0 at 0: forward 14 backward 20 ranks 6 optimizer 13 checkpoint 70, gap 0"},
		},
		"what backward computes again is backward": {
			"forward 60, (backward, 10, forward 30, 10, backward), optimizer 1, train 0",
			[]string{"train 0 at 0: forward 60 backward 50 optimizer 1, gap 0"},
		},
		"a forward that ended with an error ends where the next batch is asked for": {
			"(forward, 60, data 5, 40, forward 10, optimizer 10, train 0",
			[]string{"train 0 at 0: data 5 forward 70 optimizer 10 other 40, gap 0"},
		},
		"an end without a beginning is passed over": {
			"forward 60, backward), data), 3, optimizer 10, train 0",
			[]string{"train 0 at 0: forward 60 optimizer 10 other 3, gap 0"},
		},
		"steps of evaluation end with their last forward": {
			"forward 50, optimizer 50, train 0, data 7, forward 60, 2, forward 3, data 8, late eval 1, forward 60, 5, data 9, late eval 2, forward 50, optimizer 2, train 3",
			[]string{
				"train 0 at 0: forward 50 optimizer 50, gap 0",
				"eval 1 at 100: data 7 forward 63 other 2, gap 7",
				"eval 2 at 172: data 8 forward 60, gap 8",
				"train 3 at 240: data 9 forward 50 optimizer 2 other 5, gap 14",
			},
		},
		"a step of which only the next update tells that it was over": {
			"forward 60, optimizer 5, 1, forward 50, late train 0, optimizer 4, train 1",
			[]string{"train 0 at 0: forward 60 optimizer 5, gap 0", "train 1 at 65: forward 50 optimizer 4 other 1, gap 1"},
		},
		"short steps share a row": {
			strings.Repeat("data 1, forward 5, optimizer 3, 1, train 0,", 4) + "forward 60, optimizer 1, train 0, forward 2, optimizer 1, train 0",
			[]string{"train 0+3 at 0: data 4 forward 20 optimizer 12 other 4, gap 4", "train 0 at 40: forward 60 optimizer 1, gap 0", "train 0 at 101: forward 2 optimizer 1, gap 0"},
		},
		"a row of short steps takes about 100 ms": {
			strings.Repeat("forward 30, optimizer 10, train 0,", 7),
			[]string{"train 0+2 at 0: forward 90 optimizer 30, gap 0", "train 0+2 at 120: forward 90 optimizer 30, gap 0", "train 0 at 240: forward 30 optimizer 10, gap 0"},
		},
		"short steps of modes that alternate": {
			strings.Repeat("data 1, forward 5, 2, late eval 0, forward 4, optimizer 2, train 0,", 3),
			[]string{"eval 0+2 at 0: data 3 forward 15, gap 3", "train 0+2 at 18: forward 12 optimizer 6 other 6, gap 6"},
		},
		"after something unknown the next step begins where one closes": {
			"forward 50, unknown, 10, forward 20, optimizer 30, train 0, forward 60, optimizer 1, train 1",
			[]string{"train 1 at 110: forward 60 optimizer 1, gap 0"},
		},
		"no step, no row": {"data 30, forward 20, 100", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var r tape
			r.write(t, c.marks)
			b, err := Decode(r.batch(0, -1))
			if err != nil {
				t.Fatal(err)
			}
			rows, missed := New("worker_0", time.Time{}).Add(b)
			if d := cmp.Diff(c.want, tell(rows.Times)); d != "" || missed != 0 {
				t.Errorf("%d missed; rows (-want +got):\n%s", missed, d)
			}
		})
	}
}

// TestGolden: what the hook in Python sends is understood. zero is that of the
// golden file.
func TestGolden(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "capture", "testdata", "protocol", "marks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Hex string
		Rows      []string
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			data, err := hex.DecodeString(c.Hex)
			if err != nil {
				t.Fatal(err)
			}
			b, err := Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			rows, _ := New("worker_0", time.Time{}).Add(b)
			if d := cmp.Diff(c.Rows, tell(rows.Times)); d != "" {
				t.Errorf("rows (-want +got):\n%s", d)
			}
		})
	}
}

// TestBatches: where batches are cut makes no difference to what went where, and
// one that is lost takes only its own time with it.
func TestBatches(t *testing.T) {
	add := func(w *Worker, r *tape, first *int64, since int64) (rows Rows, missed int64) {
		b, err := Decode(r.batch(*first, since))
		if err != nil {
			t.Fatal(err)
		}
		*first = b.Next
		return w.Add(b)
	}
	const step = "data 10, forward 70, optimizer 20, 5, train 0"
	t.Run("cut in the middle of a step", func(t *testing.T) {
		var r tape
		var first int64
		w := New("worker_0", time.Time{})
		r.write(t, "data 10, (forward, 30")
		rows, _ := add(w, &r, &first, -1)
		r.write(t, "40, forward), optimizer 20, 5, train 0")
		more, missed := add(w, &r, &first, -1)
		want := []string{"train 0 at 0: data 10 forward 70 optimizer 20 other 5, gap 10"}
		if d := cmp.Diff(want, tell(append(rows.Times, more.Times...))); d != "" || missed != 0 {
			t.Errorf("%d missed; rows (-want +got):\n%s", missed, d)
		}
	})
	t.Run("one is lost", func(t *testing.T) {
		var r tape
		var first int64
		w := New("worker_0", time.Time{})
		r.write(t, step)
		add(w, &r, &first, -1)
		r.write(t, step)
		first += int64(len(r.ints))
		lost := int64(len(r.ints))
		r.ints = nil
		since := r.at
		r.write(t, "3, "+step)
		rows, missed := add(w, &r, &first, since)
		want := []string{"train 0 at 210: data 10 forward 70 optimizer 20 other 8, gap 13"}
		if d := cmp.Diff(want, tell(rows.Times)); d != "" || missed != lost {
			t.Errorf("%d missed, want %d; rows (-want +got):\n%s", missed, lost, d)
		}
	})
	t.Run("a new agent comes in the middle", func(t *testing.T) {
		var r tape
		w := New("worker_0", time.Time{})
		first := int64(1000)
		r.write(t, "40, forward), optimizer 20, train 0, "+step)
		rows, missed := add(w, &r, &first, -1)
		want := []string{"train 0 at 60: data 10 forward 70 optimizer 20 other 5, gap 10"}
		if d := cmp.Diff(want, tell(rows.Times)); d != "" || missed != 0 {
			t.Errorf("%d missed; rows (-want +got):\n%s", missed, d)
		}
	})
}

// Each pass of a loader is an event with the loader's settings.
func TestPassesOfALoader(t *testing.T) {
	var r tape
	r.write(t, "data 200, loader 1, 10, forward 30, optimizer 20, train 0, data 100, loader 1, forward 30, optimizer 20, train 1")
	b, err := Decode(r.batch(0, -1))
	if err != nil {
		t.Fatal(err)
	}
	w := New("worker_0", time.Time{})
	w.Loader(1, json.RawMessage(`{"workers":2}`))
	rows, _ := w.Add(b)
	passes := 0
	for _, e := range rows.Events {
		if e.Kind == record.LoaderEvent && string(e.Facts) == `{"workers":2}` {
			passes++
		}
	}
	if passes != 2 {
		t.Errorf("%d passes in %v, want 2", passes, rows.Events)
	}
}

func TestEvents(t *testing.T) {
	var r tape
	r.write(t, "data 200, loader 1, 10, forward 30, optimizer 20, train 0,"+
		"data 5, forward 80, late eval 1, forward 60, late eval 2, 3, forward 50, optimizer 10, train 3,"+ // an evaluation
		"forward 5, late eval 4, forward 90, optimizer 1, train 5,"+ // a short one
		"checkpoint 40, 2")
	b, err := Decode(r.batch(0, -1))
	if err != nil {
		t.Fatal(err)
	}
	w := New("worker_0", zero.Add(-3*time.Second))
	w.Loader(1, json.RawMessage(`{"workers":2}`))
	w.Compiler(json.RawMessage(`{"compilations":1}`))
	w.Compiler(json.RawMessage(`{"compilations":2}`))
	rows, _ := w.Add(b)
	w.Compiler(json.RawMessage(`{"compilations":3}`))
	w.Compiler(json.RawMessage(`{"reason":"` + strings.Repeat("x", maxCompiler) + `"}`))
	var got []string
	for _, e := range append(rows.Events, w.End(zero.Add(time.Second))...) {
		got = append(got, fmt.Sprintf("%s %s %d-%d step %d %s", e.Kind, e.Name, e.Start.Sub(zero)/time.Millisecond, e.End.Sub(zero)/time.Millisecond, e.Step, e.Facts))
	}
	want := []string{
		`loader  200-200 step 0 {"workers":2}`,
		`phase start-up -3000-260 step 0 {"imports_seconds":3,"data_seconds":0.2,"first_step_seconds":0.05}`,
		`evaluation  260-405 step 1 {"steps":2}`,
		`checkpoint  564-604 step 5 `,
		`compiler  604-604 step 5 {"compilations":2}`,
		`compiler  604-604 step 5 {"compilations":3}`,
		`phase training 260-564 step 5 `,
		`phase finishing 564-1000 step 5 `,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
}

// TestNothingIsLost: whatever the marks, and wherever batches are cut, rows follow
// each other, their parts add up to them to the nanosecond, and all of them to the
// time from the first mark to the last step's end.
func TestNothingIsLost(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		w := New("worker_0", time.Time{})
		var r tape
		var rows []record.StepTime
		var spans time.Duration
		first, step := int64(0), int64(0)
		for range 400 {
			r.at += rnd.Int64N(3 * ms)
			if rnd.IntN(40) == 0 {
				r.at += rnd.Int64N(300 * ms)
			}
			part := rnd.Int64N(int64(record.StepParts))
			switch rnd.IntN(9) {
			case 0:
				r.put(closes)
				r.ints = append(r.ints, step, step)
				step++
			case 1:
				r.put(closes | 0x04 | int64(record.Eval))
				r.ints = append(r.ints, step, step)
				step++
			case 2, 3, 4, 5:
				r.put(part)
			default:
				r.put(part | end)
			}
			if rnd.IntN(30) == 0 {
				b, err := Decode(r.batch(first, -1))
				if err != nil {
					t.Fatal(err)
				}
				first = b.Next
				got, missed := w.Add(b)
				if missed != 0 {
					t.Fatalf("seed %d: %d missed", seed, missed)
				}
				rows = append(rows, got.Times...)
				for _, i := range got.Intervals {
					spans += i.End.Sub(i.Start)
				}
			}
		}
		var steps int64
		for i, row := range rows {
			if d := row.End.Sub(row.Start).Nanoseconds(); d != row.Total() || row.Gap < 0 || row.Gap > d || row.Longest > d {
				t.Fatalf("seed %d: the parts of %s add up to %d of %d", seed, told(&row), row.Total(), d)
			}
			for p, ns := range row.Parts {
				if ns < 0 {
					t.Fatalf("seed %d: %s took %d ns", seed, record.StepPart(p), ns)
				}
			}
			if i > 0 && !row.Start.Equal(rows[i-1].End) {
				t.Fatalf("seed %d: %s begins %v after the row before it", seed, told(&row), row.Start.Sub(rows[i-1].End))
			}
			steps += row.Steps
		}
		if n := len(rows); n == 0 || spans > rows[n-1].End.Sub(rows[0].Start) {
			t.Fatalf("seed %d: %d rows, intervals of %v", seed, n, spans)
		}
	}
}

func TestIntervals(t *testing.T) {
	var r tape
	r.write(t, "data 60, forward 40, backward 5, forward 10, backward 5, 10, optimizer 20, train 0, forward 1, optimizer 1, train 1, forward 1, optimizer 1, train 2")
	b, err := Decode(r.batch(0, -1))
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := New("worker_0", time.Time{}).Add(b)
	var got []string
	for _, i := range rows.Intervals {
		got = append(got, fmt.Sprintf("%d.%d %s %d-%d", i.Step, i.MicroBatch, i.Part, i.Start.Sub(zero)/time.Millisecond, i.End.Sub(zero)/time.Millisecond))
	}
	want := []string{"0.0 data 0-60", "0.0 forward 60-100", "0.0 backward 100-105", "0.1 forward 105-115", "0.1 backward 115-120", "0.1 other 120-130", "0.1 optimizer 130-150",
		"1.0 forward 150-151", "1.0 optimizer 151-152"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("intervals (-want +got):\n%s", d)
	}
}

// FuzzDecode feeds bytes to the decoder, and what it takes to a worker: rows are
// sums of what they are made of, whatever the hook sent.
func FuzzDecode(f *testing.F) {
	var r tape
	r.write(f, "data 30, loader 0, forward 20, backward 9, optimizer 4, train 0, late eval 1, checkpoint 3, unknown")
	f.Add(r.batch(0, -1), r.batch(3, 5))
	f.Add([]byte{}, make([]byte, headBytes))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		w := New("worker_0", time.Time{})
		for _, data := range [][]byte{one, two} {
			b, err := Decode(data)
			if err != nil {
				continue
			}
			rows, _ := w.Add(b)
			for _, row := range rows.Times {
				if row.End.Sub(row.Start).Nanoseconds() != row.Total() {
					t.Fatalf("%s: parts add up to %d of %v", told(&row), row.Total(), row.End.Sub(row.Start))
				}
			}
		}
		w.End(zero)
	})
}

func TestDecodeRefuses(t *testing.T) {
	head := []int64{0, 0, -1}
	for name, c := range map[string]struct {
		ints []int64
		want string
	}{
		"a step without its numbers": {append(head, closes, 1), "marks of a wrong size"},
		"a time before the zero":     {append(head, -1<<8), "marks out of range"},
		"a step below 0":             {append(head, closes, -1, 0), "marks out of range"},
		"a kind of the future":       {append(head, 0x50), "unknown kind of mark"},
		"no head":                    {head[:2], "marks of a wrong size"},
		"a zero before 1970":         {[]int64{-1, 0, 0}, "marks out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			var b []byte
			for _, v := range c.ints {
				b = binary.LittleEndian.AppendUint64(b, uint64(v))
			}
			if _, err := Decode(b); err == nil || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}
