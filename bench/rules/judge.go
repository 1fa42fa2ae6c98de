package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vigil-ml/vigil/internal/measure"
	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/rules"
)

// condition is a set of configurations whose cost is measured.
type condition struct {
	name    string
	configs []rules.Config
	goal    time.Duration
}

// conditions are 100 configurations of the whole catalogue, 100 of the rules
// that look at each tensor, and 100 expressions.
func conditions() ([]condition, error) {
	set, err := rules.Set("all", "pytorch")
	if err != nil {
		return nil, err
	}
	var wide []rules.Config
	for _, name := range []string{
		"vanishing_gradient", "exploding_tensor", "all_zero", "not_finite", "unchanged_tensor", "weight_update_ratio", "dead_relu", "saturated_activation",
	} {
		wide = append(wide, rules.Config{Rule: name})
	}
	wide = append(wide, rules.Config{Rule: "tensor_variance", Params: map[string]string{"max_threshold": "100"}})
	return []condition{
		{"100 configurations, all rules in turn", hundred(set), 10 * time.Millisecond},
		{"100 configurations of rules that look at every tensor", hundred(wide), 10 * time.Millisecond},
		{"100 expressions", hundred(expressions()), 60 * time.Millisecond},
	}, nil
}

// expressions are conditions as a user would write them: some look at one series,
// most at many, some of them over a window.
func expressions() []rules.Config {
	var out []rules.Config
	for i, text := range []string{
		`series("loss").last() > 3 * series("loss").mean(50)`,
		`tensors("^gradient/", "l2").exists(g, g.last() > 1e6)`,
		`tensors("^gradient/", "abs_max").exists(g, g.last() > 100 * g.mean(20))`,
		`tensors("\\.weight$", "std").all(w, w.last() < 1e-9)`,
		`tensors("relu_output", "zeros").filter(t, t.last() > 500).size() > 10`,
		`tensors("^(?!gradient).*bias", "mean").map(t, t.last()).max() > 1e3`,
		`series("loss").slope(50) > 0 && series("loss").last() > 10`,
		`tensors("^gradient/.*weight", "l2").map(g, g.last()).quantile(0.5) < 1e-12`,
		`tensors(".*", "nan").exists(t, t.last() > 0)`,
		`tensors("\\.weight$", "l2").exists(w, ratio(w, series("loss")) < -1)`,
	} {
		name := fmt.Sprintf("own_%d", i)
		out = append(out, rules.Config{Rule: name, Configuration: name, Params: map[string]string{"expression": text, "every": "1"}})
	}
	return out
}

// hundred repeats configurations under other names, each at every step.
func hundred(set []rules.Config) []rules.Config {
	var out []rules.Config
	for i := range configCount {
		c := set[i%len(set)]
		c.Params = maps.Clone(c.Params)
		if c.Params == nil {
			c.Params = map[string]string{}
		}
		if known, err := rules.Parameters(c.Rule); err == nil && slices.Contains(known, "every") {
			c.Params["every"] = "1"
		}
		c.Configuration = fmt.Sprintf("%s_%d", c.Rule, i)
		out = append(out, c)
	}
	return out
}

// judging measures each condition; they take turns.
func judging(steps, rounds int) error {
	list, err := conditions()
	if err != nil {
		return err
	}
	lockThread()
	took := make([]timing, len(list))
	for range rounds {
		for i, c := range list {
			if err := judge(c, steps, &took[i]); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	for i, c := range list {
		took[i].row(c.name, 0.5, c.goal)
	}
	return nil
}

// warmup is how many steps come before those that count: windows fill, tensors
// are matched.
const warmup = 60

// judge adds the time that each step took one engine.
func judge(c condition, steps int, t *timing) error {
	j, err := newJudge(c)
	if err != nil {
		return err
	}
	defer j.close()
	for range steps {
		if err := j.prepare(); err != nil {
			return err
		}
		begin, cpu := time.Now(), threadTime()
		j.observe()
		t.wall, t.cpu = append(t.wall, time.Since(begin)), append(t.cpu, threadTime()-cpu)
	}
	return j.silent()
}

// judged is one engine at work.
type judged struct {
	*measured
	engine *rules.Engine
	next   int
	ready  *record.Complete
}

func newJudge(c condition) (*judged, error) {
	engine, err := rules.NewEngine(rules.Options{Configs: c.configs})
	if err != nil {
		return nil, err
	}
	j := &judged{engine: engine}
	if err := j.silent(); err != nil {
		return nil, err
	}
	if j.measured, err = newMeasured(engine.Needs()); err != nil {
		return nil, err
	}
	engine.Announce("worker_0", j.network.infos)
	for range warmup {
		if err := j.prepare(); err != nil {
			j.close()
			return nil, err
		}
		j.observe()
	}
	return j, nil
}

// prepare makes the next step, observe judges it.
func (j *judged) prepare() error {
	part, err := j.step(j.next)
	if err != nil {
		return err
	}
	j.ready = rules.NewComplete([]*record.Step{part})
	j.next++
	return nil
}

func (j *judged) observe() { j.engine.Observe(j.ready) }

// silent makes sure that the rules are at work, and that nothing is found: a
// finding would be measured with them.
func (j *judged) silent() error {
	for _, s := range j.engine.Statuses() {
		if s.Status != rules.InProgress && s.Status != rules.NoIssuesFound {
			return fmt.Errorf("this training should be a healthy one; configuration %s has status %s: %s", s.Configuration, s.Status, s.Details)
		}
	}
	return nil
}

// measured makes steps as the agent does: by the plan, with all that rules ask for.
type measured struct {
	network *network
	decided []plan.Decision // by tensor
	meter   *measure.Meter
	dir     string
}

func newMeasured(needs []plan.Need) (*measured, error) {
	p, err := plan.New(plan.Options{Every: 1}, nil, needs)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "vigil-bench-rules-")
	if err != nil {
		return nil, err
	}
	meter, err := measure.New(measure.Options{Spill: filepath.Join(dir, "spill")})
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	m := &measured{network: newNetwork(), meter: meter, dir: dir}
	for i, info := range m.network.infos {
		d := p.Decide(info)
		m.network.infos[i].Collections = d.Collections
		m.decided = append(m.decided, d)
	}
	return m, nil
}

func (m *measured) step(n int) (*record.Step, error) {
	m.network.step()
	s := &record.Step{
		Worker: "worker_0", Step: int64(n), Mode: record.Train, ModeStep: int64(n), Time: time.Unix(int64(n), 0), Seconds: 1,
		Scalars: []record.Scalar{{Name: "loss", Value: m.network.loss(n)}},
	}
	for i, info := range m.network.infos {
		d := m.decided[i]
		if d.Want(s.Mode, s.ModeStep) == 0 {
			continue
		}
		v, err := m.network.view(i)
		if err != nil {
			return nil, err
		}
		stats, more, err := m.meter.Tensor(info, d, s.Mode, s.ModeStep, v)
		if err != nil {
			return nil, fmt.Errorf("measure tensor %q: %w", info.Name, err)
		}
		stats.Hist = nil // as the agent does: rules do not look at it
		s.Stats, s.Derived = append(s.Stats, stats), append(s.Derived, more...)
	}
	s.Derived = append(s.Derived, m.meter.Step(s.Mode, s.ModeStep)...)
	m.meter.Acked(s.Mode, s.ModeStep)
	return s, nil
}

func (m *measured) close() {
	m.meter.Close()
	os.RemoveAll(m.dir)
}
