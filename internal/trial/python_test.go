package trial_test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/testenv"
	"github.com/vigil-ml/vigil/internal/vfs"
)

const reader = `
import glob, json, sys
import duckdb, numpy, pandas, pyarrow.parquet
from safetensors.numpy import load_file
run = sys.argv[1]
stats = pandas.concat(pandas.read_parquet(f) for f in sorted(glob.glob(run + "/series/worker_0/stats-*.parquet")))
w = stats[(stats.tensor == "weight") & (stats["mode"] == "TRAIN")].sort_values("mode_step")
sql = duckdb.sql(f"""
    SELECT s.mode_step, s.value, t.seconds, t.time FROM '{run}/series/worker_0/scalars-*.parquet' s
    JOIN '{run}/series/worker_0/steps-*.parquet' t USING (worker, step, mode)
    WHERE s.series = 'loss' AND s.mode = 'TRAIN' ORDER BY s.mode_step""").df()
complete = duckdb.sql(f"SELECT step, workers FROM '{run}/complete/complete-*.parquet' ORDER BY step").fetchall()
footer = pyarrow.parquet.ParquetFile(sorted(glob.glob(run + "/series/worker_0/stats-*.parquet"))[0])
lines = [json.loads(l) for f in glob.glob(run + "/series/*/tensors.jsonl") + [run + "/manifest.jsonl"] for l in open(f)]
raw = load_file(run + "/tensors/worker_0/TRAIN/3.safetensors")
print(json.dumps({
    "rows": len(stats), "max": w["max"].tolist(), "std": w["std"].tolist()[:2], "time": str(w.time.iloc[0]), "names": sorted(stats.tensor.unique()),
    "loss": sql["value"].tolist(), "seconds": sql["seconds"].tolist()[:1], "sqltime": str(sql["time"].iloc[0]),
    "complete": [[int(s), json.loads(w)] for s, w in complete][:2],
    "dictionary": "RLE_DICTIONARY" in footer.metadata.row_group(0).column(0).encodings,
    "codec": footer.metadata.row_group(0).column(0).compression,
    "crc": all(len(l["crc"]) == 8 for l in lines), "raw": raw["weight"].tolist(), "run": json.load(open(run + "/run.json"))["status"],
}))
`

// pandas, DuckDB and the safetensors package read what we store, without us.
func TestPythonReadsTheRun(t *testing.T) {
	w := create(t, vfs.OS, t.TempDir())
	ok(t, w.Announce("worker_0", []record.TensorInfo{{Name: odd[0]}}))
	for i := range int64(20) {
		s := step("worker_0", i)
		ok(t, w.Append("worker_0", "", 0, s))
		ok(t, w.Complete(complete(s)))
		if i == 10 {
			ok(t, w.Seal())
		}
	}
	save(t, w, "worker_0", 3, map[string]tensor.View{"weight": {DType: tensor.F32, Shape: []int64{1, 2}, Data: []byte{0, 0, 128, 63, 0, 0, 0, 64}}})
	ok(t, w.UpdateRun(func(r *record.Run) { r.Status = record.Completed }))
	ok(t, w.Close())
	out, err := exec.Command(testenv.Python(t), "-c", reader, w.Path()).Output()
	if err != nil {
		var e *exec.ExitError
		if errors.As(err, &e) {
			t.Fatalf("%v\n%s", err, e.Stderr)
		}
		t.Fatal(err)
	}
	var got struct {
		Rows           int
		Max, Std, Loss []float64
		Seconds        []float64
		Time, Sqltime  string
		Names          []string
		Complete       []any
		Dictionary     bool
		Codec, Run     string
		CRC            bool
		Raw            [][]float64
	}
	ok(t, json.Unmarshal(out, &got))
	if got.Rows != 40 || len(got.Max) != 18 || got.Max[17] != 18 || got.Std[1] != 1 || len(got.Names) != 2 || got.Names[0] != odd[0] {
		t.Errorf("statistics: %+v", got)
	}
	if got.Time != "2026-11-21 10:00:00+00:00" || len(got.Loss) != 18 || got.Loss[1] != 0.5 || got.Seconds[0] != 0.5 || got.Sqltime[:19] != "2026-11-21 10:00:00" {
		t.Errorf("times and losses: %+v", got)
	}
	if len(got.Complete) != 2 || !got.Dictionary || got.Codec != "ZSTD" || !got.CRC || got.Run != "completed" || got.Raw[0][1] != 2 {
		t.Errorf("the rest: %+v", got)
	}
}
