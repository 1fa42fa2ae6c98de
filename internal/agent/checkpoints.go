package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
)

const (
	// checkpointsState keeps what is known of the checkpoints of the run.
	checkpointsState = "checkpoints"
	// maxCheckpoints bounds it; the oldest go.
	maxCheckpoints = 1000
)

// Checkpoint takes in that the training has written a checkpoint: a job that
// reads it goes on from there.
func (w *worker) Checkpoint(c capture.Checkpoint) {
	if !w.full || c.Path == "" || !sanePlace(c.Place) {
		return
	}
	j := w.job
	j.noting.Lock()
	defer j.noting.Unlock()
	list, err := j.checkpoints()
	if err == nil {
		list = append(list, c)
		list = list[max(0, len(list)-maxCheckpoints):]
		var b []byte
		if b, err = json.Marshal(list); err == nil {
			err = j.store.SaveState(checkpointsState, b)
		}
	}
	if err != nil {
		j.noticeOnce("warning", "a checkpoint could not be noted: "+err.Error(), "to resume from it, name the step: --resume-step")
	}
}

func sanePlace(p record.Place) bool {
	for name, n := range p.Modes {
		if _, err := record.ParseMode(name); err != nil || n < 0 {
			return false
		}
	}
	return p.Step >= 0
}

// checkpoints are those that the run has written, the oldest first.
func (j *job) checkpoints() (list []capture.Checkpoint, err error) {
	b, err := j.store.LoadState(checkpointsState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of checkpoints: %w", err)
	}
	return list, nil
}

// checkpointOf is what is known of the checkpoint that was read last. A file is
// known by its length and the time of its last change, which stay when it is
// renamed or moved to another machine with its times.
func checkpointOf(known []capture.Checkpoint, read []capture.Checkpoint) *capture.Checkpoint {
	for _, r := range slices.Backward(read) {
		for _, c := range slices.Backward(known) {
			if c.Size == r.Size && c.MtimeNS == r.MtimeNS {
				c.Path = r.Path
				return &c
			}
		}
	}
	return nil
}
