package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/rule"
)

// The files in the documentation are those of this directory.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/writing-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"large_bias.go", "main.go"} {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "```go\n"+string(src)+"```") {
			t.Errorf("docs/writing-rules.md does not hold examples/go-rule/%s", name)
		}
	}
}

func TestLargeBias(t *testing.T) {
	p, err := LargeBias.Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := LargeBias.New(p)
	if err != nil {
		t.Fatal(err)
	}
	item := func(name string, most float64) rule.Item {
		return rule.Item{Worker: "worker_0", Info: &rule.TensorInfo{Name: name}, Stats: &rule.Stats{Count: 1, Min: most, Max: most}}
	}
	v := &rule.View{Data: rule.Data{Tensors: func(int) []rule.Item { return []rule.Item{item("a.bias", 3), item("b.bias", -12)} }}}
	var rep rule.Report
	r.Step(v, &rep)
	if len(rep.Violations) != 1 || rep.Violations[0].Subject != "b.bias" || rep.Datapoints != 2 {
		t.Errorf("report is %+v", rep)
	}
	if v.Scalars(0) != nil {
		t.Error("there are scalars")
	}
	if _, err := v.Raw("worker_0", "a.bias"); !errors.Is(err, rule.ErrNoRaw) {
		t.Errorf("raw values: %v", err)
	}
	if _, err := v.Trial("other"); err == nil {
		t.Error("there is another trial")
	}
}
