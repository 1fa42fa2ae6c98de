package stacks_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vigil-ml/vigil/internal/profile/stacks"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// message is a window as a hook sends it.
const message = `{"number":2,"session":"00112233445566778899aabbccddeeff","pid":41,"began_ns":1767323045000000000,"seconds":4.5,"first_step":120,"end_step":141,"cut":"","workers":9,
"processes":[
 {"pid":41,"kind":"rank","name":null,"samples":300,"ns":4500000000,"interval_ns":10000000,
  "frames":[["/home/u/train.py",31,"main"],["/home/u/train.py",40,"<module>"],["/e/lib/python3.12/site-packages/torch/nn/modules/linear.py",125,"Linear.forward"],["/home/u/a;b.py",7,"l\u00e4dt\nnach"]],
  "stacks":[["MainThread",[2,0,1],3000000000,200,1000000000],["MainThread",[3,0,1],1500000000,100,0]]},
 {"pid":43,"kind":"loader worker","name":"Process-1","samples":4,"ns":40000000,"interval_ns":10000000,
  "frames":[["/home/u/data.py",9,"Data.__getitem__"],["/usr/lib/python3.12/multiprocessing/popen_fork.py",71,"Popen._launch"],["/home/u/train.py",31,"main"]],
  "stacks":[["MainThread",[0,1,2],40000000,4,0]]}]}`

func window(t testing.TB) *stacks.Window {
	t.Helper()
	w, session, err := stacks.Sent([]byte(message))
	if err != nil || session != "00112233445566778899aabbccddeeff" {
		t.Fatalf("session %q, error %v", session, err)
	}
	w.Worker, w.Why = "worker_0", "vigil profile --seconds 5"
	return w
}

func TestSent(t *testing.T) {
	w := window(t)
	if len(w.Processes) != 2 || w.Loaders != 9 || w.FirstStep != 120 || w.EndStep != 141 || w.Began != time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) {
		t.Errorf("window %+v", w)
	}
	if got := w.Processes[1].Stacks[0].Frames; len(got) != 2 {
		t.Errorf("what the process that forked it does is no part of a worker's stack: %v", got)
	}
	for name, change := range map[string][2]string{
		"no JSON":             {`{"number"`, `{{`},
		"window 0":            {`"number":2`, `"number":0`},
		"a frame that is not": {`[2,0,1]`, `[2,0,7]`},
		"a place before all":  {`[2,0,1]`, `[2,0,-1]`},
		"time below zero":     {`3000000000`, `-1`},
		"no sample":           {`3000000000,200`, `3000000000,0`},
		"another kind":        {`"kind":"rank"`, `"kind":"judge"`},
		"a line in words":     {`"/home/u/train.py",31,"main"`, `"/home/u/train.py","x","main"`},
	} {
		if _, _, err := stacks.Sent([]byte(strings.Replace(message, change[0], change[1], 1))); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func FuzzSent(f *testing.F) {
	f.Add([]byte(message))
	f.Fuzz(func(t *testing.T, b []byte) {
		w, _, err := stacks.Sent(b)
		if err != nil {
			return
		}
		if _, err := w.Encode(); err != nil {
			t.Errorf("what was taken cannot be written: %v", err)
		}
	})
}

// A file comes back as it went, and is the same as the golden one.
func TestFile(t *testing.T) {
	w := window(t)
	b, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := stacks.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Processes { // it is not stored
		for k := range w.Processes[i].Stacks {
			w.Processes[i].Stacks[k].Python = 0
		}
	}
	if !reflect.DeepEqual(back, w) {
		t.Errorf("got  %+v\nwant %+v", back, w)
	}
	name := filepath.Join("testdata", "window.pb.gz")
	if *update {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	golden, err := stacks.Decode(f)
	if err != nil || !reflect.DeepEqual(golden, w) {
		t.Errorf("golden file: error %v\ngot  %+v\nwant %+v", err, golden, w)
	}
}

func FuzzDecode(f *testing.F) {
	b, err := window(f).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(_ *testing.T, b []byte) {
		if w, err := stacks.Decode(bytes.NewReader(b)); err == nil {
			for i := range w.Processes {
				w.Processes[i].Lines(true)
			}
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	for name, b := range map[string][]byte{"nothing": nil, "text": []byte("hello"), "half": half(t)} {
		if _, err := stacks.Decode(bytes.NewReader(b)); err == nil {
			t.Errorf("%s: read", name)
		}
	}
}

func half(t *testing.T) []byte {
	b, err := window(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b[:len(b)/2]
}

// Lines are named from 200 samples of a process on.
func TestLines(t *testing.T) {
	w := window(t)
	lines := w.Processes[0].Lines(true)
	if len(lines) != 2 || lines[0].Place() != "train.py:31" || lines[0].Share < 0.66 || lines[0].Share > 0.67 {
		t.Errorf("lines of the user's code: %+v", lines)
	}
	if lines := w.Processes[0].Lines(false); lines[0].Place() != "linear.py:125" {
		t.Errorf("innermost lines: %+v", lines)
	}
	if lines := w.Processes[1].Lines(true); lines != nil || w.Processes[1].Named() {
		t.Errorf("4 samples: %+v", lines)
	}
}

func TestCollapsed(t *testing.T) {
	var b strings.Builder
	if err := window(t).Collapsed(&b); err != nil {
		t.Fatal(err)
	}
	want := `rank;MainThread;<module> (train.py:40);main (train.py:31);Linear.forward (linear.py:125) 3000000
rank;MainThread;<module> (train.py:40);main (train.py:31);lädt nach (a,b.py:7) 1500000
loader worker Process-1;MainThread;Popen._launch (popen_fork.py:71);Data.__getitem__ (data.py:9) 40000
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	if err := readCollapsed(b.String()); err != nil {
		t.Error(err)
	}
}

// readCollapsed is a strict reader of collapsed stacks.
func readCollapsed(text string) error {
	if !strings.HasSuffix(text, "\n") {
		return errors.New("the last line is not whole")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		i := strings.LastIndexByte(line, ' ')
		if i < 1 {
			return fmt.Errorf("line %q has no count", line)
		}
		if n, err := strconv.ParseInt(line[i+1:], 10, 64); err != nil || n < 0 {
			return fmt.Errorf("line %q: count %q", line, line[i+1:])
		}
		for _, frame := range strings.Split(line[:i], ";") {
			if strings.TrimSpace(frame) == "" {
				return fmt.Errorf("line %q: an empty frame", line)
			}
		}
	}
	return nil
}

func TestSpeedscope(t *testing.T) {
	var b bytes.Buffer
	if err := window(t).Speedscope(&b, "night </script>"); err != nil {
		t.Fatal(err)
	}
	total, err := readSpeedscope(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if total != 4540000000 {
		t.Errorf("%d ns in all", total)
	}
}

// readSpeedscope is a strict reader of speedscope's format: fields that the schema
// does not have, places outside the list of frames and sums that do not fit are
// errors.
func readSpeedscope(b []byte) (total int64, err error) {
	var f struct {
		Schema   string `json:"$schema"`
		Name     string `json:"name"`
		Exporter string `json:"exporter"`
		Active   int    `json:"activeProfileIndex"`
		Shared   struct {
			Frames []struct {
				Name string `json:"name"`
				File string `json:"file"`
				Line *int   `json:"line"`
				Col  *int   `json:"col"`
			} `json:"frames"`
		} `json:"shared"`
		Profiles []struct {
			Type    string  `json:"type"`
			Name    string  `json:"name"`
			Unit    string  `json:"unit"`
			Start   *int64  `json:"startValue"`
			End     *int64  `json:"endValue"`
			Samples [][]int `json:"samples"`
			Weights []int64 `json:"weights"`
		} `json:"profiles"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return 0, err
	}
	if f.Schema != "https://www.speedscope.app/file-format-schema.json" || f.Active < 0 || f.Active >= len(f.Profiles) {
		return 0, fmt.Errorf("schema %q, active profile %d of %d", f.Schema, f.Active, len(f.Profiles))
	}
	for i, fr := range f.Shared.Frames {
		if fr.Name == "" {
			return 0, fmt.Errorf("frame %d has no name", i)
		}
	}
	units := map[string]bool{"none": true, "nanoseconds": true, "microseconds": true, "milliseconds": true, "seconds": true, "bytes": true}
	for _, p := range f.Profiles {
		if p.Type != "sampled" || !units[p.Unit] || p.Name == "" || p.Start == nil || p.End == nil || len(p.Samples) != len(p.Weights) {
			return 0, fmt.Errorf("profile %q: type %q, unit %q, %d samples, %d weights", p.Name, p.Type, p.Unit, len(p.Samples), len(p.Weights))
		}
		sum := *p.Start
		for i, chain := range p.Samples {
			for _, at := range chain {
				if at < 0 || at >= len(f.Shared.Frames) {
					return 0, fmt.Errorf("profile %q: frame %d of %d", p.Name, at, len(f.Shared.Frames))
				}
			}
			if p.Weights[i] < 0 {
				return 0, fmt.Errorf("profile %q: weight %d", p.Name, p.Weights[i])
			}
			sum += p.Weights[i]
		}
		if sum != *p.End {
			return 0, fmt.Errorf("profile %q: weights end at %d, not at %d", p.Name, sum, *p.End)
		}
		total += sum
	}
	return total, nil
}

// go tool pprof reads the file.
func TestPprofReadsIt(t *testing.T) {
	b, err := window(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "w.pb.gz")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "tool", "pprof", "-top", "-nodecount=10", file)
	c.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"Type: time", "3s 66.08%", "Linear.forward", "main"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("pprof does not say %q:\n%s", want, out)
		}
	}
}
