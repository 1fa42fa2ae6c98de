package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/testenv/timed"
	"github.com/vigil-ml/vigil/internal/trial"
)

func TestOverview(t *testing.T) {
	root := t.TempDir()
	at := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	timed.Write(t, root, "slow", timed.Options{Started: at, Seconds: 20, GPU: true})
	timed.Write(t, root, "live", timed.Options{Started: at, Seconds: 20, Running: true})
	timed.Write(t, root, "empty", timed.Options{Started: at, Empty: true, Ended: true})
	for _, tt := range []struct{ run, phases, figures, shares string }{
		{"slow", "start-up 3, training 23, finishing 0.5", "CPU 55 %, GPU 87 %, memory 28 %, GPU memory 25 %, waiting for I/O 2 %, network 3.0 kB/s, memory of the job 3.1 GB", "data forward backward optimizer evaluation other"},
		{"live", "start-up 3, training 22 …", "", ""},
		{"empty", "", "", ""},
	} {
		r, err := trial.Open(timed.Path(root, tt.run))
		if err != nil {
			t.Fatal(err)
		}
		o, err := OverviewOf(r)
		if err != nil {
			t.Fatal(err)
		}
		var phases, figures, shares []string
		for _, p := range o.Phases {
			text := fmt.Sprintf("%s %.2g", p.Name, p.To.Sub(p.From).Seconds())
			if p.Open {
				text += " …"
			}
			phases = append(phases, text)
		}
		for _, f := range o.Figures {
			figures = append(figures, f.Name+" "+f.Text)
		}
		for _, s := range o.Shares {
			shares = append(shares, ShareClass(s.Name))
		}
		if got := strings.Join(phases, ", "); got != tt.phases {
			t.Errorf("%s: phases %s, want %s", tt.run, got, tt.phases)
		}
		if got := strings.Join(figures, ", "); tt.figures != "" && got != tt.figures {
			t.Errorf("%s: %s, want %s", tt.run, got, tt.figures)
		}
		if got := strings.Join(shares, " "); tt.shares != "" && got != tt.shares {
			t.Errorf("%s: shares %s, want %s", tt.run, got, tt.shares)
		}
		if o.To.Before(o.From) {
			t.Errorf("%s: from %v to %v", tt.run, o.From, o.To)
		}
		r.Close()
	}
}

func TestAmount(t *testing.T) {
	for _, tt := range []struct {
		value float64
		unit  string
		want  string
	}{{51.4, "%", "51 %"}, {1.5e6, "B/s", "1.5 MB/s"}, {3.1e9, "B", "3.1 GB"}, {12, "B", "12 B"}, {312, "W", "312 W"}, {4, "", "4"}} {
		if got := amount(tt.value, tt.unit); got != tt.want {
			t.Errorf("%g %s: %q, want %q", tt.value, tt.unit, got, tt.want)
		}
	}
}
