package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vigil-ml/vigil/internal/record"
	_ "github.com/vigil-ml/vigil/internal/testenv/seeded"
)

func must(t *testing.T, o Options, cs []Collection, ns ...Need) *Plan {
	t.Helper()
	p, err := New(o, cs, ns)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func info(kind record.Kind, name, module, typ string) record.TensorInfo {
	return record.TensorInfo{Name: name, Kind: kind, Module: module, ModuleType: typ, Shape: []int64{4, 4}}
}

func regex(name string, s Schedule, w Want, res ...string) Collection {
	return Collection{Name: name, Selector: Selector{Regex: res}, Schedule: s, Want: w, By: []string{"--collect"}}
}

// tensors of a small PyTorch model, by the names its hook gives.
var (
	weight   = info(record.Weight, "Net_conv1.weight", "conv1", "Conv2d")
	bias     = info(record.Bias, "Net_conv1.bias", "conv1", "Conv2d")
	gradW    = info(record.Gradient, "gradient/Net_conv1.weight", "conv1", "Conv2d")
	gradB    = info(record.Gradient, "gradient/Net_conv1.bias", "conv1", "Conv2d")
	loss     = record.TensorInfo{Name: "loss", Kind: record.Loss}
	ceLoss   = record.TensorInfo{Name: "CrossEntropyLoss_output_0", Kind: record.Loss, ModuleType: "CrossEntropyLoss"}
	relu     = info(record.Output, "act_output_0", "act", "ReLU")
	reluIn   = info(record.Input, "act_input_0", "act", "ReLU")
	rootIn   = info(record.Input, "Net_input_0", "", "Net")
	rootOut  = info(record.Output, "Net_output_0", "", "Net")
	acc      = record.TensorInfo{Name: "scalar/acc", Kind: record.Metric}
	saved    = info(record.Custom, "my_weight", "", "")
	position = info(record.Weight, "Net_pos_embedding", "", "Net")
)

func TestMembership(t *testing.T) {
	p := must(t, Options{}, nil)
	for _, c := range []struct {
		t    record.TensorInfo
		want string
	}{
		{weight, "weights"},
		{position, "weights"}, // not called weight, but a parameter
		{bias, "biases"},
		{gradW, "gradients"},
		{gradB, "gradients"},
		{loss, "losses"},
		{ceLoss, "losses"},
		{acc, ""},
		{relu, "layers relu_output"},
		{reluIn, "layers relu_input"},
		{rootIn, "input_image inputs"},
		{rootOut, "outputs"},
		{info(record.Output, "layer1.0.relu_output_0", "layer1.0.relu", "Identity"), "layers relu_output"},
		{info(record.Output, "weight_head_output_0", "weight_head", "Linear"), "layers"}, // no weight, whatever its name
		{info(record.Output, "loss_head_output_0", "loss_head", "Linear"), "layers"},     // more than one number
		{record.TensorInfo{Name: "loss_fn_output_0", Kind: record.Output, Module: "loss_fn", Shape: nil}, "layers losses"},
		{record.TensorInfo{Name: "nll_loss_output_0", Kind: record.Loss}, "losses"},
		{info(record.Input, "CrossEntropyLoss_input_0", "criterion", "CrossEntropyLoss"), "layers"},
		{info(record.Input, "embed_input_0", "embed", "Embedding"), "input_sequence layers"},
		{info(record.Input, "tanh1_input_0", "tanh1", "Tanh"), "layers tanh_input"},
		// Of boosting the name decides, whatever the kind.
		{record.TensorInfo{Name: "train-rmse", Kind: record.Loss}, "losses metrics"},
		{record.TensorInfo{Name: "validation_0-ndcg@5", Kind: record.Metric}, "metrics"},
		{record.TensorInfo{Name: "hyperparameters/max_depth", Kind: record.Metric}, "hyperparameters"},
		{record.TensorInfo{Name: "feature_importance/weight/body-mass", Kind: record.Metric}, "feature_importance"},
		{info(record.Custom, "trees/Node", "", ""), "trees"},
		{record.TensorInfo{Name: "average_shap/bias", Kind: record.Metric}, "average_shap"},
		{info(record.Custom, "full_shap/bias", "", ""), "full_shap"},
		{info(record.Label, "labels", "objective", "reg:squarederror"), "labels layers"},
		// The script's own names: patterns decide.
		{saved, "weights"},
		{info(record.Custom, "gradient/mine.weight", "", ""), "gradients"},
		{info(record.Custom, "my_bias", "", ""), "biases"},
		{info(record.Custom, "MyLoss_output", "", ""), "losses"},
		{info(record.Custom, "loss_input_output", "", ""), ""},
		{info("", "something", "", ""), ""},
	} {
		if got := strings.Join(p.Decide(c.t).Collections, " "); got != c.want {
			t.Errorf("%s %s is in %q, want %q", c.t.Kind, c.t.Name, got, c.want)
		}
	}
}

// due lists the steps below upTo at which a tensor is due in a mode.
func due(p *Plan, i record.TensorInfo, m record.Mode, upTo int64) []int64 {
	d := p.Decide(i)
	var out []int64
	for n := range upTo {
		if len(d.Due(m, n)) > 0 {
			out = append(out, n)
		}
	}
	return out
}

func TestDefaults(t *testing.T) {
	p := must(t, Options{Every: 10}, nil)
	tens := []int64{0, 10, 20}
	for _, c := range []struct {
		t    record.TensorInfo
		mode record.Mode
		want []int64
		keep Want
	}{
		{weight, record.Train, tens, Stats | Hist},
		{weight, record.Global, tens, Stats | Hist},
		{weight, record.Eval, nil, 0},
		{bias, record.Train, tens, Stats | Hist},
		{gradW, record.Train, tens, Stats | Hist},
		{gradW, record.Eval, nil, 0},
		{gradW, record.Predict, nil, 0},
		{relu, record.Train, nil, 0},
		{rootOut, record.Train, nil, 0},
	} {
		if d := cmp.Diff(c.want, due(p, c.t, c.mode, 25)); d != "" {
			t.Errorf("%s in %s: (-want +got)\n%s", c.t.Name, c.mode, d)
		}
		if got := p.Decide(c.t).Want(c.mode, 0); got != c.keep {
			t.Errorf("%s in %s: keeps %v, want %v", c.t.Name, c.mode, got, c.keep)
		}
	}
	for m := range record.Mode(4) {
		if got := len(due(p, loss, m, 25)); got != 25 {
			t.Errorf("loss in %s is due at %d of 25 steps", m, got)
		}
	}
	if p.Module("act", "ReLU") != nil || p.Module("", "Net") != nil {
		t.Error("modules are watched although nobody asked")
	}
}

// Boosting saves the importance of features without being asked; others have
// nothing of the kind, and nothing of it in their plan.
func TestDefaultsOfBoosting(t *testing.T) {
	importance := record.TensorInfo{Name: "feature_importance/gain/age", Kind: record.Metric}
	for framework, want := range map[string]bool{"xgboost": true, "pytorch": false, "": false} {
		p := must(t, Options{Framework: framework}, nil)
		if got := len(p.Decide(importance).Requests) > 0; got != want {
			t.Errorf("%q: importance is captured: %t", framework, got)
		}
		shown := slices.ContainsFunc(p.Effective(), func(c Collection) bool { return c.Name == FeatureImportance })
		if shown != want {
			t.Errorf("%q: the collection is in the plan: %t", framework, shown)
		}
	}
}

func TestAutoStaysAuto(t *testing.T) {
	d := must(t, Options{}, nil).Decide(weight)
	if len(d.Requests) != 1 || d.Requests[0].Schedule[record.Train].Every != Auto || d.Requests[0].By != "default" {
		t.Errorf("got %+v", d)
	}
	if len(d.Due(record.Train, 7)) != 1 || len(d.Due(record.Eval, 7)) != 0 {
		t.Error("a request by the budget is due at every step that comes, in its modes only")
	}
}

func TestUserReplacesDefault(t *testing.T) {
	p := must(t, Options{Every: 5}, []Collection{{Name: Weights, Schedule: Every(100), By: []string{"--collect"}}})
	if got := due(p, weight, record.Train, 201); !slices.Equal(got, []int64{0, 100, 200}) {
		t.Errorf("TRAIN: %v", got)
	}
	if got := due(p, weight, record.Eval, 101); !slices.Equal(got, []int64{0, 100}) {
		t.Errorf("EVAL: %v", got)
	}
	if got := due(p, bias, record.Train, 11); !slices.Equal(got, []int64{0, 5, 10}) {
		t.Errorf("biases changed too: %v", got)
	}
}

func TestOff(t *testing.T) {
	never := Schedule{{Off: true}, {Off: true}, {Off: true}, {Off: true}}
	p := must(t, Options{Every: 1}, []Collection{{Name: Gradients, Schedule: never}, {Name: Losses, Schedule: never}})
	if len(p.Decide(gradW).Requests) != 0 || p.Wire(nil, nil).Losses {
		t.Error("what is off is captured")
	}
	if got := p.Decide(gradW).Collections; !slices.Equal(got, []string{"gradients"}) {
		t.Errorf("what is off is still in its collection: %v", got)
	}
	p = must(t, Options{Every: 1}, []Collection{{Name: Gradients, Schedule: never}},
		Need{By: "vanishing_gradient", Selector: Selector{Collections: []string{Gradients}}, Schedule: Every(7), Want: Stats})
	if got := due(p, gradW, record.Train, 8); !slices.Equal(got, []int64{0, 7}) {
		t.Errorf("a rule's need does not bring it back: %v", got)
	}
}

func TestRequestsForOneCollectionAreUnited(t *testing.T) {
	p := must(t, Options{}, []Collection{
		regex("mine", Every(4), Raw, "conv"),
		regex("mine", Every(6), Hist, "fc"),
	})
	fc := info(record.Custom, "fc", "", "")
	if got := due(p, fc, record.Train, 13); !slices.Equal(got, []int64{0, 4, 6, 8, 12}) {
		t.Errorf("fc: %v", got)
	}
	for _, n := range []int64{4, 6} {
		if got := p.Decide(fc).Want(record.Train, n); got != Raw|Hist|Stats {
			t.Errorf("at %d kept %v: raw if any request wants it", n, got)
		}
	}
}

// A tensor in several collections: at each step the union over those due.
func TestUnionOverCollections(t *testing.T) {
	p := must(t, Options{Every: 3}, []Collection{regex("a", Every(4), Raw, "my_weight")})
	for n, want := range map[int64]Want{0: Stats | Hist | Raw, 3: Stats | Hist, 4: Stats | Raw, 5: 0, 12: Stats | Hist | Raw} {
		if got := p.Decide(saved).Want(record.Train, n); got != want {
			t.Errorf("step %d: kept %v, want %v", n, got, want)
		}
	}
	if got := p.Decide(saved).Want(record.Eval, 4); got != Stats|Raw {
		t.Errorf("EVAL: %v", got)
	}
}

func TestSaveAll(t *testing.T) {
	p := must(t, Options{Every: 5, SaveAll: true}, []Collection{{Name: Weights, Schedule: Every(100)}})
	for _, i := range []record.TensorInfo{weight, bias, relu, rootIn, saved} {
		if got := due(p, i, record.Eval, 6); !slices.Equal(got, []int64{0, 5}) {
			t.Errorf("%s: %v", i.Name, got)
		}
		if got := p.Decide(i).Want(record.Eval, 5); got&Raw == 0 {
			t.Errorf("%s is not raw", i.Name)
		}
		if !slices.Contains(p.Decide(i).Collections, All) {
			t.Errorf("%s is not in %q", i.Name, All)
		}
	}
	if got := due(p, gradW, record.Eval, 6); got != nil {
		t.Errorf("gradients in EVAL: %v", got)
	}
	if got := due(p, gradW, record.Train, 6); !slices.Equal(got, []int64{0, 5}) {
		t.Errorf("gradients in TRAIN: %v", got)
	}
	want := []Watch{{record.Input, Every(5)}, {record.Output, Every(5)}}
	if d := cmp.Diff(want, p.Module("fc", "Linear")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestGradientsOfAnyCollectionNeverInEval(t *testing.T) {
	p := must(t, Options{}, []Collection{regex("convs", Every(1), Raw, "conv1")})
	if got := due(p, gradW, record.Eval, 3); got != nil {
		t.Errorf("EVAL: %v", got)
	}
	if got := due(p, weight, record.Eval, 3); len(got) != 3 {
		t.Errorf("weight in EVAL: %v", got)
	}
}

func TestNewCollectionsOfTheScript(t *testing.T) {
	p := must(t, Options{Every: 7}, nil)
	q, err := p.With(regex("attention", Schedule{}, 0, "attn"))
	if err != nil {
		t.Fatal(err)
	}
	attn := info(record.Custom, "attn_probs", "", "")
	if got := due(q, attn, record.Train, 8); !slices.Equal(got, []int64{0, 7}) {
		t.Errorf("a collection without an interval gets the plan's: %v", got)
	}
	if len(p.Decide(attn).Requests) != 0 {
		t.Error("the old plan changed")
	}
}

// What a script saved into a collection belongs to it; what is captured of the
// collection, and when, stays as it is.
func TestMembersThatJoin(t *testing.T) {
	own := info(record.Custom, "own", "", "")
	joins := func(name string) Collection {
		return Collection{Name: name, Selector: Selector{Names: []string{"own"}}, Joins: true, Want: Raw, By: []string{"script"}}
	}
	for _, c := range []struct {
		name  string
		given []Collection
		want  map[string][]int64 // steps below 7 at which a tensor is captured
	}{
		{"weights", nil, map[string][]int64{"own": {0, 3, 6}, weight.Name: {0, 3, 6}}},
		{"weights", []Collection{{Name: "weights", Schedule: Every(2), By: []string{"--collect"}}}, map[string][]int64{"own": {0, 2, 4, 6}, weight.Name: {0, 2, 4, 6}}},
		{"losses", nil, map[string][]int64{"own": {0, 1, 2, 3, 4, 5, 6}, loss.Name: {0, 1, 2, 3, 4, 5, 6}}},
		{"mine", nil, map[string][]int64{"own": nil}},
		{"mine", []Collection{regex("mine", Every(5), Stats, "^conv")}, map[string][]int64{"own": {0, 5}}},
	} {
		p := must(t, Options{Every: 3}, append(c.given, joins(c.name)))
		for _, i := range []record.TensorInfo{own, weight, loss} {
			want, ok := c.want[i.Name]
			if got := due(p, i, record.Train, 7); ok && !slices.Equal(got, want) {
				t.Errorf("%s in %s: captured at %v, want %v", i.Name, c.name, got, want)
			}
			if p.Decide(i).Want(record.Train, 0)&Raw != 0 {
				t.Errorf("%s in %s is raw", i.Name, c.name)
			}
		}
		if !slices.Contains(p.Decide(own).Collections, c.name) {
			t.Errorf("it is not in %s", c.name)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		c    Collection
		want string
	}{
		{Collection{Name: "mine"}, `plan collection "mine": it selects nothing`},
		{Collection{Name: Default}, "selects nothing"},
		{Collection{}, "it has no name"},
		{regex("mine", Schedule{}, 0, "(?<=a*)b"), "look-behind requires fixed-width pattern"},
		{Collection{Name: "mine", Selector: Selector{ModuleTypes: []string{"ReLU"}}}, "neither input nor output"},
	} {
		_, err := New(Options{}, []Collection{c.c}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.c, err, c.want)
		}
	}
	if _, err := New(Options{}, nil, []Need{{By: "r", Selector: Selector{Regex: []string{"("}}}}); err == nil || !strings.Contains(err.Error(), `plan needs of "r"`) {
		t.Errorf("a bad pattern of a rule: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	p := must(t, Options{}, []Collection{
		regex("mine", Schedule{}, 0, "conv", "nothing_like_this", "(a*)*b"),
		{Name: "named", Selector: Selector{Names: []string{"absent", "my_weight"}, Collections: []string{"typo"}}},
		{Name: "relu_output", By: []string{"--collect"}},
	}, Need{By: "dead_relu", Selector: Selector{Collections: []string{"no_such"}, Regex: []string{"zzz"}}})
	first := []string{`collection named: there is no collection "typo"`, `rule dead_relu: there is no collection "no_such"`}
	if d := cmp.Diff(first, p.Warnings()); d != "" {
		t.Errorf("before any tensor: (-want +got)\n%s", d)
	}
	p.Decide(weight)
	p.Decide(saved)
	p.Decide(info(record.Custom, strings.Repeat("a", 40)+"b", "", ""))
	p.Decide(info(record.Custom, "b"+strings.Repeat("a", 400), "", ""))
	want := []string{
		`collection mine: no tensor matches "nothing_like_this"`,
		`collection named: there is no collection "typo"`,
		`collection named: there is no tensor "absent"`,
		`collection relu_output: it has no tensor`,
		`rule dead_relu: no tensor matches "zzz"`,
		`rule dead_relu: there is no collection "no_such"`,
	}
	if d := cmp.Diff(want, p.Warnings()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestExpensivePatternIsReported(t *testing.T) {
	p := must(t, Options{}, []Collection{regex("mine", Schedule{}, 0, `(x+x+)+y`)})
	if d := p.Decide(info(record.Custom, strings.Repeat("x", 60)+"zy", "", "")); len(d.Requests) != 0 {
		t.Errorf("it matches: %+v", d)
	}
	if w := strings.Join(p.Warnings(), "\n"); !strings.Contains(w, "too expensive") {
		t.Errorf("warnings: %s", w)
	}
}

func TestCollectionsMayIncludeEachOther(t *testing.T) {
	p := must(t, Options{}, []Collection{
		{Name: "a", Selector: Selector{Collections: []string{"b"}}, Schedule: Every(3)},
		{Name: "b", Selector: Selector{Collections: []string{"a", "relu_output"}, Names: []string{"my_weight"}}, Schedule: Every(5)},
	})
	if got := p.Decide(saved).Collections; !slices.Equal(got, []string{"a", "b", "weights"}) {
		t.Errorf("in %v", got)
	}
	if got := len(p.Module("act", "ReLU")); got != 2 {
		t.Errorf("%d watches, want one for each schedule", got)
	}
}

// What the wire says is due is what the requests say is due.
func TestWireIsTheUnionOfRequests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Every: rapid.SampledFrom([]int64{0, 1, 4}).Draw(t, "every"), SaveAll: rapid.Bool().Draw(t, "all")}
		var cs []Collection
		for i := range rapid.IntRange(0, 3).Draw(t, "collections") {
			name := rapid.SampledFrom([]string{"weights", "gradients", "mine"}).Draw(t, "name")
			c := Collection{Name: name, Schedule: genSchedule(t, name)}
			if name == "mine" || i == 0 {
				c.Regex = []string{rapid.SampledFrom([]string{"weight", "conv1", "^gradient"}).Draw(t, "regex")}
			}
			cs = append(cs, c)
		}
		need := Need{By: "r", Selector: Selector{Collections: []string{Weights}}, Schedule: genSchedule(t, "need")}
		if rapid.Bool().Draw(t, "pair") {
			need.Pairs = []Pair{{Lag: 1}}
		}
		p, err := New(o, cs, []Need{need})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []record.TensorInfo{weight, gradW, bias} {
			w := p.Wire([]WireTensor{{ID: 5, Info: i}}, nil)
			d := p.Decide(i)
			for m := range record.Mode(4) {
				for n := range int64(20) {
					for _, auto := range []int64{1, 3} {
						want := slices.ContainsFunc(d.Requests, func(r Request) bool { return r.Schedule.Due(m, n, auto) })
						got := slices.ContainsFunc(w.Tensors, func(e [2]int64) bool { return e[1] >= 0 && w.Schedules[e[1]].Due(m, n, auto) })
						if got != want {
							t.Fatalf("%s in %s at %d (auto %d): wire says %v, requests say %v\n%+v\n%+v", i.Name, m, n, auto, got, want, w, d)
						}
						want = slices.ContainsFunc(d.Requests, func(r Request) bool { return r.values() && r.Schedule.Due(m, n, auto) })
						got = slices.ContainsFunc(w.Values, func(e [2]int64) bool { return w.Schedules[e[1]].Due(m, n, auto) })
						if got != want {
							t.Fatalf("%s in %s at %d (auto %d): wire wants values %v, requests %v\n%+v\n%+v", i.Name, m, n, auto, got, want, w, d)
						}
					}
				}
			}
		}
	})
}
