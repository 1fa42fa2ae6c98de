package agent

import (
	"context"
	"os"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/provenance"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/store/layout"
)

// gather finds out what the run is made of, as far as it is seen from outside,
// next to the start of the job. The run's end waits for it, a few seconds at most.
func (j *job) gather() {
	p, diff := provenance.Gather(context.Background(), provenance.Job{
		Command: j.set.Command, Script: j.set.Script, Directory: j.set.Directory, Environ: os.Environ(),
		Diff: !j.set.Config.NoSource, Without: []string{j.set.Dir},
	})
	if len(diff) > 0 {
		if err := j.store.Diff(diff); err != nil {
			j.storeFailed(err)
		} else {
			p.Git.Diff = layout.Diff
		}
	}
	j.addProvenance(p)
}

// maxConfig bounds what a script says of itself with vigil.config.
const maxConfig = 256 << 10

// Provenance takes in what the training process knows of what it is made of. Of
// several processes the chief's counts.
func (w *worker) Provenance(m capture.Provenance) {
	if !w.job.speaks(w) {
		return
	}
	p := record.Provenance{Python: m.Python, Devices: m.Devices, Seeds: m.Seeds, Deterministic: m.Deterministic}
	if len(m.Config) > maxConfig {
		w.job.noticeOnce("warning", "the values passed to vigil.config are larger than 256 KiB and were left out", "")
	} else if len(m.Config) > 0 {
		var err error
		if p.Config, err = provenance.RedactJSON(m.Config); err != nil {
			w.job.noticeOnce("warning", "the values passed to vigil.config cannot be read: "+err.Error(), "")
		}
	}
	// Directories may lie on a slow disk, and the ring must be read meanwhile.
	w.job.looking.Go(func() {
		p.Packages = provenance.Packages(m.Path)
		w.job.addProvenance(p)
	})
}

func (j *job) addProvenance(more record.Provenance) {
	err := j.writeRun(func(r *record.Run) {
		var p record.Provenance // a new one: readers may hold the one before
		if r.Provenance != nil {
			p = *r.Provenance
		}
		p.Add(more)
		r.Provenance = &p
	})
	if err != nil {
		j.storeFailed(err)
	}
}
