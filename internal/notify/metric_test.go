package notify

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// counts reads the text format and gives the firings by configuration.
func counts(t *testing.T, r io.Reader) map[string]float64 {
	t.Helper()
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(r)
	if err != nil {
		t.Fatalf("read the metric: %v", err)
	}
	got := map[string]float64{}
	for _, m := range families[DefaultMetric+"_total"].GetMetric() {
		for _, l := range m.Label {
			if l.GetName() == "configuration" {
				got[l.GetValue()] = m.Counter.GetValue()
			}
		}
	}
	return got
}

func TestMetric(t *testing.T) {
	dir := t.TempDir()
	p := NewPublisher(Metric{Listen: "127.0.0.1:0", Textfile: dir}, "res/net 1", map[string]string{"not_finite": "not_finite", "head": "dead_relu"})
	if err := p.Publish(); err != nil {
		t.Fatal(err)
	}
	scrape := func() map[string]float64 {
		t.Helper()
		res, err := http.Get("http://" + p.Address() + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return counts(t, res.Body)
	}
	file := filepath.Join(dir, "vigil-vigil_rule_firings-res_net_1.prom")
	read := func() map[string]float64 {
		t.Helper()
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return counts(t, f)
	}
	for what, got := range map[string]map[string]float64{"endpoint": scrape(), "file": read()} {
		if len(got) != 2 || got["not_finite"] != 0 || got["head"] != 0 {
			t.Errorf("%s at first: %v", what, got)
		}
	}
	// Whoever reads while it is replaced reads all of it.
	var reading sync.WaitGroup
	stop := make(chan struct{})
	reading.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if got := read(); len(got) != 2 {
				t.Errorf("a part of the file: %v", got)
				return
			}
		}
	})
	for range 200 {
		p.Count(message().Finding)
		if err := p.Publish(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	reading.Wait()
	b, err := os.ReadFile(file)
	for _, want := range []string{
		`vigil_rule_firings_total{configuration="not_finite",rule="not_finite",run="res/net 1"} 200`,
		`vigil_rule_firings_last_step{configuration="not_finite",rule="not_finite",run="res/net 1"} 20`,
		`vigil_rule_firings_last_timestamp_seconds{configuration="not_finite",rule="not_finite",run="res/net 1"} 1.7723601e+09`,
	} {
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("the file lacks %s (%v):\n%s", want, err, b)
		}
	}
	if got := scrape(); got["not_finite"] != 200 {
		t.Errorf("endpoint: %v", got)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("%d files are left, %v", len(list), err)
	}

	second := NewPublisher(Metric{Listen: p.Address()}, "other", nil)
	failed(t, second.Publish(), false, "address already in use")
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.Publish(); err != nil {
		t.Fatalf("the address is free again: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestMetricCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	p := NewPublisher(Metric{Textfile: dir}, "r", nil)
	failed(t, p.Publish(), false, "write the metric: open "+dir)
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was made: %v", err)
	}
}
