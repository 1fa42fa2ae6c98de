package boosting

import (
	"bytes"
	bytesof "encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// hostile is a name that would break out of HTML, a style or an attribute.
const hostile = `</style><script>window.broken=1</script>"'<b>`

// training is what a run of boosting holds; what is nil is not saved.
type training struct {
	objective   string
	labels      []float64
	predictions func(step int) []float64
	width       int
	metrics     map[string]func(step int) float64
	importance  map[string]float64 // of type gain and weight
	shap        map[string][]float64
}

const rounds = 30

// makeRun writes a run of boosting; labels and predictions come every 5 rounds.
func makeRun(t *testing.T, tr training) *trial.Trial {
	t.Helper()
	root := t.TempDir()
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	facts, err := json.Marshal(map[string]any{"framework": "xgboost", "boosting": map[string]any{
		"at": 0, "booster": "gbtree", "objective": tr.objective, "features": 3, "rows": 1000, "hyperparameters": map[string]any{"max_depth": 4, "tree_method": hostile},
		"data":            []map[string]any{{"name": "fitted", "rows": 1000, "training": true}, {"name": "held", "rows": 200}},
		"predictions_for": map[string]any{"name": "held", "rows": 200},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.Create(vfs.OS, root, "run", record.Run{
		Format: record.RunFormat, Name: "run", Framework: record.Framework{Name: "xgboost", Version: "3.2.0"}, Started: started, Status: record.Completed,
		Facts: facts, Said: hostile, Workers: []record.Worker{{Name: "worker_0", Chief: true}},
		NotCaptured: []record.NotCaptured{{Name: "average_shap", Reason: "no reason", Count: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.LeaveFree(0, 1) // the disk of the tests may be nearly full
	scalars := map[string]func(int) float64{}
	var infos []record.TensorInfo
	add := func(name, collection string, f func(int) float64) {
		scalars[name] = f
		infos = append(infos, record.TensorInfo{Name: name, Kind: record.Metric, Collections: []string{collection}})
	}
	for name, f := range tr.metrics {
		add(name, "metrics", f)
	}
	for name, x := range tr.importance {
		for _, kind := range []string{"gain", "weight"} {
			add("feature_importance/"+kind+"/"+name, "feature_importance", func(int) float64 { return x })
		}
	}
	raw := map[string]func(int) ([]float64, []int64){}
	if tr.labels != nil {
		raw["labels"] = func(int) ([]float64, []int64) { return tr.labels, []int64{int64(len(tr.labels))} }
	}
	if tr.predictions != nil {
		raw["predictions"] = func(s int) ([]float64, []int64) {
			v := tr.predictions(s)
			if tr.width > 1 {
				return v, []int64{int64(len(v) / tr.width), int64(tr.width)}
			}
			return v, []int64{int64(len(v))}
		}
	}
	for name, v := range tr.shap {
		raw["full_shap/"+name] = func(int) ([]float64, []int64) { return v, []int64{int64(len(v))} }
		infos = append(infos, record.TensorInfo{Name: "full_shap/" + name, Kind: record.Custom, DType: "F64", Collections: []string{"full_shap"}})
	}
	if err := w.Announce("worker_0", infos); err != nil {
		t.Fatal(err)
	}
	for s := range rounds {
		step := &record.Step{Worker: "worker_0", Step: int64(s), ModeStep: int64(s), Mode: record.Train, Time: started, Seconds: 0.001}
		for name, f := range scalars {
			step.Scalars = append(step.Scalars, record.Scalar{Name: name, Value: f(s)})
		}
		if s%5 == 0 && len(raw) > 0 {
			file, err := w.RawStep("worker_0", record.Train, int64(s))
			if err != nil {
				t.Fatal(err)
			}
			for name, values := range raw {
				v, shape := values(s)
				data := make([]byte, 8*len(v))
				for i, x := range v {
					bytesof.LittleEndian.PutUint64(data[8*i:], math.Float64bits(x))
				}
				if err := file.Add(name, tensor.View{DType: tensor.F64, Shape: shape, Data: data}); err != nil {
					t.Fatal(err)
				}
				step.Raw = append(step.Raw, name)
			}
			if err := file.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Append("worker_0", "", 0, step); err != nil {
			t.Fatal(err)
		}
		if err := w.Complete(&record.Complete{Step: step.Step, Mode: step.Mode, ModeStep: step.ModeStep, Time: step.Time, Parts: []*record.Step{step}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := trial.Open(filepath.Join(root, "run"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	return out
}

func falling(from, by float64) func(int) float64 {
	return func(s int) float64 { return from * math.Exp(-by*float64(s)) }
}

// Trainings of the three kinds, with faults that sentences must name.
var (
	twoClasses = training{
		objective: "binary:logistic", labels: repeat(200, func(i int) float64 { return float64(b2i(i%20 == 0)) }),
		predictions: func(s int) []float64 {
			return repeat(200, func(i int) float64 {
				return []float64{0.1, 0.9}[b2i(i%20 == 0 && i%40 == 0 && s > 10)] + float64(i)/1e4
			})
		},
		metrics: map[string]func(int) float64{
			"fitted-logloss": falling(0.6, 0.1), "held-logloss": func(s int) float64 { return 0.3 + math.Abs(float64(s)-10)/50 }, "held-auc": func(s int) float64 { return 0.8 + float64(s)/200 },
		},
		importance: map[string]float64{"age": 0.85, hostile: 0.15, "height": 0},
		shap:       map[string][]float64{"age": {1, -2, 3}, hostile: {0.1, 0.1, -0.1}},
	}
	threeClasses = training{
		objective: "multi:softprob", labels: repeat(90, func(i int) float64 { return float64(i % 3) }), width: 3,
		predictions: func(int) []float64 {
			var out []float64
			for i := range 90 {
				row := []float64{0.2, 0.2, 0.2}
				row[map[bool]int{true: 2, false: i % 3}[i%3 == 1 && i > 45]] = 0.6
				out = append(out, row...)
			}
			return out
		},
		metrics: map[string]func(int) float64{"fitted-mlogloss": falling(1, 0.05), "held-mlogloss": falling(1.1, 0.04)},
	}
	numbers = training{
		objective: "reg:squarederror", labels: repeat(300, func(i int) float64 { return math.Pow(float64(i)/50, 3) }),
		predictions: func(s int) []float64 {
			return repeat(300, func(i int) float64 {
				return math.Pow(float64(i)/50, 3) + 5 + float64(i%7-3)/float64(s+1)
			})
		},
		metrics: map[string]func(int) float64{"held-rmse": falling(5, 0.001)},
	}
)

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func repeat(n int, f func(int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func write(t *testing.T, tr training) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, makeRun(t, tr), Options{Now: time.Unix(0, 0), Status: "running"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Each kind of problem has its sections, with what they say, and no others.
func TestSections(t *testing.T) {
	classes, numbersOnly := []string{"confusion", "evaluation", "diagonal"}, []string{"residuals", "bins"}
	for _, tt := range []struct {
		name     string
		training training
		has      []string // sections
		lacks    []string
		says     []string
	}{
		{"two classes", twoClasses, append([]string{"labels", "metrics", "importance", "roc", "shap", "settings"}, classes...), append([]string{"missing"}, numbersOnly...), []string{
			"two classes", "class 0 is 19 times as frequent as class 1", "The model overfits", "On held it is best after round 10 (0.3)",
			"1 of the 3 features is used in no split", "alone has 85 % of the gain", "after round 25: 195 of 200 rows are correct (97.5 %)", "class 1 predicted as class 0, 5 times (50 % of its rows)",
			"the accuracy is 97.5 %", ">0.9744<", ">0.5000<", "running",
		}},
		{"three classes", threeClasses, append([]string{"labels", "metrics"}, classes...), append([]string{"roc", "importance", "shap"}, numbersOnly...), []string{
			"several classes", "The classes are of about the same size", "It is still improving", "class 1 predicted as class 2, 15 times", "Feature importance: it was not saved", "Contributions of the features (SHAP): no reason",
		}},
		{"numbers", numbers, append([]string{"labels", "metrics"}, numbersOnly...), append([]string{"roc"}, classes...), []string{
			"regression", "The distribution is skewed", "It has levelled off", "The residuals are not centred at 0: on average predictions are too high", "10 bins of equal width",
		}},
		{"without predictions", training{objective: "reg:squarederror", metrics: numbers.metrics}, []string{"metrics", "missing"}, []string{"labels", "residuals"}, []string{
			"labels and predictions were not saved; start the training with `vigil run --rule create_xgboost_report`",
		}},
		{"labels of one class", training{objective: "binary:logistic", labels: repeat(9, func(int) float64 { return 1 }), predictions: func(int) []float64 { return repeat(9, func(int) float64 { return 0.9 }) }},
			classes, []string{"roc"}, []string{"there is nothing to learn", "ROC curve: it is undefined: all labels after round 25 are of one class", "no metric was computed"}},
		{"an objective of the script's own", training{objective: "custom", labels: twoClasses.labels, predictions: func(s int) []float64 {
			return repeat(200, func(i int) float64 { return float64(b2i(i%20 == 0))*8 - 4 })
		}}, append([]string{"roc"}, classes...), numbersOnly, []string{"after round 25: 200 of 200 rows are correct (100 %)", "The area under the curve is 1.0000"}},
		{"what is not finite", training{objective: "reg:squarederror", labels: []float64{1, math.NaN(), 3}, predictions: func(int) []float64 { return []float64{math.Inf(1), 2, 2} },
			metrics: map[string]func(int) float64{"held-rmse": func(s int) float64 { return []float64{1, math.NaN()}[b2i(s > 2)] }}}, []string{"residuals", "metrics"}, nil, []string{"for 1 row:", "It is no longer finite"}},
		{"constant labels", training{objective: "reg:squarederror", labels: repeat(5, func(int) float64 { return 2 }), predictions: func(int) []float64 { return repeat(5, func(int) float64 { return 2 }) }}, []string{"labels", "residuals", "bins"}, nil, []string{"centred at 0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := write(t, tt.training)
			for _, id := range tt.has {
				if !strings.Contains(page, `<section id="`+id+`"`) {
					t.Errorf("there is no section %q", id)
				}
			}
			for _, id := range tt.lacks {
				if strings.Contains(page, `<section id="`+id+`"`) {
					t.Errorf("there is a section %q", id)
				}
			}
			for _, text := range tt.says {
				if !strings.Contains(page, text) {
					t.Errorf("%q is not there", text)
				}
			}
			for _, no := range []string{"<script>window.broken", `"NaN`, `NaN"`, "MNaN", "LNaN", "Inf\"", "http:", "https:", "url(", "@import", "%!"} {
				if strings.Contains(page, no) {
					at := strings.Index(page, no)
					t.Errorf("%q is there: …%s…", no, page[max(0, at-80):min(len(page), at+80)])
				}
			}
		})
	}
}

// A run in which there is nothing of boosting is an error that says so.
func TestNothingToReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "report.html")
	if err := WriteFile(path, makeRun(t, training{}), Options{}); !errors.Is(err, ErrNothing) {
		t.Errorf("error is %v", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
		t.Errorf("files are left: %v", left)
	}
	if err := WriteFile(path, makeRun(t, twoClasses), Options{}); err != nil {
		t.Error(err)
	}
}

func TestROC(t *testing.T) {
	for _, tt := range []struct {
		labels, scores []float64
		area           float64
		points         int
	}{
		{[]float64{0, 0, 1, 1}, []float64{0.1, 0.4, 0.35, 0.8}, 0.75, 5},
		{[]float64{0, 1}, []float64{0.2, 0.9}, 1, 3},
		{[]float64{0, 1}, []float64{0.9, 0.2}, 0, 3},
		{[]float64{0, 1, 0, 1}, []float64{0.5, 0.5, 0.5, 0.5}, 0.5, 2}, // one threshold
	} {
		x, y, area, ok := roc(tt.labels, tt.scores)
		if !ok || math.Abs(area-tt.area) > 1e-12 || len(x) != tt.points || len(y) != len(x) {
			t.Errorf("labels %v, scores %v: area %v with %d points, want %v with %d", tt.labels, tt.scores, area, len(x), tt.area, tt.points)
		}
	}
	if _, _, _, ok := roc([]float64{1, 1}, []float64{0, 1}); ok {
		t.Error("labels of one class have a curve")
	}
}

func TestScores(t *testing.T) {
	p := pair{labels: []float64{0, 0, 0, 1, 1, 2}, predictions: []float64{0, 0, 1, 1, 1, 1}, width: 1}
	c := p.confusion(multiclass)
	want := []score{
		{class: 0, precision: 1, recall: 2.0 / 3, f1: 0.8, support: 3},
		{class: 1, precision: 0.5, recall: 1, f1: 2.0 / 3, support: 2},
		{class: 2, support: 1, undefined: true},
	}
	got := c.scores()
	if len(got) != len(want) {
		t.Fatalf("scores are %+v", got)
	}
	for i := range want {
		if math.Abs(got[i].f1-want[i].f1) > 1e-12 || got[i].precision != want[i].precision || got[i].recall != want[i].recall || got[i].support != want[i].support || got[i].undefined != want[i].undefined {
			t.Errorf("score is %+v, want %+v", got[i], want[i])
		}
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		a, b float64
		n    int
		want []float64
	}{
		{0, 1, 5, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{-3, 7, 5, []float64{-2, 0, 2, 4, 6}},
		{0, 199, 8, []float64{0, 50, 100, 150}},
		{2, 2, 5, nil},
	} {
		got := ticks(tt.a, tt.b, tt.n)
		if !slices.EqualFunc(got, tt.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("ticks from %v to %v are %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
	if got := strings.Join([]string{percent(0.974), percent(0.00012), percent(1), thousands(1234567), thousands(-12)}, "; "); got != "97.4 %; 0.01 %; 100 %; 1,234,567; -12" {
		t.Errorf("numbers read %q", got)
	}
}

// A run of any length gives a file of bounded size.
func TestLongRun(t *testing.T) {
	l := line{name: "x"}
	for i := range 100_000 {
		l.x, l.y = append(l.x, float64(i)), append(l.y, math.Sin(float64(i)))
	}
	l.y[50_000] = 100
	chart := string(lineChart([]line{l}, chartOptions{}))
	if len(chart) > 20_000 {
		t.Errorf("the chart has %d bytes", len(chart))
	}
	if _, ys := reduced(l.x, l.y); !slices.Contains(ys, 100) {
		t.Error("the spike of one step is gone")
	}
}
