package server

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv/written"
	"github.com/vigil-ml/vigil/internal/view"
)

// Names in series are escaped, so that none is mistaken for another.
func TestSpellAsk(t *testing.T) {
	for _, a := range []view.Ask{{Tensor: "loss"}, {Tensor: "a|b", Stat: "pair[lag=1].mean", Mode: "TRAIN", Worker: "w|0"}, {Tensor: "gradient/x y%20+&?#", Stat: "l2"}, {Tensor: "ü\n"}} {
		got, err := parseAsk(spellAsk(a))
		if err != nil || got != a {
			t.Errorf("%q: %v, %v", spellAsk(a), got, err)
		}
	}
}

func TestSeriesAnswers(t *testing.T) {
	root := t.TempDir()
	written.Write(t, root, "run")
	s := httptest.NewServer(New(Options{Root: root, Version: "test"}).Handler())
	defer s.Close()
	many := strings.Repeat("&s=loss", mostSeries+1)
	for _, tt := range []struct {
		path   string
		status int
		want   []string
	}{
		{"/runs/run/series?s=loss&from=98&to=102", 200, []string{`"x":[98,99,100,101]`, `"NaN","NaN"]`, `"from":98,"to":102`, `"raw":true`, `"mode":"TRAIN"`}},
		{"/runs/run/series?s=loss&columns=16", 200, []string{`"raw":false`, `"x_last":[7,`, `"odd":[0,`, `"points":120`, `"first":0,"last":119`}},
		{"/runs/run/series?s=loss&s=lost", 200, []string{`"error":"there are no stored values of \"lost\"`}},
		{"/runs/run/series?s=loss&axis=epoch", 200, []string{`"axis":"epoch"`, `0.025`}},
		{"/runs/run/series", 422, []string{"no series is named"}},
		{"/runs/run/series?s=" + many, 422, []string{""}},
		{"/runs/run/series?s=a|b|c|d|e", 422, []string{"has 5 parts"}},
		{"/runs/run/series?s=%25zz", 422, []string{"series"}},
		{"/runs/run/series?s=loss&columns=5", 422, []string{"columns"}},
		{"/runs/run/series?s=loss&axis=moon", 422, []string{"axis"}},
		{"/runs/run/series?s=loss&from=Inf", 422, []string{"it has to be a number"}},
		{"/series/compare?run=run&run=gone&s=loss", 200, []string{`"run":"gone"`, `There is no run \"gone\" here`, `"points":120`}},
		{"/runs/run/curves", 200, []string{`"group":"losses","points":120`, `"update":90,"epoch":2.25`, `"id":"exploding_tensor/magnitude/1"`, `"epochs":[{"epoch":1,"step":0},{"epoch":2,"step":40}`}},
		{"/runs/run/tensors", 200, []string{`"name":"gradient/fc.weight"`, `"mode_list":["TRAIN","EVAL"]`, `"shape":[4,3]`}},
		{"/runs/run/evidence?id=exploding_tensor/magnitude/1", 200, []string{`"threshold":1000,"comparator":">"`, `"s":"gradient%2Ffc.weight|min|TRAIN|worker_0"`, `"words":"gradient of fc.weight"`, `"source":null`}},
		{"/runs/run/evidence?id=other/1", 404, []string{"The run has no finding"}},
		{"/runs/run", 200, []string{`"class":"error"`, `"command":"python train.py --lr 0.1"`, `"chief":"worker_0"`, `"modes":["TRAIN","EVAL"]`}},
		{"/rules/nothing", 404, []string{"There is no rule"}},
	} {
		status, _, text := reply(t, s.URL, tt.path)
		if status != tt.status {
			t.Errorf("%.100s: %d %.300s, want %d", tt.path, status, text, tt.status)
		}
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%.100s: %q is not in %.1500s", tt.path, want, text)
			}
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%.100s: no JSON: %.300s", tt.path, text)
		}
	}
}
