package cli

import (
	"fmt"
	"io"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// printStandings prints where each rule stands.
func printStandings(w io.Writer, p live.Page, list []view.Standing) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, p.Bold("Rules:"))
	rows := make([][]string, 0, len(list))
	for _, s := range list {
		stand := string(s.Stand)
		switch s.Stand {
		case view.FoundSomething:
			stand = p.Bold(stand)
		case view.CouldNot:
			stand = p.Severity(record.Error, stand)
		}
		rows = append(rows, []string{printable(s.Rule), stand, plain(s.Text)})
		for _, n := range s.Notes {
			rows = append(rows, []string{"", "", plain(n)})
		}
	}
	fmt.Fprint(w, p.Table(2, nil, rows))
}

// printStanding prints one line on all rules, and how they are listed.
func printStanding(w io.Writer, p live.Page, list []view.Standing, flag string) {
	switch len(list) {
	case 0:
	case 1:
		fmt.Fprintln(w, p.Hang("", view.StandingText(list)+"; "+flag+" shows more"))
	default:
		fmt.Fprintln(w, p.Hang("", view.StandingText(list)+"; "+flag+" lists them"))
	}
}
