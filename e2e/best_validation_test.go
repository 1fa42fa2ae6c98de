package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/runs"
	"github.com/vigil-ml/vigil/internal/server"
	"github.com/vigil-ml/vigil/internal/trial"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// validationStyles are the classes of scripts/best_validation.py.
var validationStyles = []string{
	"ByDefault", "HighRate", "LowRate", "Regression", "Sums", "SumsOfSquares", "EverySteps", "AtTheEnd", "SeveralLoaders",
	"BeforeTraining", "DropsLast", "Inference", "Binary", "ReturnsLoss", "LogsItself",
}

// bestAndLast is what a script printed of its own validation losses.
type bestAndLast struct {
	best, last float64
	passes     int
}

// aPoint is a line of read_series, "63: 0.390013": the step of training, and the value in six digits.
var aPoint = regexp.MustCompile(`(?m)^-?\d+: (\S+)$`)

// The best and the last validation loss of a run are those that its script computes,
// in whatever style, wherever they are shown.
func TestBestValidationLoss(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	own := map[string]bestAndLast{}
	for _, style := range validationStyles {
		argv := append([]string{binary, "run", "--quiet", "--rules", "none", "--monitor", "off", "--dir", root, "--name", style, "--"}, forkedFile(t, script("best_validation"))...)
		o := run(t, root, nil, append(argv, style)...)
		b := bestAndLast{}
		if _, err := fmt.Sscanf(o.stdout, "own best %g last %g passes %d", &b.best, &b.last, &b.passes); err != nil || o.code != 0 {
			t.Fatalf("%s: exit code %d, %v: %s%s", style, o.code, err, o.stdout, o.stderr)
		}
		own[style] = b
	}
	check := func(t *testing.T, style, where string, best, last float64) {
		t.Helper()
		if want := own[style]; !nearly(best, want.best) || !nearly(last, want.last) {
			t.Errorf("%s: %s has best %v and last %v; the script has %v and %v", style, where, best, last, want.best, want.last)
		}
	}

	t.Run("compare", func(t *testing.T) {
		var c struct {
			Series []struct {
				Name, Mode string
				Of         []struct {
					Points    int
					Last, Min float64
				}
			}
		}
		decode(t, run(t, root, nil, append([]string{binary, "compare", "--dir", root, "--json"}, validationStyles...)...).stdout, &c)
		seen := 0
		for _, s := range c.Series {
			if s.Name != "loss" || s.Mode != "EVAL" {
				continue
			}
			for i, style := range validationStyles {
				seen++
				check(t, style, "vigil compare", s.Of[i].Min, s.Of[i].Last)
				passes := own[style].passes
				if style == "BeforeTraining" {
					passes-- // what comes before training is not captured
				}
				if s.Of[i].Points != passes {
					t.Errorf("%s: %d points of %d passes", style, s.Of[i].Points, passes)
				}
			}
		}
		if seen != len(validationStyles) {
			t.Errorf("%d of %d runs are compared", seen, len(validationStyles))
		}
	})

	t.Run("index", func(t *testing.T) {
		x := runs.Open(vfs.OS, root, runs.Options{})
		defer x.Close()
		for _, style := range validationStyles {
			row, err := x.Row(style)
			if err != nil {
				t.Fatal(err)
			}
			d, err := row.Details()
			if err != nil {
				t.Fatal(err)
			}
			loss := d.Values["loss (EVAL)"]
			check(t, style, "the index", float64(*loss.Best), float64(loss.Last))
			line := d.Losses[len(d.Losses)-1]
			if line.Mode != "EVAL" {
				t.Errorf("%s: the last line is of %s", style, line.Mode)
			}
			check(t, style, "the line", float64(line.Min), float64(line.Last))
			if style == "LogsItself" {
				logged := d.Values["val_loss"]
				check(t, style, "what it logged", float64(*logged.Best), float64(logged.Last))
			}
		}
	})

	t.Run("assistant", func(t *testing.T) {
		cmd := exec.Command(binary, "mcp", root)
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		for _, style := range validationStyles {
			answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_series", Arguments: map[string]any{"run": style, "name": "loss", "mode": "EVAL"}})
			if err != nil || answer.IsError {
				t.Fatalf("%s: %+v, %v", style, answer, err)
			}
			text := answer.Content[0].(*mcp.TextContent).Text
			best, last, points := math.Inf(1), math.NaN(), 0
			for _, m := range aPoint.FindAllStringSubmatch(text, -1) {
				if last, err = strconv.ParseFloat(m[1], 64); err != nil {
					t.Fatal(err)
				}
				best = min(best, last)
				points++
			}
			want := own[style]
			passes := want.passes
			if style == "BeforeTraining" {
				passes--
			}
			if points != passes || math.Abs(best-want.best) > 1e-5*math.Abs(want.best) || math.Abs(last-want.last) > 1e-5*math.Abs(want.last) {
				t.Errorf("%s: %d points, best %v, last %v; the script has %+v\n%s", style, points, best, last, want, text)
			}
		}
	})

	t.Run("API", func(t *testing.T) {
		s := httptest.NewServer(server.New(server.Options{Root: root}).Handler())
		defer s.Close()
		api := func(query string, to any) {
			t.Helper()
			o, err := s.Client().Get(s.URL + "/api/v1/" + query)
			if err != nil {
				t.Fatal(err)
			}
			defer o.Body.Close()
			if err := json.NewDecoder(o.Body).Decode(to); err != nil || o.StatusCode != 200 {
				t.Fatalf("GET %s: %s, %v", query, o.Status, err)
			}
		}
		var table struct {
			Runs  []string
			Cells []struct {
				Rows    []int
				Numbers []float64
			}
			Names struct{ Less []string }
		}
		for { // the rows are read meanwhile
			api("table?names=true&"+url.Values{"c": {"best.loss (EVAL)", "last.loss (EVAL)", "min.loss (EVAL)"}}.Encode(), &table)
			if len(table.Runs) == len(validationStyles) {
				break
			}
		}
		for i, style := range table.Runs {
			check(t, style, "the table", table.Cells[0].Numbers[i], table.Cells[1].Numbers[i])
			check(t, style, "the table, min", table.Cells[2].Numbers[i], table.Cells[1].Numbers[i])
		}
		if !slices.Contains(table.Names.Less, "loss (EVAL)") {
			t.Errorf("less is better of %v", table.Names.Less)
		}
		for _, axis := range []string{"update", "time", "relative"} {
			var lines struct {
				Runs []struct {
					Run    string
					Series []struct {
						Mean  []float64
						Error string
					}
				}
			}
			api("series/compare?"+url.Values{"s": {"loss||EVAL|"}, "axis": {axis}, "run": validationStyles}.Encode(), &lines)
			for _, r := range lines.Runs {
				if line := r.Series[0]; line.Error != "" || len(line.Mean) == 0 {
					t.Errorf("%s by %s: %d points, %s", r.Run, axis, len(line.Mean), line.Error)
				} else {
					check(t, r.Run, "the curve by "+axis, slices.Min(line.Mean), line.Mean[len(line.Mean)-1])
				}
			}
		}
	})

	// A single batch names another winner.
	t.Run("winner", func(t *testing.T) {
		rates := []string{"ByDefault", "HighRate", "LowRate"}
		batches := map[string]float64{}
		for _, style := range rates {
			_, values, err := open(t, filepath.Join(root, style)).Series(trial.Query{Tensor: "loss", Mode: record.Eval})
			if err != nil {
				t.Fatal(err)
			}
			batches[style] = slices.Min(values)
		}
		passes := map[string]float64{}
		for _, style := range rates {
			passes[style] = own[style].best
		}
		if a, b := least(batches), least(passes); a == b {
			t.Errorf("%s is the best run by single batches, too: nothing is tested by that\n%v %v", a, batches, passes)
		}
	})
}

// least is the name of the least value.
func least(of map[string]float64) string {
	return slices.MinFunc(slices.Collect(maps.Keys(of)), func(a, b string) int { return int(math.Copysign(1, of[a]-of[b])) })
}

// nearly reports whether two numbers are the same but for the rounding of a float32.
func nearly(a, b float64) bool { return math.Abs(a-b) <= 1e-5*math.Abs(b) }
