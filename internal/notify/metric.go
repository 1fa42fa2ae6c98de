package notify

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"

	"github.com/vigil-ml/vigil/internal/record"
)

// Metric counts findings for Prometheus: at an endpoint of the agent, in a
// file for the node exporter, or both.
type Metric struct {
	Name     string `json:"name,omitempty"`     // "" means DefaultMetric
	Listen   string `json:"listen,omitempty"`   // host:port of the endpoint
	Textfile string `json:"textfile,omitempty"` // directory of the node exporter's textfile collector
}

// DefaultMetric begins the names of the metrics.
const DefaultMetric = "vigil_rule_firings"

var metricName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,99}$`)

func (m *Metric) check() error {
	if m.Name != "" && !metricName.MatchString(m.Name) {
		return fmt.Errorf("%q is not a metric name; use letters, digits and underscores", m.Name)
	}
	if m.Listen == "" && m.Textfile == "" {
		return errors.New("it needs an address (listen: 127.0.0.1:9464) or a directory (textfile: DIR)")
	}
	if m.Listen != "" {
		if _, port, err := net.SplitHostPort(m.Listen); err != nil || port == "" {
			return fmt.Errorf("%q is not an address to listen on; write HOST:PORT, such as 127.0.0.1:9464", m.Listen)
		}
	}
	return nil
}

// String is the metric and where it is published.
func (m *Metric) String() string {
	var at []string
	if m.Listen != "" {
		at = append(at, m.Listen)
	}
	if m.Textfile != "" {
		at = append(at, m.Textfile)
	}
	return "metric at " + strings.Join(at, " and ")
}

// Publisher publishes one metric of one run. Its methods may be called by
// several goroutines.
type Publisher struct {
	spec     Metric
	file     string // "": none
	registry *prometheus.Registry
	firings  *prometheus.CounterVec
	step     *prometheus.GaugeVec
	at       *prometheus.GaugeVec

	writing sync.Mutex // one writer of the file
	mu      sync.Mutex
	server  *http.Server
	address string
}

// NewPublisher makes the metric of a run. rules are the configurations that it
// counts, with their rules: they stand at zero from the start, so that the
// first firing is seen as an increase.
func NewPublisher(spec Metric, run string, rules map[string]string) *Publisher {
	name := spec.Name
	if name == "" {
		name = DefaultMetric
	}
	constant, labels := prometheus.Labels{"run": run}, []string{"rule", "configuration"}
	p := &Publisher{
		spec: spec, registry: prometheus.NewRegistry(),
		firings: prometheus.NewCounterVec(prometheus.CounterOpts{Name: name + "_total", Help: "Findings of a rule in a training run.", ConstLabels: constant}, labels),
		step:    prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name + "_last_step", Help: "Step of the last finding of a rule.", ConstLabels: constant}, labels),
		at:      prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name + "_last_timestamp_seconds", Help: "Time of the last finding of a rule.", ConstLabels: constant}, labels),
	}
	p.registry.MustRegister(p.firings, p.step, p.at)
	for configuration, rule := range rules {
		p.firings.WithLabelValues(label(rule), label(configuration))
	}
	if spec.Textfile != "" {
		p.file = filepath.Join(spec.Textfile, "vigil-"+name+"-"+fileName(run)+".prom")
	}
	return p
}

// label keeps the values of labels valid.
func label(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// fileName is the name of a run as a part of the name of a file that every
// collector finds.
func fileName(run string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.", r) {
			return r
		}
		return '_'
	}, run)
}

// Count takes a finding.
func (p *Publisher) Count(f record.Finding) {
	rule, configuration := label(f.Rule), label(f.Configuration)
	p.firings.WithLabelValues(rule, configuration).Inc()
	p.step.WithLabelValues(rule, configuration).Set(float64(f.Step))
	p.at.WithLabelValues(rule, configuration).Set(float64(f.Time.UnixMilli()) / 1e3)
}

// Publish brings the file up to date, and the endpoint up when it is not.
func (p *Publisher) Publish() error {
	err := errors.Join(p.listen(), p.write())
	if err != nil {
		return &Error{Message: err.Error()}
	}
	return nil
}

func (p *Publisher) listen() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spec.Listen == "" || p.server != nil {
		return nil
	}
	l, err := net.Listen("tcp", p.spec.Listen)
	if err != nil {
		return fmt.Errorf("listen at %q: %w", p.spec.Listen, errors.Unwrap(err))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(p.registry, promhttp.HandlerOpts{}))
	p.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, MaxHeaderBytes: 16 << 10}
	p.address = l.Addr().String()
	go p.server.Serve(l)
	return nil
}

// Address is where the endpoint listens, "" when it does not.
func (p *Publisher) Address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.address
}

// write replaces the file as a whole: a collector reads the old one or the new
// one. The name of the file in the making does not end in .prom.
func (p *Publisher) write() error {
	if p.file == "" {
		return nil
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	families, err := p.registry.Gather()
	if err != nil {
		return fmt.Errorf("gather the metric: %w", err)
	}
	tmp := p.file + ".tmp"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("write the metric: %w", err)
	}
	for _, family := range families {
		if _, err = expfmt.MetricFamilyToText(f, family); err != nil {
			break
		}
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp, p.file)
	}
	if err != nil {
		os.Remove(tmp)
		return fmt.Errorf("write the metric: %w", err)
	}
	return nil
}

// Close ends the endpoint. The file stays as the last word on the run.
func (p *Publisher) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return nil
	}
	p.address = ""
	return p.server.Close()
}
