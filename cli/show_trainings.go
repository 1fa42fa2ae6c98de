package cli

import (
	"fmt"
	"io"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// printTrainings prints the trainings of a process that made several, one a line.
func printTrainings(w io.Writer, p live.Page, list []view.TrainingOfProcess) {
	if len(list) == 0 {
		return
	}
	told, more := view.TellingTrainings(list)
	var rows [][]string
	for _, t := range told {
		epochs := ""
		if t.Epochs > 0 {
			epochs = fmt.Sprint(t.Epochs)
		}
		rows = append(rows, []string{fmt.Sprint(t.Number), fmt.Sprintf("%d to %d", t.From, t.To), epochs, plain(t.Optimiser), lossText(t.Loss), lossText(t.Validation), t.Findings.String()})
	}
	fmt.Fprintf(w, "\n%s\n%s", p.Bold(fmt.Sprintf("%d trainings in this process:", len(list))),
		p.Table(2, []string{"TRAINING", "STEPS", "EPOCHS", "OPTIMISER", "LAST LOSS", "VALIDATION", "FINDINGS"}, rows))
	if more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

func lossText(n *record.Number) string {
	if n == nil {
		return ""
	}
	return record.Digits(float64(*n))
}
