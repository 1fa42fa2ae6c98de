package slow

import (
	"fmt"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

const (
	muchRead  = 1e6 // bytes a second that the job reads from storage, at least
	diskWaits = 0.2 // share of the time in which something waited for storage, at least
)

// diskBound: batches wait for the disk.
var diskBound = check{
	Check: rule.Check{
		ID: "slow_training/disk_bound", Status: rule.Experimental, Files: []string{"slow/disk_bound.go"}, Severity: rule.Warning, CauseClass: "disk", Scope: rule.ScopeGeneral,
		OtherSeverities: []rule.Severity{rule.Info},
		When:            "The training waits for data while its processes read from storage, and processes wait for storage for a fifth of the time or more.",
		Evidence:        "waiting for storage: {seconds:seconds} of {of_seconds:seconds}, {observed:%}, limit {threshold:%}",
		Cause:           "the data comes from storage, for each epoch anew, because memory does not hold it",
		Remedy:          "copy the data to a faster disk, pack small files into large ones, keep what was decoded, or read less of each file",
	},
	claim: func(c *Case, s *Span) *Claim {
		data := s.Parts[rule.WaitForData]
		read, waits := s.read(), s.Series["psi/io"].Mean()/100
		if read < muchRead || waits < diskWaits || data < 0.1*s.Seconds {
			return nil
		}
		return &Claim{
			Seconds: min(data, waits*s.Seconds), AtMost: data, Takes: rule.WaitForData, Subject: "data loading",
			Message: fmt.Sprintf("The training waits for storage %%s of its time, from which it reads %.3g MB a second", read/1e6),
			Context: map[string]any{"bytes_per_second": read, "psi_io": 100 * waits},
		}
	},
}

// read is how many bytes a second the job's processes read from storage.
func (s *Span) read() (sum float64) {
	for name, i := range s.Series {
		if strings.HasPrefix(name, "process/") && (strings.HasSuffix(name, "/read_per_s") || strings.HasSuffix(name, "/children_read_per_s")) {
			sum += i.Mean()
		}
	}
	return sum
}
