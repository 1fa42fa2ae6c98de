package golden

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv/timed"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// now is what the clock of every picture says.
var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// The runs of the pictures. No training is behind them: each number is a formula's,
// or drawn with a fixed seed, so they are the same each time.
const (
	softmax   = "digits-softmax"   // a softmax too many: the finding has an edit
	sigmoid   = "digits-sigmoid"   // eight sigmoid layers in a row: the gradient does not reach the first
	healthy   = "digits-relu"      // learns
	quicker   = "digits-relu-3e-3" // learns faster
	slow      = "digits-hdd"       // waits for data
	going     = "resnet-ddp"       // goes on, on another machine: two ranks, 8 GPUs
	layers    = 8
	steps     = 600
	statEvery = 10
)

// writeRuns writes them below root.
func writeRuns(t *testing.T, root string) {
	t.Helper()
	facts, plan := read(t, filepath.Join("testdata", "facts.json")), read(t, filepath.Join("testdata", "plan.json"))
	runs := []run{
		{name: softmax, activation: "ReLU", began: 70 * time.Minute, wait: 4 * time.Millisecond, loss: curve(1.99, 1.28, 40), accuracy: curve(0.12, 0.61, 40), facts: facts, find: tooManySoftmax},
		{name: sigmoid, activation: "Sigmoid", began: 52 * time.Minute, wait: 4 * time.Millisecond, loss: curve(2.57, 2.31, 6), accuracy: curve(0.1, 0.113, 6), fade: 1, find: vanishing},
		{name: healthy, activation: "ReLU", began: 40 * time.Minute, wait: 4 * time.Millisecond, loss: curve(2.35, 0.14, 90), accuracy: curve(0.1, 0.96, 70)},
		{name: quicker, activation: "ReLU", began: 34 * time.Minute, wait: 4 * time.Millisecond, loss: curve(2.35, 0.09, 45), accuracy: curve(0.1, 0.974, 40)},
		{name: slow, activation: "ReLU", began: 25 * time.Minute, wait: 60 * time.Millisecond, loss: curve(2.35, 0.15, 90), accuracy: curve(0.1, 0.957, 70), find: waits},
		{name: going, activation: "ReLU", began: 5 * time.Minute, wait: 8 * time.Millisecond, loss: curve(4.6, 1.9, 500), accuracy: curve(0.01, 0.44, 500)},
	}
	for i := range runs {
		runs[i].noise = rand.New(rand.NewPCG(20261126, uint64(i)))
		runs[i].write(t, root, plan)
	}
}

// run is one of them.
type run struct {
	name, activation string
	began            time.Duration // before now
	wait             time.Duration // for data, in a step
	loss, accuracy   func(step float64) float64
	fade             float64 // of the gradient from layer to layer, in powers of ten
	facts            []byte  // of a run of examples/softmax_twice.py
	find             func(*run) record.Finding
	noise            *rand.Rand
	started          time.Time
	last             int64 // so many steps
}

// curve falls, or rises, from one value to another.
func curve(from, to, within float64) func(float64) float64 {
	return func(step float64) float64 { return to + (from-to)*math.Exp(-step/within) }
}

// at is when a step was closed, as timed writes them: one in a hundred is slow.
func (r *run) at(step int64) time.Time {
	slow := (step + 43) / 100 // of the steps before it
	return r.started.Add(3*time.Second + time.Duration(step+1)*100*time.Millisecond + time.Duration(15*slow)*r.wait)
}

// gradient is the size of the gradient of a layer at a step.
func (r *run) gradient(layer int, step int64) float64 {
	return 0.03 * math.Pow(10, -r.fade*float64(layers-1-layer)) * (1 + 0.6*math.Exp(-float64(step)/40))
}

func (r *run) write(t *testing.T, root string, plan []byte) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r.started = now.Add(-r.began)
	o := timed.Options{Started: r.started, Seconds: steps / 10, Wait: r.wait, Detail: true, Running: true}
	switch r.name {
	case going:
		o.Ranks, o.Cores, o.GPUs, o.Seconds = 2, 16, 8, 240
	case slow:
		o.Cores = 4
	}
	r.last = int64(10 * o.Seconds)
	w := timed.Write(t, root, r.name, o)
	must(w.Announce("worker_0", r.tensors()))
	for n := range r.last {
		r.step(t, w, n)
	}
	if r.name == slow {
		must(w.Profile("worker_0", 1, r.stacks(t)))
	}
	status := record.RuleStatus{Status: "NoIssuesFound"}
	if r.name == going {
		status.Status = "InProgress"
	}
	statuses := []record.RuleStatus{}
	for _, name := range []string{"dead_relu", "exploding_tensor", "learning_rate", "loss_flat", "loss_spike", "not_finite", "output_activation", "overfit", "slow_training", "vanishing_gradient"} {
		status.Rule, status.Configuration, status.Datapoints = name, name, r.last
		statuses = append(statuses, status)
	}
	if r.find != nil {
		f := r.find(r)
		must(w.Finding(f))
		must(w.Summary([]record.Group{{Root: f, Symptoms: []record.Finding{}, CauseClass: f.CauseClass}}))
		for i := range statuses {
			if statuses[i].Rule == f.Rule {
				statuses[i].Status, statuses[i].Findings, statuses[i].RuleTriggered, statuses[i].Violations = "IssuesFound", 1, 1, 1
			}
		}
	}
	must(w.Statuses(statuses))
	must(w.UpdateRun(func(run *record.Run) { r.describe(run, plan) }))
	output := ""
	for n := int64(99); n < r.last; n += 100 {
		output += fmt.Sprintf("epoch %d: loss %.3f\n", (n+1)/100, r.loss(float64(n)))
	}
	must(os.MkdirAll(filepath.Join(w.Path(), "logs"), 0o755))
	must(os.WriteFile(filepath.Join(w.Path(), "logs", "output.log"), []byte(output), 0o600))
	must(store.WriteLabels(vfs.OS, w.Path(), record.Labels{Tags: map[string]string{"data": "digits"}, Note: map[string]string{quicker: "Three times the learning rate: as good after half the steps."}[r.name]}))
	must(w.Close())
}

// describe fills in what is known of the whole run.
func (r *run) describe(run *record.Run, plan []byte) {
	run.Command = []string{"python", "train.py", "--activation", r.activation, "--lr", fmt.Sprint(r.rate())}
	run.Said = fmt.Sprintf("Classifier (34,826 parameters) · Adam lr %g · loss CrossEntropyLoss (cross_entropy) · %d weights and %d gradients, every %d steps", r.rate(), layers, layers, statEvery)
	run.Steps["TRAIN"] = r.last
	run.Overhead = record.Overhead{OnceSeconds: 0.6, SinceSeconds: 59, SincePercent: 1.1}
	run.Provenance = &record.Provenance{
		Git:             &record.Git{Commit: "4f6d1c02b7a9e35d8810c6e2f7b34a90d15e6a7c", Branch: "main"},
		Hyperparameters: map[string]string{"activation": r.activation, "lr": fmt.Sprint(r.rate())},
		Python:          &record.Interpreter{Version: "3.12.1", Implementation: "CPython", Executable: "/home/ada/classifier/.venv/bin/python"},
		Packages:        map[string]string{"numpy": "2.5.5", "torch": "2.15.0"},
		Machine:         &record.Machine{OS: "linux/amd64", CPU: "AMD EPYC", Cores: 4, Memory: 32 << 30},
		Seeds:           map[string]uint64{"torch": 0},
	}
	run.Plan = []record.PlanChange{{Time: r.started.Add(3 * time.Second), Why: "start", Plan: json.RawMessage(plan)}}
	if r.facts != nil {
		run.Facts = json.RawMessage(r.facts)
	}
	if r.name == going {
		run.Command = []string{"torchrun", "--nproc_per_node", "2", "train.py", "--model", "resnet50"}
		return
	}
	ended, code := r.at(r.last-1).Add(500*time.Millisecond), 0
	run.Ended, run.ExitCode, run.Status = &ended, &code, record.Completed
	run.Time.Phases = map[string]record.Span{record.StartUpPhase: 3e9, record.TrainingPhase: record.Span(r.at(r.last-1).Sub(r.started) - 3*time.Second), record.FinishingPhase: 5e8}
	if r.name == sigmoid {
		run.Status, run.StoppedBy, code = record.Stopped, "vanishing_gradient", 3
	}
}

// tensors are those of the network, in its order.
func (r *run) tensors() []record.TensorInfo {
	list := []record.TensorInfo{
		{Name: "loss", Kind: record.Loss, DType: "F64", Collections: []string{"losses"}},
		{Name: "validation/loss", Kind: record.Metric, Collections: []string{"scalars"}},
		{Name: "validation/accuracy", Kind: record.Metric, Collections: []string{"scalars"}},
		{Name: "learning_rate", Kind: record.Metric, Collections: []string{"scalars"}},
	}
	for i := range layers {
		weight := record.TensorInfo{Name: layer(i), Kind: record.Weight, DType: "F32", Shape: []int64{64, 64}, Module: fmt.Sprintf("layers.%d", 2*i), ModuleType: "Linear", Order: i, Collections: []string{"weights"}}
		gradient := weight
		gradient.Name, gradient.Kind, gradient.Collections = "gradient/"+weight.Name, record.Gradient, []string{"gradients"}
		list = append(list, weight, gradient)
	}
	return list
}

func layer(i int) string { return fmt.Sprintf("Classifier_layers.%d.weight", 2*i) }

// rate is the learning rate at the beginning.
func (r *run) rate() float64 {
	if r.name == quicker {
		return 3e-3
	}
	return 1e-3
}

// step writes a step: the loss at each, statistics and validation now and then, raw
// values of the first layer at each hundredth.
func (r *run) step(t *testing.T, w *store.Writer, n int64) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s := &record.Step{Worker: "worker_0", Step: n, Mode: record.Train, ModeStep: n, Time: r.at(n), Seconds: 0.1, Overhead: 0.001}
	loss := r.loss(float64(n))
	s.Scalars = []record.Scalar{{Name: "loss", Value: loss + 0.025*(0.3+loss)*r.noise.NormFloat64()}}
	if n%50 == 49 {
		s.Scalars = append(s.Scalars, record.Scalar{Name: "validation/loss", Value: 1.04 * loss}, record.Scalar{Name: "validation/accuracy", Value: r.accuracy(float64(n))},
			record.Scalar{Name: "learning_rate", Value: r.rate() * (1 + math.Cos(math.Pi*float64(n)/float64(r.last))) / 2})
	}
	if n%statEvery == 0 {
		raw, err := w.RawStep("worker_0", record.Train, n)
		must(err)
		for i := range layers {
			weight := r.values(1/8.0+float64(n)/float64(r.last)/20, float64(i)/1000)
			gradient := r.values(r.gradient(i, n), 0)
			if n%100 == 0 && i == 0 {
				must(raw.Add(layer(i), weight))
				s.Raw = append(s.Raw, layer(i))
			}
			s.Stats = append(s.Stats, record.TensorStats{Tensor: layer(i), Stats: tensor.Compute(weight, true)}, record.TensorStats{Tensor: "gradient/" + layer(i), Stats: tensor.Compute(gradient, true)})
		}
		must(raw.Commit())
	}
	must(w.Append("worker_0", "", 0, s))
}

// values are those of a layer.
func (r *run) values(size, mean float64) tensor.View {
	b := make([]byte, 0, 4*64*64)
	for range 64 * 64 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(mean+size*r.noise.NormFloat64())))
	}
	return tensor.View{DType: tensor.F32, Shape: []int64{64, 64}, Data: b}
}

// stacks are two seconds of samples of the run that waits for data.
func (r *run) stacks(t *testing.T) []byte {
	t.Helper()
	window, _, err := stacks.Sent(fmt.Appendf(nil, `{"number":1,"session":"s","pid":4711,"began_ns":%d,"seconds":5,"first_step":300,"end_step":350,
"processes":[{"pid":4711,"kind":"rank","samples":500,"ns":5000000000,"interval_ns":10000000,"frames":[
["/home/ada/classifier/train.py",48,"main"],["/home/ada/classifier/train.py",31,"epoch"],["/home/ada/classifier/data.py",22,"__getitem__"],["/home/ada/classifier/data.py",17,"decode"],
["/usr/lib/python3/site-packages/torch/utils/data/dataloader.py",733,"__next__"],["/usr/lib/python3/site-packages/torch/nn/modules/module.py",1776,"_call_impl"],
["/usr/lib/python3/site-packages/torch/nn/modules/linear.py",125,"forward"],["/usr/lib/python3/site-packages/torch/_tensor.py",581,"backward"],["/home/ada/classifier/data.py",24,"__getitem__"]],
"stacks":[["MainThread",[3,2,4,1,0],2150000000,215,0],["MainThread",[8,4,1,0],850000000,85,0],["MainThread",[6,5,1,0],950000000,95,0],["MainThread",[7,1,0],700000000,70,0],["MainThread",[1,0],350000000,35,0]]}]}`,
		r.at(300).UnixNano()))
	if err != nil {
		t.Fatal(err)
	}
	window.Worker, window.Why = "worker_0", "vigil profile"
	b, err := window.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (r *run) finding(rule, class, check string, step int64) record.Finding {
	return record.Finding{Rule: rule, RuleClass: class, Configuration: rule, Check: check, Severity: record.Error, Step: step, Mode: record.Train, ModeStep: step, Worker: "worker_0", Time: r.at(step)}
}

// What the rules say of such runs.
func tooManySoftmax(r *run) record.Finding {
	const file = "/home/ada/classifier/train.py"
	f := r.finding("output_activation", "OutputActivation", "softmax_twice", 9)
	f.Subject, f.Comparator, f.CauseClass = "CrossEntropyLoss", "=", "output-activation"
	f.Message = "The softmax layer 3 passes probabilities to cross_entropy, which applies softmax again: no class can get a probability above 0.28, so the loss cannot fall far and gradients are small."
	f.Cause = "an activation at the end of the model that the loss applies itself"
	f.Remedy = "remove it: cross_entropy expects raw outputs (logits) and applies log_softmax itself"
	f.Context = map[string]any{"graph": []string{"cross_entropy", "softmax", "linear"}, "loss": "cross_entropy", "predictions_max": 0.3434558, "predictions_min": 0.02218075}
	f.Where = &record.Where{File: file, Line: 17, Call: "loss = criterion(model(inputs[batch]), labels[batch])"}
	f.Suggestion = &record.Suggestion{File: file, Diff: "--- a/train.py\n+++ b/train.py\n@@ -10,3 +10,3 @@\n \n-model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 8), nn.Softmax(dim=1))\n+model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 8))\n criterion = nn.CrossEntropyLoss()\n"}
	return f
}

func vanishing(r *run) record.Finding {
	const step = 590
	first, last := math.Sqrt(2/math.Pi)*r.gradient(0, step), math.Sqrt(2/math.Pi)*r.gradient(layers-1, step)
	f := r.finding("vanishing_gradient", "VanishingGradient", "profile", step)
	f.Subject, f.Observed, f.Threshold, f.Comparator, f.CauseClass = "gradient/"+layer(0), record.Number(first/last), 0.0002, "<", "activation"
	f.Message = fmt.Sprintf("The gradients of the early layers vanish: that of `%s` has mean magnitude %.3g, %.3g million times smaller than that of `%s`. The loss has not fallen for 580 steps.", layer(0), first, last/first/1e6, layer(layers-1))
	f.Cause = "saturating activations (sigmoid or tanh in hidden layers)"
	f.Remedy = "replace sigmoid or tanh in hidden layers by ReLU or GELU; add residual connections or normalisation layers; use He or Glorot initialisation"
	f.Context = map[string]any{"analysed_steps": 60, "early_layers": 3, "largest": "gradient/" + layer(layers-1), "largest_mean_abs_gradient": last, "mean_abs_gradient": first, "layers": layers, "since_mode_step": 0}
	return f
}

func waits(r *run) record.Finding {
	f := r.finding("slow_training", "SlowTraining", "data", steps-1)
	f.Severity, f.Share, f.Gain, f.CauseClass = record.Warning, 0.63, 2.7, "data-loading"
	f.Observed, f.Threshold, f.Comparator = 0.63, 0.3, ">"
	f.Message = "The training waits for data 63 % of its time; by estimate the training would be 2.7 times as fast without that: from step to step 37 ms instead of 100 ms."
	f.Cause = "the loader works in the training's own process (num_workers=0)"
	f.Remedy = "give the DataLoader workers: num_workers=3"
	f.Context = map[string]any{"workers": 0}
	return f
}
