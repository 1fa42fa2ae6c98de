package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vigil-ml/vigil/internal/control"
	"github.com/vigil-ml/vigil/internal/runs"
)

// RunList is the list of runs.
type RunList struct {
	Format
	Runs     []listedRun `json:"runs"`
	Building *Building   `json:"building" doc:"How far the reading of runs has come that are not in the list yet; null: all are."`
	Next     string      `json:"next" doc:"Cursor of the runs that follow; \"\" of none."`
}

// Building is how far the reading of runs has come.
type Building struct {
	_    struct{} `nullable:"true"`
	_    struct{} `nullable:"true"`
	Done int      `json:"done"`
	Of   int      `json:"of"`
}

// listedRun is a row of the list as the index has it.
type listedRun struct{ runs.Row }

// MarshalJSON passes on what the index has encoded.
func (r listedRun) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil) }

// writeJSON writes the list as it is marshalled. The rows, which may be many
// megabytes, are not looked through again.
func (l RunList) writeJSON(w io.Writer) error {
	rows := l.Runs
	l.Runs = []listedRun{}
	shell, err := json.Marshal(l)
	if err != nil {
		return err
	}
	begin, end, _ := bytes.Cut(shell, []byte(`"runs":[`))
	b := append(slices.Clip(begin), `"runs":[`...)
	for i := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = rows[i].AppendJSON(b); err != nil {
			return err
		}
		if _, err = w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	_, err = w.Write(append(b, end...))
	return err
}

// Schema is that of RunRow, which says what is in it.
func (listedRun) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(rowType, true, "RunRow")
}

// marked marks the rows of archived runs.
func (s *Server) marked(list []runs.Row) []runs.Row {
	archived := map[string]bool{}
	for _, name := range s.ui.Settings().Archived {
		archived[name] = true
	}
	for i := range list {
		list[i].Archived = archived[list[i].Name]
	}
	return list
}

// rows are rows of the index as the page knows them; archived runs are marked.
func (s *Server) rows(list []runs.Row, full bool) []listedRun {
	out := make([]listedRun, len(list))
	for i, r := range s.marked(list) {
		if !full {
			r = r.Basic()
		}
		out[i] = listedRun{r}
	}
	return out
}

// cursorOf names the place behind a row.
func cursorOf(r *runs.Row) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(r.Started.UnixNano(), 10) + " " + r.Name))
}

// behind reports whether a row comes after a cursor, in the order of the list.
func behind(cursor string) (func(*runs.Row) bool, error) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	text, name, _ := strings.Cut(string(b), " ")
	at, err2 := strconv.ParseInt(text, 10, 64)
	if err != nil || err2 != nil {
		return nil, &wrong{"The cursor is none that this server gave: begin without one."}
	}
	return func(r *runs.Row) bool {
		own := r.Started.UnixNano()
		return own < at || own == at && r.Name > name
	}, nil
}

// ListQuery is what the list of runs is asked.
type ListQuery struct {
	Page
	Runs   []string `query:"run,explode" maxItems:"200" doc:"Names of runs: only these, in the order of the list; none: all."`
	Fields string   `query:"fields" enum:"basic,full" default:"full" doc:"full has losses, values and parameters besides. Of many runs, table has less to send."`
}

// Page is which part of a list is asked for. (It is exported because what is embedded
// has to be, to be read from a request.)
type Page struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"10000" default:"10000"`
	Cursor string `query:"cursor" maxLength:"600" doc:"next of the answer before."`
}

func registerRuns(api huma.API, s *Server) {
	get(api, "/runs", "list-runs", "The runs below the root, newest first, as `vigil ls --json` and more", s.list)
	get(api, "/table", "table-of-runs", "Columns of the list of runs: of each run what is asked for, and no more", s.table)
	change(api, http.MethodDelete, "/runs/{run}", "delete-run", "Remove a run with all that is stored in it", s.remove)
}

func (s *Server) list(_ context.Context, in *ListQuery) (RunList, error) {
	rows, next, building, err := s.pageOf(in.Page, in.Runs)
	if err != nil {
		return RunList{}, err
	}
	return RunList{Format: format1, Runs: s.rows(rows, in.Fields == "full"), Building: building, Next: next}, nil
}

// pageOf is a part of the list, of the runs of some names or of all, with the cursor of
// what follows.
func (s *Server) pageOf(in Page, names []string) (rows []runs.Row, next string, building *Building, err error) {
	list, err := s.index.List()
	if err != nil {
		return nil, "", nil, err
	}
	rows = list.Rows
	if len(names) > 0 {
		rows = slices.DeleteFunc(rows, func(r runs.Row) bool { return !slices.Contains(names, r.Name) })
	}
	if in.Cursor != "" {
		after, err := behind(in.Cursor)
		if err != nil {
			return nil, "", nil, err
		}
		i := slices.IndexFunc(rows, func(r runs.Row) bool { return after(&r) })
		if i < 0 {
			i = len(rows)
		}
		rows = rows[i:]
	}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		next = cursorOf(&rows[in.Limit-1])
	}
	if b := list.Building; b != nil {
		building = &Building{Done: b.Done, Of: b.Of}
	}
	return rows, next, building, nil
}

// Removed says what was removed.
type Removed struct {
	Format
	Removed string `json:"removed"`
}

func (s *Server) remove(_ context.Context, in *struct {
	RunPath
	Name string `query:"name" required:"true" maxLength:"255" doc:"The name of the run once more: it cannot be brought back."`
},
) (Removed, error) {
	r, err := s.control(in.Run)
	if err != nil {
		return Removed{}, err
	}
	if in.Name != in.Run {
		return Removed{}, &wrong{fmt.Sprintf("The run is %.200q, and the name that was given again is %.200q: nothing was removed.", in.Run, in.Name)}
	}
	run, err := r.Read()
	if err == nil {
		if why := control.Busy(r.Path, &run); why != "" {
			return Removed{}, &conflict{fmt.Sprintf("The run %.200q is still running: %s. Stop its job first; nothing was removed.", in.Run, why)}
		}
	} // a damaged one goes, too
	s.runs.forget(in.Run)
	if err := control.Remove(r.Path); err != nil {
		return Removed{}, &conflict{fmt.Sprintf("The run %.200q could not be removed: %v.", in.Run, err)}
	}
	_, _ = s.index.Row(in.Run) // it notes that the run is gone
	return Removed{format1, in.Run}, nil
}

// RunRow is a run as the list shows it.
type RunRow struct {
	Name      string            `json:"name" doc:"Name of the run's directory, by which it is asked for."`
	Title     string            `json:"title,omitempty" doc:"Name in run.json where that is another one."`
	Path      string            `json:"path"`
	Framework FrameworkName     `json:"framework"`
	Status    string            `json:"status" doc:"running, completed, failed, stopped, ended, lost."`
	Started   time.Time         `json:"started"`
	Ended     *time.Time        `json:"ended" nullable:"true"`
	Steps     map[string]int64  `json:"steps" doc:"By mode."`
	Findings  map[string]int    `json:"findings" doc:"Findings that count, by severity."`
	Roots     map[string]int    `json:"roots" doc:"Those that follow from no other one."`
	Symptoms  int               `json:"symptoms"`
	Verdict   Verdict           `json:"verdict"`
	Found     []FoundCheck      `json:"found" doc:"By rule and check, the most severe first."`
	Progress  *ProgressOrNull   `json:"progress"`
	Duration  *float64          `json:"duration" nullable:"true" doc:"Seconds; of a running one until now; null where that is not known."`
	Host      string            `json:"host"`
	User      string            `json:"user,omitempty" doc:"Whom the run's directory belongs to."`
	Machine   MachineSize       `json:"machine"`
	Tags      map[string]string `json:"tags"`
	Note      string            `json:"note"`
	Archived  bool              `json:"archived"`
	Live      bool              `json:"live" doc:"It runs on this host, and its agent can be asked."`
	Lost      *float64          `json:"lost_share" nullable:"true" doc:"Share of the time of the steps in which nothing was computed: waiting for data and ranks, copies to the device, checkpoints."`
	Overhead  *float64          `json:"overhead_percent" nullable:"true" doc:"What capture adds to a step in steady state; null where too few steps were seen for a share."`
	Damaged   string            `json:"damaged" doc:"What is damaged; empty when nothing is."`

	Losses     []LossLine         `json:"losses,omitempty" doc:"At most 40 points each."`
	Values     map[string]ValueOf `json:"values,omitempty" doc:"By name; with the mode behind it where another mode has the name alone."`
	More       int                `json:"more_values,omitempty" doc:"Series beyond those in values."`
	Parameters map[string]string  `json:"parameters,omitempty" doc:"What the run was started with."`
}

// FrameworkName is a framework and its version.
type FrameworkName struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// FoundCheck is how often a check found something.
type FoundCheck struct {
	Rule     string   `json:"rule"`
	Check    string   `json:"check"`
	Former   []string `json:"former,omitempty" doc:"Names that the check had before."`
	Severity string   `json:"severity"`
	Count    int      `json:"count"`
	Root     bool     `json:"root,omitempty" doc:"It follows from no other finding."`
}

// ProgressOrNull is Progress, or null where no step was made.
type ProgressOrNull struct {
	_        struct{} `nullable:"true"`
	Step     int64    `json:"step"`
	Of       int64    `json:"of" doc:"0 where that is not known."`
	Fraction *float64 `json:"fraction" nullable:"true" doc:"0 to 1."`
}

// MachineSize is what a run ran on.
type MachineSize struct {
	CPUs   int      `json:"cpus"`
	Memory int64    `json:"memory_bytes"`
	GPUs   []string `json:"gpus"`
}

// LossLine is a loss in one mode, as a line of few points over its steps; of an
// evaluation, over the last steps of its passes.
type LossLine struct {
	Name    string   `json:"name"`
	Mode    string   `json:"mode"`
	Steps   []int64  `json:"steps"`
	Values  []number `json:"values"`
	Last    number   `json:"last"`
	Min     number   `json:"min"`
	MinStep int64    `json:"min_step"`
}

// ValueOf is what a series of numbers came to.
type ValueOf struct {
	Mode     string  `json:"mode"`
	Better   string  `json:"better,omitempty" enum:"less,more" doc:"Which of its values are the good ones; absent where that is not known."`
	Last     number  `json:"last" doc:"Of an evaluation, as all that follow: the mean of a pass, by samples where they are known."`
	LastStep int64   `json:"last_step"`
	Min      number  `json:"min"`
	MinStep  int64   `json:"min_step"`
	Max      number  `json:"max"`
	MaxStep  int64   `json:"max_step"`
	Best     *number `json:"best,omitempty" doc:"Absent where neither less nor more is better."`
}
