package rule_test

import (
	"os"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/rule"
)

// The rule in the documentation is the one that is compiled here.
func TestDocumentedRule(t *testing.T) {
	src, err := os.ReadFile("example_large_bias_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/writing-rules.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "```go\n" + strings.Replace(string(src), "package rule_test", "package mine", 1) + "```"
	if !strings.Contains(string(page), want) {
		t.Error("docs/writing-rules.md does not hold rule/example_large_bias_test.go")
	}
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
	if _, err := v.Raw("worker_0", "a.bias"); err != rule.ErrNoRaw {
		t.Errorf("raw values: %v", err)
	}
	if _, err := v.Trial("other"); err == nil {
		t.Error("there is another trial")
	}
}
