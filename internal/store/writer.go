// Package store writes one run to disk in open formats, so that what was
// acknowledged survives the death of any process and a loss of power costs at
// most what came after the last Sync. docs/durability.md says how.
package store

import (
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
	"github.com/vigil-ml/vigil/internal/vfs"
)

// Writer writes one run. Its methods may be called from several goroutines.
type Writer struct{}

// Create makes the directory root/name with a run.json in it. A name that is
// taken is refused with ErrExists. The name is one directory's name: a
// separator in it, "." and ".." are refused.
func Create(fsys vfs.FS, root, name string, run record.Run) (*Writer, error) { panic("soon") }

// Resume goes on with a run whose writer died: half a record at a journal's
// end is cut off, leftovers of an unfinished sealing are removed.
func Resume(fsys vfs.FS, path string) (*Writer, error) { panic("soon") }

// Path is the run's directory.
func (w *Writer) Path() string { panic("soon") }

// Run is the run as UpdateRun last left it.
func (w *Writer) Run() record.Run { panic("soon") }

// Announce stores what is known of tensors. It is durable like Append; an
// announcement of a name replaces the earlier one.
func (w *Writer) Announce(worker string, infos []record.TensorInfo) error { panic("soon") }

// Append writes whole steps of one worker as one record: when it returns nil
// they survive kill -9, and no reader ever sees a part of them. seq numbers
// the calls of one session (the ring's record number up to which the steps
// reach); a call whose seq is not above LastSeq(session) was stored before and
// is left out, so that a restarted agent never doubles. An empty session is
// never compared. Steps of other workers than worker are refused.
func (w *Writer) Append(worker, session string, seq uint64, steps ...*record.Step) error {
	panic("soon")
}

// LastSeq is the highest seq stored for a session, 0 when there is none.
func (w *Writer) LastSeq(session string) uint64 { panic("soon") }

// Complete stores the decision that a step is complete: which workers' parts
// were in, in which order. The parts themselves must have been appended.
func (w *Writer) Complete(c *record.Complete) error { panic("soon") }

// Sync makes all that was written so far survive a loss of power.
func (w *Writer) Sync() error { panic("soon") }

// Seal turns every journal into Parquet now. Journals that grew large are
// sealed in the background without being asked.
func (w *Writer) Seal() error { panic("soon") }

// Close seals, syncs and ends the writing. It does not touch the run's status.
func (w *Writer) Close() error { panic("soon") }

// RawWriter collects the raw tensors of one step.
type RawWriter struct{}

// RawStep opens the file for the raw tensors of one step of a worker; step is
// the mode step. ErrLowDisk when the disk is nearly full.
func (w *Writer) RawStep(worker string, mode record.Mode, step int64) (*RawWriter, error) {
	panic("soon")
}

// Add copies one tensor. A name that was added before is replaced.
func (r *RawWriter) Add(name string, v tensor.View) error { panic("soon") }

// Commit makes the file visible, synced and listed in the manifest. Tensors
// that an earlier commit left for the same step stay.
func (r *RawWriter) Commit() error { panic("soon") }

// Abort drops what was added. It does nothing after Commit.
func (r *RawWriter) Abort() { panic("soon") }

// Keep removes the oldest raw files of all runs below this run's root until
// raw files take at most limit bytes, and says how many bytes went.
func (w *Writer) Keep(limit int64) (removed int64, err error) { panic("soon") }

// FreeDisk says how much of the disk below the run is free.
func (w *Writer) FreeDisk() (vfs.Usage, error) { panic("soon") }

// RawBytes is what this run's raw files take.
func (w *Writer) RawBytes() int64 { panic("soon") }

// Rows counts the scalars, statistics and derived values stored.
func (w *Writer) Rows() int64 { panic("soon") }

// Finding appends a finding to findings/<rule>.jsonl.
func (w *Writer) Finding(f record.Finding) error { panic("soon") }

// Summary replaces findings/summary.json.
func (w *Writer) Summary(groups []record.Group) error { panic("soon") }

// Statuses replaces findings/statuses.json.
func (w *Writer) Statuses(list []record.RuleStatus) error { panic("soon") }

// Action appends one action attempt, any JSON object, to actions/actions.jsonl.
func (w *Writer) Action(v any) error { panic("soon") }

// UpdateRun changes run.json; the file is replaced atomically.
func (w *Writer) UpdateRun(change func(*record.Run)) error { panic("soon") }

// SaveState replaces a named piece of state (a rule engine's snapshot).
func (w *Writer) SaveState(name string, data []byte) error { panic("soon") }

// LoadState reads what SaveState left; fs.ErrNotExist when there is nothing,
// or nothing that is whole.
func (w *Writer) LoadState(name string) ([]byte, error) { panic("soon") }
