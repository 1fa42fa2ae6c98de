package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vigil-ml/vigil/internal/server"
	"github.com/vigil-ml/vigil/internal/testenv/tensors"
)

// What the dashboard's API says of a tensor is what vigil values says.
func TestTensorsAreThoseOfValues(t *testing.T) {
	root := t.TempDir()
	tensors.Write(t, root, "run")
	api := httptest.NewServer(server.New(server.Options{Root: root, Version: "test"}).Handler())
	defer api.Close()
	values := func(args ...string) []byte {
		t.Helper()
		cmd := exec.Command(vigil(t), append([]string{"values", filepath.Join(root, "run")}, args...)...)
		cmd.Env, cmd.Stderr = cleanEnv(t), os.Stderr
		b, err := cmd.Output()
		if err != nil {
			t.Fatalf("vigil values %v: %v", args, err)
		}
		return b
	}
	of := func(v any, fields ...string) (list []any) {
		m, _ := v.(map[string]any)
		for _, f := range fields {
			list = append(list, m[f])
		}
		return list
	}
	decode := func(b []byte) (v any) {
		t.Helper()
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatalf("%v in %.200s", err, b)
		}
		return v
	}
	get := func(path string, query ...string) any {
		t.Helper()
		q := url.Values{}
		for i := 0; i < len(query); i += 2 {
			q.Set(query[i], query[i+1])
		}
		r, err := http.Get(api.URL + "/api/v1/runs/run/" + path + "?" + q.Encode())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s %v: %s %.200s %v", path, query, r.Status, b, err)
		}
		return decode(b)
	}
	heat := func(v any, name string) []any {
		for _, row := range of(v, "rows")[0].([]any) {
			if fields := of(row, "name", "values"); fields[0] == name {
				return append(of(v, "mode", "steps"), fields[1])
			}
		}
		return nil
	}
	at := func(v any, stat string) []any {
		return append(of(v, "mode", "worker", "step"), of(of(v, "stats")[0], stat)...)
	}
	series := func(v any, i int) []any {
		f := of(v, "mode", "worker", "steps", "values")
		return []any{f[0], f[1], f[2].([]any)[i], f[3].([]any)[i]}
	}
	const grad, weight = "gradient/conv1.weight", "fc.weight"
	for _, c := range []struct {
		name      string
		want, got []any
	}{
		{"a row of a heat map", of(decode(values(weight, "--stat", "std", "--json")), "mode", "steps", "values"), heat(get("heat", "stat", "std"), weight)},
		{"a row with what is not finite", of(decode(values(grad, "--stat", "mean", "--json")), "mode", "steps", "values"), heat(get("heat", "stat", "mean"), grad)},
		{"statistics of the last step", series(decode(values(weight, "--stat", "l2", "--json")), tensors.Steps-1), at(get("stats", "tensor", weight), "l2")},
		{"statistics of a step", series(decode(values(weight, "--stat", "abs_max", "--json")), 12), at(get("stats", "tensor", weight, "step", "12"), "abs_max")},
		{"the word for NaN", series(decode(values(grad, "--stat", "mean", "--json")), 50), at(get("stats", "tensor", grad, "step", "50"), "mean")},
		{"another worker, another mode", series(decode(values("fc.bias", "--stat", "sum", "--worker", "worker_1", "--mode", "EVAL", "--json")), 0), at(get("stats", "tensor", "fc.bias", "worker", "worker_1", "mode", "EVAL"), "sum")},
		{"a scalar", series(decode(values("loss", "--json")), 7), at(get("stats", "tensor", "loss", "step", "7"), "value")},
		{"histograms", of(decode(values(grad, "--stat", "hist", "--json")), "mode", "worker", "steps", "edges", "values"),
			of(get("histograms", "tensor", grad, "bins", "600"), "mode", "worker", "steps", "edges", "counts")},
		{"the histogram of a step", []any{of(decode(values(weight, "--stat", "hist", "--steps", "9", "--json")), "edges", "values")[0], of(decode(values(weight, "--stat", "hist", "--steps", "9", "--json")), "values")[0].([]any)[0]},
			of(of(get("stats", "tensor", weight, "step", "9"), "histogram")[0], "edges", "counts")},
		{"raw values", of(decode(values(grad, "--stat", "raw", "--steps", "40", "--json")), "mode", "step", "dtype", "shape")[:4], of(get("raw", "tensor", grad, "step", "40"), "mode", "step", "dtype", "shape")},
		{"raw values of a vector", of(decode(values("fc.bias", "--stat", "raw", "--steps", "20", "--json")), "values"), of(get("raw", "tensor", "fc.bias", "step", "20"), "values")},
		{"raw values that are truths", of(decode(values("mask", "--stat", "raw", "--json")), "values"), of(get("raw", "tensor", "mask", "step", "0"), "values")},
		{"strings", []any{of(decode(values("words", "--json")), "values")[0].([]any)[2], of(decode(values("words", "--json")), "shapes")[0].([]any)[2]}, of(get("raw", "tensor", "words"), "strings", "shape")},
		{"a name of markup", of(decode(values(tensors.Odd, "--stat", "raw", "--json")), "values"), of(get("raw", "tensor", tensors.Odd, "step", "0"), "values")},
	} {
		if len(c.want) == 0 || c.want[0] == nil {
			t.Errorf("%s: vigil values says nothing", c.name)
		}
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s (-vigil values +API):\n%s", c.name, d)
		}
	}

	// Each matrix of a tensor, put together, is what --format npy writes.
	npy := values("conv1.weight", "--stat", "raw", "--steps", "20", "--format", "npy")
	if shape := regexp.MustCompile(`'shape': \(4,3,5,5,\)`); !shape.Match(npy[:128]) {
		t.Fatalf("%q", npy[:128])
	}
	var got []byte
	for _, lead := range []string{"0,0", "0,1", "0,2", "1,0", "1,1", "1,2", "2,0", "2,1", "2,2", "3,0", "3,1", "3,2"} {
		for _, v := range of(get("raw", "tensor", "conv1.weight", "step", "20", "at", lead), "values")[0].([]any) {
			got = binary.LittleEndian.AppendUint32(got, math.Float32bits(float32(v.(float64))))
		}
	}
	if want := npy[len(npy)-4*4*3*5*5:]; !bytes.Equal(want, got) {
		t.Error("the matrices of conv1.weight are not what the npy file has")
	}
}
