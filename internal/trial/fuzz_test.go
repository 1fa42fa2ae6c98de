package trial_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/vigil-ml/vigil/internal/store"
	"github.com/vigil-ml/vigil/internal/store/lines"
	"github.com/vigil-ml/vigil/internal/trial"
)

// FuzzRunFile puts any object into run.json under a right checksum, as another
// version or another program may: the run is read, or the file is named, and
// the next writer takes it or says why not.
func FuzzRunFile(f *testing.F) {
	base := tiny(f)
	whole, err := lines.OpenDocument(readFile(f, base, "/root/run/run.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"format":-1,"status":"RUNNING","workers":[{"rank":-1,"chief":true}],"plan":[{"plan":null}],"facts":[1]}`))
	f.Add([]byte(`{"name":"../..","steps":{"":-1},"launcher":{"pid":-1},"agent":{"pid":0},"started":"0000-01-01T00:00:00Z"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		doc, err := lines.Document(json.RawMessage(b))
		if err != nil {
			return
		}
		disk := base.KillClone()
		writeFile(t, disk, "/root/run/run.json", doc)
		tr, err := trial.OpenFS(disk, "/root/run")
		if err != nil {
			return
		}
		defer tr.Close()
		run := tr.Run()
		_, _ = run.KnownFacts()
		run.ChiefName()
		tr.Chief()
		if got := count(t, tr); got.steps != 3 {
			t.Fatalf("read %+v", got)
		}
		if _, err := tr.Verify(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if w, err := store.Resume(disk, "/root/run"); err == nil {
			ok(t, w.Close())
		}
	})
}
