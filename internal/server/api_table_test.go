package server

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// trained writes runs with so many values each, and parameters. The last value of the
// last run is no number.
func trained(t *testing.T, root string, runs, values int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	for i := range runs {
		name, at := fmt.Sprintf("run-%03d", i), start.Add(time.Duration(-i)*time.Minute)
		w, err := store.Create(vfs.OS, root, name, record.Run{Format: record.RunFormat, Name: name, Host: "bench", Started: at, Ended: &at, Status: record.Completed,
			Workers: []record.Worker{{Name: "worker_0", Chief: true}}, Steps: map[string]int64{"TRAIN": 2}, Dropped: map[string]int64{},
			Provenance: &record.Provenance{Hyperparameters: map[string]string{"lr": fmt.Sprint(i % 5), `odd "name".x`: "a<b"}}})
		if err != nil {
			t.Fatal(err)
		}
		for s := range int64(2) {
			step := &record.Step{Worker: "worker_0", Step: s, Mode: record.Train, ModeStep: s, Time: at}
			for v := range values {
				value := r.Float64()
				if i == runs-1 && v == values-1 && s == 1 {
					value = math.NaN()
				}
				step.Scalars = append(step.Scalars, record.Scalar{Name: valueName(v), Value: value})
			}
			if err := w.Append("worker_0", "", uint64(s+1), step); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func valueName(i int) string {
	if i == 0 {
		return "loss"
	}
	return fmt.Sprintf("block%02d/layer%02d/metric%d", i/100, i/10%10, i%10)
}

// column is a column of an answer as its runs have it; what a run lacks is nil.
func columnOf(v map[string]any, id string) []any {
	list := make([]any, len(v["runs"].([]any)))
	for _, c := range v["cells"].([]any) {
		c := c.(map[string]any)
		if c["id"] != id {
			continue
		}
		for i := range list {
			row, at := i, i
			if rows, some := c["rows"].([]any); some {
				if at = slices.Index(rows, any(float64(i))); at < 0 {
					continue
				}
			}
			if numbers, are := c["numbers"].([]any); are {
				list[row] = numbers[at]
			} else {
				list[row] = c["values"].([]any)[int(c["at"].([]any)[at].(float64))]
			}
		}
	}
	return list
}

// A table has what the list has, by column.
func TestTheTableIsTheList(t *testing.T) {
	root := t.TempDir()
	trained(t, root, 4, 3)
	ended(t, root, "bare", start.Add(-2*time.Minute-time.Second), record.Finding{Rule: "dead_relu", Check: "layer", Severity: record.Error, Time: start})
	a := newAPI(t, Options{Root: root})
	a.whole()
	a.ask("PUT /runs/bare/tags", `{"set":{"x":"<b>"}}`, 200)
	a.ask("PUT /runs/bare/note", `{"note":"first"}`, 200)
	a.ask("PATCH /ui", `{"archived":["run-001"]}`, 200)
	listed := a.ask("GET /runs", "", 200)["runs"].([]any)
	query := url.Values{}
	for id := range members {
		query.Add("c", id)
	}
	others := map[string]func(row map[string]any) any{
		"losses": func(row map[string]any) any { return row["losses"] },
		"loss": func(row map[string]any) any {
			if lines, some := row["losses"].([]any); some {
				return lines[0].(map[string]any)["last"]
			}
			return nil
		},
		`param.odd "name".x`: func(row map[string]any) any { return of(row, "parameters", `odd "name".x`) },
		"param.lr":           func(row map[string]any) any { return of(row, "parameters", "lr") },
		"param.none":         func(map[string]any) any { return nil },
		"last.none":          func(map[string]any) any { return nil },
	}
	for _, member := range []string{"last", "best", "min", "max"} {
		for i := range 3 {
			others[member+"."+valueName(i)] = func(row map[string]any) any { return of(row, "values", valueName(i), member) }
		}
	}
	for id := range others {
		query.Add("c", id)
	}
	v := a.ask("GET /table?names=true&"+query.Encode(), "", 200)
	for i, row := range listed {
		row := row.(map[string]any)
		if v["runs"].([]any)[i] != row["name"] {
			t.Fatalf("runs %v", v["runs"])
		}
		for id := range members {
			// What says nothing is left out.
			if got, want := columnOf(v, id)[i], row[id]; !reflect.DeepEqual(got, want) && (got != nil || says(want)) {
				t.Errorf("%s of %s is %v, the list says %v", id, row["name"], got, want)
			}
		}
		for id, want := range others {
			if got, want := columnOf(v, id)[i], want(row); !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %s is %v, the list says %v", id, row["name"], got, want)
			}
		}
	}
	if names := v["names"].(map[string]any); !reflect.DeepEqual(names["values"], []any{"block00/layer00/metric1", "block00/layer00/metric2", "loss"}) || !reflect.DeepEqual(names["less"], []any{"loss"}) || !reflect.DeepEqual(names["parameters"], []any{"lr", `odd "name".x`}) {
		t.Errorf("names %v", names)
	}
	for _, c := range v["cells"].([]any) {
		c := c.(map[string]any)
		numbers, at := c["numbers"] != nil, c["at"] != nil && c["values"] != nil
		if numbers == at {
			t.Errorf("a column without either list, or with both: %v", c)
		}
	}
	// No column, no names: the names of the runs alone. Some runs, page by page, a column twice.
	if v := a.ask("GET /table", "", 200); len(v["cells"].([]any)) != 0 || v["names"] != nil || len(v["runs"].([]any)) != 5 {
		t.Errorf("%v", v)
	}
	if v := a.ask("GET /table?run=bare&run=run-001&c=note&c=note&c=archived", "", 200); len(v["cells"].([]any)) != 2 || !reflect.DeepEqual(columnOf(v, "note"), []any{nil, "first"}) || !reflect.DeepEqual(columnOf(v, "archived"), []any{true, nil}) {
		t.Errorf("%v", v)
	}
	first := a.ask("GET /table?limit=3&c=started", "", 200)
	rest := a.ask("GET /table?c=started&cursor="+first["next"].(string), "", 200)
	if got := append(first["runs"].([]any), rest["runs"].([]any)...); !reflect.DeepEqual(got, v["runs"]) || rest["next"] != "" {
		t.Errorf("page by page: %v", got)
	}
	for _, line := range []string{"GET /table?c=none", "GET /table?c=name", "GET /table?c=mean.loss", "GET /table?limit=0", "GET /table?cursor=x", "GET /table?" + strings.Repeat("&c=note", 1001)} {
		a.ask(line, "", 422)
	}
	if empty := newAPI(t, Options{Root: root + "/none"}).ask("GET /table?names=1&c=losses&c=loss", "", 200); len(empty["runs"].([]any)) != 0 || len(empty["cells"].([]any)) != 2 {
		t.Errorf("a root that is not there yet: %v", empty)
	}
}

// whole waits until every run is in the list.
func (a *api) whole() {
	a.t.Helper()
	if _, err := a.server.index.All(a.t.Context()); err != nil {
		a.t.Fatal(err)
	}
}

// of is a member of a member; nil where there is none.
func of(v any, path ...string) any {
	for _, name := range path {
		object, is := v.(map[string]any)
		if !is {
			return nil
		}
		v = object[name]
	}
	return v
}

func says(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > 0
	case map[string]any:
		for _, member := range v {
			if says(member) {
				return true
			}
		}
		return false
	}
	return v != nil && v != "" && v != 0.0 && v != false
}

// What is sent of a run grows with the columns that are asked for, by eight bytes a
// cell, and not with what the run has besides; what is alike in all runs is sent once.
func TestTheTableIsSmall(t *testing.T) {
	const runs, values = 120, 60
	root := t.TempDir()
	trained(t, root, runs, values)
	a := newAPI(t, Options{Root: root})
	a.whole()
	size := func(accept string, columns ...string) int {
		query := url.Values{"c": columns}
		answer, body := ask(t, a.url, asked{line: "GET /api/v1/table?" + query.Encode(), headers: withBearer + "Accept: " + accept + "\n"})
		if answer.StatusCode != 200 {
			t.Fatal(body)
		}
		return len(body)
	}
	var columns []string
	for i := range values {
		columns = append(columns, "last."+valueName(i))
	}
	few := size(columnsType, columns[:10]...)
	all := size(columnsType, columns...)
	cells := runs * (values - 10)
	if each := float64(all-few) / float64(cells); each > 9 {
		t.Errorf("a cell takes %.1f bytes", each)
	}
	list := size("application/json", columns...)
	if each := float64(list) / (runs * values); each > 24 {
		t.Errorf("as JSON, a cell takes %.1f bytes", each)
	}
	// What a row has besides is not sent.
	answer, full := ask(t, a.url, asked{line: "GET /api/v1/runs", headers: withBearer})
	if answer.StatusCode != 200 || len(full) < 10*all {
		t.Errorf("the table of all last values has %d bytes, the list of all %d", all, len(full))
	}
	alike := []string{"status", "host", "machine", "findings", "framework", "progress", "param.lr"}
	if each := float64(size(columnsType, alike...)-size(columnsType)) / runs; each > 10*float64(len(alike)) {
		t.Errorf("what is alike takes %.1f bytes of a run", each)
	}
}
