package view_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/view"
)

// sampledWindow is a window in which main called fit for 3 s and load for 1.5 s; of
// them fit was at two lines.
func sampledWindow(t *testing.T, number int, fit, load int64) []byte {
	t.Helper()
	w, _, err := stacks.Sent(fmt.Appendf(nil, `{"number":%d,"session":"s","pid":41,"began_ns":1767323045000000000,"seconds":4.5,"first_step":120,"end_step":141,"workers":9,
"processes":[{"pid":41,"kind":"rank","samples":300,"ns":4500000000,"interval_ns":10000000,
 "frames":[["/home/u/train.py",31,"main"],["/home/u/train.py",33,"main"],["/home/u/fit.py",7,"fit"],["/home/u/fit.py",8,"fit"],["/home/u/data.py",9,"load"]],
 "stacks":[["MainThread",[2,0],%d,100,0],["MainThread",[3,0],1000000000,50,0],["MainThread",[4,1],%d,150,0]]}]}`, number, fit, load))
	if err != nil {
		t.Fatal(err)
	}
	w.Worker, w.Why = "worker_0", "vigil profile"
	b, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stacks.Decode(bytes.NewReader(b)); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFlameTree(t *testing.T) {
	run := sampledRun(t, nil, func(w *store.Writer) {
		for n, b := range [][]byte{sampledWindow(t, 1, 2e9, 1e9), sampledWindow(t, 2, 2e9, 5e9)} {
			if err := w.Profile("worker_0", n+1, b); err != nil {
				t.Fatal(err)
			}
		}
	})
	infos := view.WindowInfos(run)
	if len(infos) != 2 || infos[0].Samples != 300 || infos[1].FirstStep != 120 || infos[1].Damaged != "" {
		t.Errorf("windows %+v", infos)
	}
	type row struct {
		function            string
		line, parent        int
		self, total, change float64
	}
	for _, tt := range []struct {
		name string
		q    view.FlameQuery
		want []row
	}{
		{"by function", view.FlameQuery{Window: 1}, []row{{"main", 0, -1, 0, 4, 0}, {"fit", 0, 0, 3, 3, 0}, {"load", 0, 0, 1, 1, 0}}},
		{"by line", view.FlameQuery{Window: 1, ByLine: true}, []row{{"main", 31, -1, 0, 3, 0}, {"fit", 7, 0, 2, 2, 0}, {"fit", 8, 0, 1, 1, 0}, {"main", 33, -1, 0, 1, 0}, {"load", 9, 3, 1, 1, 0}}},
		{"the later beside the earlier", view.FlameQuery{Window: 2, Minus: 1}, []row{{"main", 0, -1, 0, 8, 0}, {"load", 0, 0, 5, 5, 37.5}, {"fit", 0, 0, 3, 3, -37.5}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := view.FlameTreeOf(run, tt.q)
			if err != nil {
				t.Fatal(err)
			}
			var got []row
			for _, r := range f.Rows {
				got = append(got, row{r.Function, r.Line, r.Parent, r.Self, r.Total, r.Change})
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if f.Left != 0 || f.Few != "" || len(f.Lines) == 0 {
				t.Errorf("%d left, %q, lines %+v", f.Left, f.Few, f.Lines)
			}
		})
	}
	f, err := view.FlameTreeOf(run, view.FlameQuery{Window: 2, Minus: 1})
	if err != nil || f.Lines[0].Function != "load" || f.Lines[0].Share != 0.625 || f.Lines[0].Before != 0.25 {
		t.Errorf("what changed most: %+v, error %v", f.Lines, err)
	}
	for _, q := range []view.FlameQuery{{Window: 3}, {Window: 1, Worker: "worker_1"}, {Window: 1, Loaders: true}, {Window: 1, Minus: 9}} {
		if _, err := view.FlameTreeOf(run, q); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
