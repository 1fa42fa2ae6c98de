// Package layout says where in a run's directory each file lies. Names of
// workers, rules and the like are opaque: they become one path component that
// is safe on every file system, whatever is in them.
package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Paths inside a run, with slashes.
const (
	RunFile      = "run.json"
	Diff         = "code.diff"
	Manifest     = "manifest.jsonl"
	Labels       = "tags.json" // tags and note
	TensorsDir   = "tensors"   // raw tensors: worker / mode / step.safetensors
	SeriesDir    = "series"    // per worker: journals, Parquet chunks, announcements
	SystemDir    = "system"    // per host: journals and chunks of machine metrics
	TraceDir     = "trace"     // per worker: single steps in detail
	Complete     = "complete"  // journals and chunks of the decisions on complete steps
	Findings     = "findings"
	Summary      = "findings/summary.json"
	Statuses     = "findings/statuses.json"
	Actions      = "actions/actions.jsonl"
	Events       = "actions/events.jsonl"
	StateDir     = "state"
	Announced    = "tensors.jsonl" // below a worker's series
	SealedCopy   = "sealed.jsonl"  // beside the tables: a copy of their lines in the manifest
	LogsDir      = "logs"          // text for people
	FilesDir     = "files"         // what rules wrote, a folder for each
	ProfilesDir  = "profiles"      // per worker: what was seen in windows of detail
	AgentLog     = "logs/agent.log"
	OutputLog    = "logs/output.log"    // of the job
	TracebackLog = "logs/traceback.log" // of exceptions that ended processes of the job
	TempSuffix   = ".tmp"
	rawSuffix    = ".safetensors"
	traceSuffix  = ".json.gz"

	profileSuffix = ".pb.gz"
)

// maxPlain is the length up to which an escaped name stays readable as a
// whole; file systems allow 255 bytes.
const maxPlain = 120

// Escape turns a name into one path component: letters, digits, "_", "-" and
// a "." that does not lead stay, every other byte becomes %XX. A long name is
// cut and gets its SHA-256 after a "~", which is no escaped character.
func Escape(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	s := b.String()
	if s == "" {
		return "%"
	}
	if len(s) > maxPlain {
		sum := sha256.Sum256([]byte(name))
		return s[:60] + "~" + hex.EncodeToString(sum[:16])
	}
	return s
}

// Unescape is the inverse of Escape; ok is false for a name that was cut.
func Unescape(s string) (name string, ok bool) {
	if s == "%" {
		return "", true
	}
	name, err := url.PathUnescape(s)
	if err != nil || Escape(name) != s {
		return s, false
	}
	return name, true
}

// Series is the directory of a worker's series.
func Series(worker string) string { return path.Join(SeriesDir, Escape(worker)) }

// System is the directory of a host's machine metrics.
func System(host string) string { return path.Join(SystemDir, Escape(host)) }

// Trace is a file of single steps of a worker in detail.
func Trace(worker string, n int) string {
	return path.Join(TraceDir, Escape(worker), fmt.Sprintf("%06d%s", n, traceSuffix))
}

// TraceNumber is the number in the name of a file of Trace.
func TraceNumber(base string) (int, bool) { return number(base, "", traceSuffix) }

// Raw is the file of a worker's raw tensors at one mode step.
func Raw(worker string, mode record.Mode, step int64) string {
	return path.Join(TensorsDir, Escape(worker), mode.String(), strconv.FormatInt(step, 10)+rawSuffix)
}

// RawStep is the step in the name of a raw file.
func RawStep(base string) (int64, bool) {
	s, ok := strings.CutSuffix(base, rawSuffix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

// Journal is the base name of the journal with a number.
func Journal(n int) string { return fmt.Sprintf("journal-%06d.log", n) }

// JournalNumber is the inverse of Journal.
func JournalNumber(base string) (int, bool) { return number(base, "journal-", ".log") }

// Chunk is the base name of the sealed table made of the journal with the same
// number.
func Chunk(table string, n int) string { return fmt.Sprintf("%s-%06d.parquet", table, n) }

// ChunkNumber is the inverse of Chunk.
func ChunkNumber(base string) (table string, n int, ok bool) {
	table, _, ok = strings.Cut(base, "-")
	if !ok {
		return "", 0, false
	}
	n, ok = number(base, table+"-", ".parquet")
	return table, n, ok
}

func number(base, prefix, suffix string) (int, bool) {
	s, ok := strings.CutPrefix(base, prefix)
	if !ok {
		return 0, false
	}
	if s, ok = strings.CutSuffix(s, suffix); !ok || len(s) < 6 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0
}

// Finding is the file of a rule's findings.
func Finding(rule string) string { return path.Join(Findings, Escape(rule)+".jsonl") }

// LogTime is how lines of the agent's log begin.
const LogTime = "2006-01-02T15:04:05.000Z"

// RuleLog is the file of what a rule prints.
func RuleLog(configuration string) string {
	return path.Join(LogsDir, "rules", Escape(configuration)+".log")
}

// RuleFiles is the folder that a rule writes files into.
func RuleFiles(configuration string) string { return path.Join(FilesDir, Escape(configuration)) }

// Profile is the file of one window of detail of a worker.
func Profile(worker string, window int) string {
	return path.Join(ProfilesDir, Escape(worker), fmt.Sprintf("window-%06d%s", window, profileSuffix))
}

// ProfileNumber is the window in the base name of such a file.
func ProfileNumber(base string) (int, bool) { return number(base, "window-", profileSuffix) }

// State is the file of a named piece of state.
func State(name string) string { return path.Join(StateDir, Escape(name)+".bin") }
