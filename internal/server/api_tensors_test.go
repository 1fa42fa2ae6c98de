package server

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv/tensors"
)

// answerOf asks an API and gives status and answer.
func answerOf(t *testing.T, base, path string) (int, map[string]any) {
	t.Helper()
	r, err := http.Get(base + "/api/v1" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatalf("%s: %v in %.300s", path, err, b)
	}
	return r.StatusCode, m
}

// captured has the runs of package tensors, which several tests read and none writes to.
var captured struct {
	sync.Once
	root string
}

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(captured.root)
	os.Exit(code)
}

// capturedRun is a server over the runs of package tensors.
func capturedRun(t *testing.T) string {
	t.Helper()
	captured.Do(func() {
		root, err := os.MkdirTemp("", "vigil-server-")
		if err != nil {
			t.Fatal(err)
		}
		captured.root = root
		tensors.Write(t, root, "run")
		tensors.WriteOther(t, root, "other")
	})
	root := captured.root
	s := httptest.NewServer(New(Options{Root: root, Version: "test"}).Handler())
	t.Cleanup(s.Close)
	return s.URL
}

// field goes into an answer: "rows.0.name".
func field(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch m := v.(type) {
		case map[string]any:
			v = m[name]
		case []any:
			i := 0
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(m) {
				return nil
			}
			v = m[i]
		default:
			return nil
		}
	}
	return v
}

// What an answer says, in words: each a path into it and the JSON there; "#" counts.
func TestTensors(t *testing.T) {
	base := capturedRun(t)
	const weight, grad = "tensor=fc.weight", "tensor=gradient/conv1.weight"
	for _, c := range []struct {
		path string
		want map[string]string
	}{
		{"/heat?stat=mean", map[string]string{"format": "1", "mode": `"TRAIN"`, "#steps": "60", "#rows": "12", "all": "12", "more": "0",
			"rows.0.name": `"inputs.0"`, "rows.1.name": `"conv1.weight"`, "rows.2.name": `"gradient/conv1.weight"`, "rows.2.module": `"conv1"`, "rows.2.kind": `"gradient"`, "#rows.2.values": "60", "stats.0": `"min"`}},
		{"/heat?stat=abs_mean&collection=gradients&columns=6", map[string]string{"log": "true", "#rows": "1", "steps": "[0,10,20,30,40,50]", "rows.0.odd": "[4,5]", "rows.0.values.4": `"NaN"`}},
		{"/heat?stat=max&collection=gradients&columns=5", map[string]string{"rows.0.odd": "[]", "steps": "[0,12,24,36,48]"}},
		{"/heat?stat=mean&q=" + url.QueryEscape(`^fc\.`) + "&rows=1", map[string]string{"#rows": "1", "rows.0.name": `"fc.weight"`, "all": "2", "more": "1"}},
		{"/heat?stat=mean&q=" + url.QueryEscape(`^fc\.`) + "&rows=1&skip=1", map[string]string{"#rows": "1", "rows.0.name": `"fc.bias"`, "all": "2", "more": "0"}},
		{"/heat?stat=mean&skip=100", map[string]string{"rows": "[]", "steps": "[]", "more": "0"}},
		{"/heat?stat=mean&from=10&to=13&mode=TRAIN", map[string]string{"steps": "[10,11,12]"}},
		{"/heat?stat=mean&mode=EVAL", map[string]string{"steps": "[0]", "mode": `"EVAL"`}},
		{"/heat?stat=nosuch", map[string]string{"rows": "[]"}},
		{"/heat?stat=" + url.QueryEscape("pair[lag=1,every=0].mean_abs_diff"), map[string]string{"#rows": "1", "rows.0.name": `"fc.weight"`, "rows.0.values.0": "0.25"}},

		{"/histograms?" + weight, map[string]string{"mode": `"TRAIN"`, "worker": `"worker_0"`, "#steps": "60", "all": "60", "elements.0": "420000"}},
		{"/histograms?" + weight + "&columns=3&bins=4", map[string]string{"steps": "[0,29,59]", "all": "60"}},
		{"/histograms?" + grad + "&columns=2", map[string]string{"steps": "[0,59]", "nan": "[0,1]", "inf": "[0,1]"}},
		{"/histograms?tensor=fc.bias", map[string]string{"edges": "[]", "steps": "[]", "all": "0"}},
		{"/histograms?tensor=words", map[string]string{"edges": "[]"}},

		{"/stats?" + grad, map[string]string{"step": "59", "stats.nan": "1", "stats.neginf": "1", "stats.mean": `"NaN"`, "stats.count": "300", "shape": "[4,3,5,5]", "#steps": "60", "raw_steps": "[0,20,40]", "#histogram.edges": "*"}},
		{"/stats?" + grad + "&step=12", map[string]string{"step": "12", "stats.nan": "0"}},
		{"/stats?" + weight + "&step=3", map[string]string{"step": "3", "derived.pair[lag=1,every=0]": "", "worker": `"worker_0"`}},
		{"/stats?tensor=fc.bias&worker=worker_1&mode=EVAL", map[string]string{"step": "0", "mode": `"EVAL"`, "worker": `"worker_1"`, "histogram": "null"}},
		{"/stats?tensor=loss&step=1", map[string]string{"stats": `{"value":0.5}`, "shape": "[]"}},
		{"/stats?tensor=words", map[string]string{"step": "40", "steps": "[0,20,40]", "stats": "{}"}},

		{"/raw?" + weight, map[string]string{"step": "40", "steps": "[0,20,40]", "dtype": `"BF16"`, "shape": "[600,700]", "at": "[]", "rows": "[0,600]", "columns": "[0,700]", "row_stride": "2", "column_stride": "2", "#values": "105000"}},
		{"/raw?" + weight + "&step=39&rows=10:13&columns=690:", map[string]string{"step": "20", "rows": "[10,13]", "columns": "[690,700]", "#values": "30", "row_stride": "1"}},
		{"/raw?tensor=fc.bias", map[string]string{"rows": "[0,1]", "columns": "[0,1200]", "column_stride": "1", "#values": "1200"}},
		{"/raw?tensor=conv1.weight&at=3,2", map[string]string{"at": "[3,2]", "#values": "25"}},
		{"/raw?tensor=conv1.weight&flat=true&rows=1:3", map[string]string{"at": "[]", "rows": "[1,3]", "columns": "[0,75]", "#values": "150"}},
		{"/raw?tensor=conv1.weight&at=1", map[string]string{"at": "[1,0]"}},
		{"/raw?" + grad + "&step=40&rows=1:2", map[string]string{"values.2": `"NaN"`, "values.3": `"-Inf"`}},
		{"/raw?tensor=mask", map[string]string{"values": "[0,1,0]", "min": "0", "max": "1"}},
		{"/raw?tensor=wave", map[string]string{"values": "[5]", "shape": "[]"}},
		{"/raw?tensor=none", map[string]string{"values": "[]", "min": `"NaN"`}},
		{"/raw?tensor=words&step=20", map[string]string{"dtype": `"STRING"`, "shape": "[2,2]", "strings": `["the","<script>","quick\n","` + "\u202e" + `fox"]`, "values": "[]", "more": "0"}},
		{"/raw?tensor=words&rows=1:", map[string]string{"strings": `["quick\n","` + "\u202e" + `fox"]`}},
		{"/stats?tensor=images", map[string]string{"image_orders": `["NCHW","NHWC"]`, "images": "true"}},
		{"/stats?tensor=photos", map[string]string{"image_orders": `["NHWC","NCHW"]`, "images": "true"}},
		{"/stats?tensor=conv1.weight", map[string]string{"image_orders": `["NCHW","NHWC"]`, "images": "false"}},
		{"/stats?tensor=words", map[string]string{"image_orders": "[]", "images": "false"}},
		{"/images?tensor=images", map[string]string{"step": "40", "steps": "[0,20,40]", "order": `"NCHW"`, "batch": "4", "channels": "3", "height": "12", "width": "10", "planes": "3", "rows": "[0,12]", "columns": "[0,10]",
			"stride": "1", "index": "[0,1,2,3]", "channel": "[-1,-1,-1,-1]", "tile_odd": "[2,0,0,0]", "more": "0", "#values": "1440", "values.7": `"NaN"`, "values.8": `"-Inf"`, "odd": "2", "whole": "true"}},
		{"/images?tensor=images&step=20&index=3&channel=1", map[string]string{"step": "20", "planes": "1", "index": "[3]", "channel": "[1]", "tile_odd": "[0]", "#values": "120", "whole": "true", "odd": "0"}},
		{"/images?tensor=images&index=1&apart=true&rows=3:5&columns=2:", map[string]string{"channel": "[0,1,2]", "index": "[1,1,1]", "rows": "[3,5]", "columns": "[2,10]", "#values": "48"}},
		{"/images?tensor=photos&index=1&step=0", map[string]string{"order": `"NHWC"`, "planes": "3", "#values": "216", "values.0": "56", "values.1": "71", "values.72": "61"}},
		{"/images?tensor=photos&order=NCHW", map[string]string{"order": `"NCHW"`, "channels": "9", "height": "8", "width": "3", "planes": "1", "#index": "18"}},

		{"/stats/compare?with=other&tensor=gradient/conv1.weight&step=20", map[string]string{"error": `""`, "here.run": `"run"`, "there.run": `"other"`, "here.step": "20", "there.step": "20", "there.worker": `"worker_0"`, "stats.0.name": `"count"`, "stats.0.difference": "0", "stats.1.name": `"min"`,
			"histograms.here_step": "20", "histograms.there_step": "20", "values": "true", "why_not": `""`}},
		{"/stats/compare?with=other&tensor=gradient/conv1.weight&step=20&with_step=33", map[string]string{"here.step": "20", "there.step": "33", "histograms.there_step": "33", "values": "true"}},
		{"/stats/compare?with=other&tensor=gradient/conv1.weight&step=50", map[string]string{"stats.3.name": `"mean"`, "stats.3.difference": `"NaN"`, "stats.3.relative": `"NaN"`}},
		{"/stats/compare?with=run&tensor=loss&step=3&with_step=1", map[string]string{"stats": `[{"name":"value","derived":false,"here":0.25,"there":0.5,"difference":-0.25,"relative":-0.5}]`, "histograms": "null", "values": "false", "why_not": `"The values of \"loss\" were not stored in run \"run\", only their statistics."`}},
		{"/stats/compare?with=other&tensor=fc.weight", map[string]string{"error": `""`, "there.shape": "[6,7]", "values": "false", "why_not": `"\"fc.weight\" has the shape [6 7] in run \"other\" and [600 700] here: only values of one shape have a difference."`}},
		{"/stats/compare?with=other&tensor=conv1.weight", map[string]string{"values": "false", "why_not": `"The values of \"conv1.weight\" were not stored in run \"other\", only their statistics."`}},
		{"/stats/compare?with=other&tensor=mask", map[string]string{"error": `"Run \"other\" has no tensor \"mask\"."`, "stats": "[]", "there.step": "-1"}},
		{"/stats/compare?with=other&tensor=mask&with_tensor=none", map[string]string{"error": `""`, "there.name": `"none"`, "values": "false"}},
		{"/stats/compare?with=nosuch&tensor=mask", map[string]string{"error": `"There is no run \"nosuch\" here; it may have been removed or renamed."`}},
		{"/stats/compare?with=other&tensor=words", map[string]string{"error": `""`, "stats": "[]", "why_not": `"\"words\" is strings in run \"run\", which have no difference."`}},
		{"/raw/compare?with=other&tensor=fc.bias&step=20&worker=worker_1", map[string]string{"step": "20", "with.run": `"other"`, "with.step": "20", "with.worker": `"worker_1"`, "#values": "1200"}},
		{"/raw/compare?with=other&tensor=images&step=40&at=0,0&rows=0:1", map[string]string{"values.7": `"NaN"`, "values.8": `"NaN"`, "#values": "10"}},
		{"/raw?tensor=" + url.QueryEscape(tensors.Odd) + "&mode=EVAL", map[string]string{"step": "0", "mode": `"EVAL"`, "#values": "2"}},
	} {
		status, got := answerOf(t, base, "/runs/run"+c.path)
		if status != 200 {
			t.Errorf("%s: %d %v", c.path, status, got["detail"])
			continue
		}
		for path, want := range c.want {
			v := field(got, strings.TrimPrefix(path, "#"))
			if list, is := v.([]any); is && path[0] == '#' {
				if n := fmt.Sprint(len(list)); n != want && want != "*" {
					t.Errorf("%s: %d in %s, want %s", c.path, len(list), path[1:], want)
				}
				continue
			}
			if want == "" {
				continue
			}
			var wanted any
			if err := json.Unmarshal([]byte(want), &wanted); err != nil {
				t.Fatal(want, err)
			}
			if d := cmp.Diff(wanted, v); d != "" {
				t.Errorf("%s: %s (-want +got):\n%s", c.path, path, d)
			}
		}
	}
}

// What is asked wrongly is said in one sentence.
func TestTensorsRefused(t *testing.T) {
	base := capturedRun(t)
	for _, c := range []struct {
		path   string
		status int
		detail string
	}{
		{"/heat?q=(", 422, `"(" is not a regular expression: missing ), unterminated subpattern at position 0`},
		{"/heat?columns=0", 422, ""},
		{"/heat?rows=100000", 422, ""},
		{"/heat?mode=SLEEP", 422, ""},
		{"/heat?from=-1", 422, ""},
		{"/histograms", 422, ""},
		{"/histograms?tensor=no", 404, `Run "run" has no tensor "no"`},
		{"/histograms?tensor=fc.weight&bins=1", 422, ""},
		{"/stats?tensor=fc.weight&mode=PREDICT", 404, `has nothing of "fc.weight" in the mode and of the worker asked for`},
		{"/stats?tensor=fc.weight&worker=nobody", 404, "has nothing of"},
		{"/stats?tensor=fc.weight&step=-2", 422, ""},
		{"/raw?tensor=loss", 404, "values are stored of collections with raw: vigil run --collect"},
		{"/raw?tensor=fc.weight&rows=600:601", 422, "rows 600 to 600 are not among its 600"},
		{"/raw?tensor=fc.weight&rows=9:9", 422, `"9:9" names no rows or columns: write A:B with A below B`},
		{"/raw?tensor=fc.weight&rows=x", 422, ""},
		{"/raw?tensor=fc.weight&rows=999999999999999999999999:", 422, ""},
		{"/raw?tensor=fc.weight&at=1", 422, "a tensor of shape [600 700] has 0 dimensions before its rows and columns, not 1"},
		{"/raw?tensor=conv1.weight&at=4", 422, "index 4 is not one of the 4 of dimension 0"},
		{"/raw?tensor=conv1.weight&at=99999999999999999999", 422, "is no index"},
		{"/raw?tensor=conv1.weight&at=0,0,0", 422, "not 3"},
		{"/raw?tensor=conv1.weight&at=1&flat=true", 422, "not 1"},
		{"/raw?tensor=fc.weight&worker=nobody", 404, "has nothing of"},
		{"/images?tensor=loss", 404, "values are stored of collections with raw: vigil run --collect"},
		{"/images?tensor=fc.weight", 422, "a tensor of shape [600 700] has no images: those have three or four dimensions"},
		{"/images?tensor=words", 422, `"words" is strings and no images`},
		{"/images?tensor=images&order=HWC", 422, "a tensor of shape [4 3 12 10] has no order HWC: it may have NCHW, NHWC"},
		{"/images?tensor=images&order=XYZ", 422, ""},
		{"/images?tensor=images&index=4", 422, "index 4 is not one of the 4 of shape [4 3 12 10] as NCHW"},
		{"/images?tensor=images&rows=2:2", 422, "names no rows or columns"},
		{"/stats/compare?tensor=fc.weight", 422, ""},
		{"/stats/compare?tensor=no&with=other", 404, `Run "run" has no tensor "no"`},
		{"/raw/compare?tensor=fc.weight&with=other", 404, `"fc.weight" has the shape [6 7] in run "other" and [600 700] here`},
		{"/raw/compare?tensor=mask&with=other", 404, `Run "other" has no tensor "mask".`},
		{"/raw/compare?tensor=fc.bias&with=nosuch", 404, ""},
		{"/raw/compare?tensor=fc.bias&with=other&rows=7:8", 422, "are not among its 1"},
	} {
		status, got := answerOf(t, base, "/runs/run"+c.path)
		if detail, _ := got["detail"].(string); status != c.status || !strings.Contains(detail, c.detail) || detail == "" {
			t.Errorf("%s: %d %v, want %d %q", c.path, status, got["detail"], c.status, c.detail)
		}
	}
	if status, _ := answerOf(t, base, "/runs/nosuch/heat"); status != 404 {
		t.Errorf("another run: %d", status)
	}
}

// Every value of a part is the one that was written there.
func TestRawValues(t *testing.T) {
	base := capturedRun(t)
	for _, c := range []struct {
		tensor, query string
		index         func(i int) int64 // in the tensor of value i
	}{
		{"fc.weight", "rows=7:31&columns=5:9", func(i int) int64 { return int64(7+i/4)*700 + int64(5+i%4) }},
		{"fc.weight", "", func(i int) int64 { return int64(2*(i/350))*700 + int64(2*(i%350)) }},
		{"conv1.weight", "at=3,1&rows=2:4", func(i int) int64 { return (3*3+1)*25 + 10 + int64(i) }},
		{"conv1.weight", "flat=true&rows=2:3&columns=10:", func(i int) int64 { return 2*75 + 10 + int64(i) }},
		{"fc.bias", "columns=100:120", func(i int) int64 { return 100 + int64(i) }},
		{"inputs.0", "", func(i int) int64 { return int64(i) }},
	} {
		for rank, worker := range []string{"worker_0", "worker_1"} {
			status, got := answerOf(t, base, "/runs/run/raw?step=20&worker="+worker+"&tensor="+c.tensor+"&"+c.query)
			if status != 200 {
				t.Errorf("%s %s: %d %v", c.tensor, c.query, status, got["detail"])
				continue
			}
			whole := tensors.Value(c.tensor, 20, rank)
			least, most := math.Inf(1), math.Inf(-1)
			for i, v := range got["values"].([]any) {
				want := tensor.ToFloat64(whole, c.index(i))
				least, most = min(least, want), max(most, want)
				if v != want {
					t.Fatalf("%s %s, value %d: %v, want %v", c.tensor, c.query, i, v, want)
				}
			}
			if got["min"] != least || got["max"] != most {
				t.Errorf("%s %s: %v to %v, want %v to %v", c.tensor, c.query, got["min"], got["max"], least, most)
			}
		}
	}
}

// A difference is that of the values that were written, each from the one at its place.
func TestDifferences(t *testing.T) {
	base := capturedRun(t)
	for _, c := range []struct {
		tensor, query string
		there         string
		step          int64
		index         func(i int) int64 // in the tensor of value i
	}{
		{"fc.bias", "columns=100:120", "fc.bias", 20, func(i int) int64 { return 100 + int64(i) }},
		{"images", "at=2,1&rows=4:6", "images", 20, func(i int) int64 { return (2*3+1)*120 + 40 + int64(i) }},
		{"images", "at=2,1&with_tensor=images&with_step=0", "images", 0, func(i int) int64 { return (2*3+1)*120 + int64(i) }},
		{"gradient/conv1.weight", "at=1,1&with_step=59", "gradient/conv1.weight", 40, func(i int) int64 { return (1*3+1)*25 + int64(i) }},
	} {
		status, got := answerOf(t, base, "/runs/run/raw/compare?with=other&step=20&tensor="+c.tensor+"&"+c.query)
		if status != 200 {
			t.Errorf("%s %s: %d %v", c.tensor, c.query, status, got["detail"])
			continue
		}
		here, there := tensors.Value(c.tensor, 20, 0), tensors.Value(c.there, c.step, tensors.OtherRank)
		for i, v := range got["values"].([]any) {
			if want := tensor.ToFloat64(here, c.index(i)) - tensor.ToFloat64(there, c.index(i)); v != want {
				t.Fatalf("%s %s, value %d: %v, want %v", c.tensor, c.query, i, v, want)
			}
		}
	}
}
