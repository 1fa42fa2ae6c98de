package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/view"
)

// What is shown of a network is what the script counts itself: the parameters of the
// rows add up to those of the model, containers and shared weights included, and layers
// are in the order in which the first forward called them, also in heat maps.
func TestNetworkIsWhatTheScriptCounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	counted := filepath.Join(dir, "counted.json")
	out := run(t, dir, []string{"COUNTED=" + counted}, binary, "run", "--dir", "runs", "--name", "order", "--every", "2", "--", testenv.Python(t), script("order"))
	if out.code != 0 {
		t.Fatalf("exit code %d\n%s%s", out.code, out.stdout, out.stderr)
	}
	var script struct {
		Parameters int64
		Order      []string // names of parameters
		Called     []string // paths of modules
	}
	b, err := os.ReadFile(counted)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &script); err != nil {
		t.Fatal(err)
	}

	tr := open(t, filepath.Join(dir, "runs", "order"))
	o, err := view.OverviewOf(tr)
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	var called []string
	for _, l := range o.Network.Layers {
		sum += l.Parameters
		if slices.Contains(script.Called, l.Path) {
			called = append(called, l.Path)
		}
	}
	if sum != script.Parameters || o.Network.Parameters != script.Parameters {
		t.Errorf("the rows have %d parameters, %d in all; the script counts %d: %+v", sum, o.Network.Parameters, script.Parameters, o.Network.Layers)
	}
	if !slices.Equal(called, script.Called) {
		t.Errorf("modules are in the order %q, the script calls them in %q", called, script.Called)
	}

	// On the terminal and in the report.
	shown := run(t, dir, nil, binary, "show", "--dir", "runs", "order")
	total := strconv.FormatInt(script.Parameters, 10)
	total = total[:len(total)-3] + "," + total[len(total)-3:] + " parameters"
	network, _, _ := strings.Cut(shown.stdout[strings.Index(shown.stdout, "\nNetwork"):], "modules, ")
	var printed int64
	for _, line := range strings.Split(network, "\n") {
		if n := regexp.MustCompile(` ([\d,]+)$`).FindStringSubmatch(line); n != nil {
			v, err := strconv.ParseInt(strings.ReplaceAll(n[1], ",", ""), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			printed += v
		}
	}
	if printed != script.Parameters || !strings.Contains(shown.stdout, "modules, "+total) {
		t.Errorf("vigil show prints %d parameters, want %s:\n%s", printed, total, shown.stdout)
	}
	page := filepath.Join(dir, "report.html")
	if out := run(t, dir, nil, binary, "report", "--dir", "runs", "order", "-o", page); out.code != 0 {
		t.Fatalf("report: %s%s", out.stdout, out.stderr)
	}
	if b, err = os.ReadFile(page); err != nil || !strings.Contains(string(b), "modules, "+total) {
		t.Errorf("the report does not say %q: %v", total, err)
	}

	// The layers of heat maps.
	weights := func(names []string) (order []string) {
		for _, name := range names {
			if name, ok := strings.CutPrefix(name, "Net_"); ok {
				order = append(order, name)
			}
		}
		return order
	}
	want := slices.DeleteFunc(slices.Clone(script.Order), func(name string) bool { return name == "tied.weight" }) // that of another layer
	h, err := view.HeatOf(tr, view.HeatQuery{Stat: "std", Mode: record.Train, Pattern: "^Net_", Rows: 400, Columns: 100})
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, r := range h.Rows {
		rows = append(rows, r.Name)
	}
	if got := weights(rows); !slices.Equal(got, want) {
		t.Errorf("rows of the heat map are\n%q, the script calls\n%q", got, want)
	}
	maps, _, err := view.HeatMaps(tr, view.Size{Points: 100, Rows: 400, Columns: 100, Cells: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(maps, func(m view.HeatMap) bool { return m.Title == "standard deviation of weights" })
	if i < 0 {
		t.Fatal("the report has no heat map of weights")
	}
	rows = rows[:0]
	for _, r := range maps[i].Rows {
		rows = append(rows, r.Name)
	}
	if got := weights(rows); !slices.Equal(got, want) {
		t.Errorf("rows of the report's heat map are\n%q, the script calls\n%q", got, want)
	}

	costIsOneLine(t, tr.Run(), out.stderr, shown.stdout, string(b))
}

// costIsOneLine: what capture cost is said in the same words everywhere, and is made of
// what the run holds.
func costIsOneLine(t *testing.T, r record.Run, places ...string) {
	t.Helper()
	said := regexp.MustCompile(`(?m)^  cost +(.*)$`).FindStringSubmatch(places[0])
	if said == nil {
		t.Fatalf("the summary has no cost:\n%s", places[0])
	}
	for _, text := range places {
		if !strings.Contains(text, said[1]) {
			t.Errorf("%q is not said in\n%s", said[1], text)
		}
	}
	whole := record.Seconds(r.Ended.Sub(r.Started).Seconds())
	if !strings.Contains(said[1], " of "+whole) || !strings.Contains(places[0], "completed after "+whole) {
		t.Errorf("the cost is said to be %q, of a run that took %s", said[1], whole)
	}
	if o := r.Overhead; o.BudgetPercent != 0 || strings.Contains(said[1], "budget") {
		t.Errorf("a budget of intervals that were given: %q, %+v", said[1], o)
	}
}
