package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vigil-ml/vigil/internal/record"
)

// Verdict says in one line how a run went. Class is the worst severity among
// its findings; "muted" where all that was found is muted, "ok" where rules
// judged it and found nothing, "idle" where none has judged it.
type Verdict struct {
	Class string `json:"class"`
	Text  string `json:"text"`
}

// Judged is what a verdict rests on.
type Judged struct {
	Tally record.Tally // of what counts
	Muted int
	Rules []record.RuleStatus
}

// Judged is what the verdict on the findings rests on.
func (f Findings) Judged() Judged {
	j := Judged{Tally: record.Count(f.Groups), Rules: f.Rules}
	for i := range f.All {
		switch one := &f.All[i]; {
		case one.Muted:
			j.Muted++
		case len(f.Groups) == 0: // not grouped yet, or never
			j.Tally.Roots[one.Severity]++
		}
	}
	return j
}

// judging counts the rules that judged, and those that ended with an error.
func (j Judged) judging() (judged, failed int) {
	for _, r := range j.Rules {
		switch {
		case r.Status == "Error":
			failed++
		case r.NotJudged == "" && r.Datapoints > 0 || r.Findings > 0:
			judged++
		}
	}
	return judged, failed
}

// found says what was found, with its class; in short where nothing was that counts.
func (j Judged) found(running bool) Verdict {
	for _, s := range []record.Severity{record.Error, record.Warning} {
		if j.Tally.Roots[s] > 0 {
			return Verdict{string(s), "Found " + j.Tally.String()}
		}
	}
	if n := j.Tally.Roots[record.Info]; n > 0 {
		return Verdict{string(record.Info), record.Several(int64(n), "note") + ", no problems found"}
	}
	judged, _ := j.judging()
	switch {
	case j.Muted == 1:
		return Verdict{"muted", "Nothing that counts: 1 finding is muted"}
	case j.Muted > 1:
		return Verdict{"muted", fmt.Sprintf("Nothing that counts: %d findings are muted", j.Muted)}
	case judged == 0 && running:
		return Verdict{"idle", "Nothing judged yet"}
	case judged == 0 && len(j.Rules) == 0:
		return Verdict{"idle", "Nothing was judged: no rule ran"}
	case judged == 0:
		return Verdict{"idle", "Nothing was judged: no rule had anything to judge"}
	case running:
		return Verdict{"ok", "Nothing found so far"}
	}
	return Verdict{"ok", "Nothing to report: no rule found anything wrong"}
}

// VerdictOf judges a run by the root causes that were found, each with its
// symptoms, by what the rules had to judge, and by how it ended.
func VerdictOf(run record.Run, j Judged) Verdict {
	v := j.found(run.Status == record.Running)
	switch run.Status {
	case record.Running:
		v.Text += "; the run is still going on"
	case record.Stopped:
		v.Text += "; the run was stopped"
		if run.StoppedBy != "" {
			v.Text += " by " + run.StoppedBy
		}
	case record.Failed:
		v.Text += "; how it ended: " + run.Ending()
	case record.Ended:
		v.Text += "; the training ended, its exit code is unknown"
	case record.Lost:
		v.Text += "; the processes of the run vanished"
	}
	v.Text += "."
	return v
}

// lossRules are those that say whether anything is learnt: that one of them could not
// judge is said where nothing was found.
var lossRules = []string{"loss_not_decreasing", "loss_spike"}

// Quiet is what is said in place of findings where none counts, and how many rules
// looked. It is good news only of a run that is healthy otherwise.
func (j Judged) Quiet(run record.Run) (text string, good bool) {
	running := run.Status == record.Running
	v := j.found(running)
	judged, failed := j.judging()
	switch {
	case v.Class == "idle" && !running:
		return "no findings: " + strings.TrimPrefix(v.Text, "Nothing was judged: "), false
	case v.Class != "ok":
		return strings.ToLower(v.Text[:1]) + v.Text[1:], false
	case failed > 0:
		return fmt.Sprintf("no findings; %s judged this run, %d could not", record.Several(int64(judged), "rule"), failed), false
	case running:
		text = fmt.Sprintf("nothing found so far: %s judged", record.Several(int64(judged), "rule"))
	default:
		text = fmt.Sprintf("no findings: %s ran and found nothing wrong", record.Several(int64(judged), "rule"))
	}
	return text + j.unable(run), run.Status == record.Completed
}

// unable names the rules on losses that could not judge a run that has ended, and why.
func (j Judged) unable(run record.Run) (text string) {
	if run.Status == record.Running {
		return ""
	}
	why := map[string][]string{}
	for _, s := range Standings(j.Rules, LacksOf(run.Facts)) {
		if s.Stand == DidNotJudge && slices.Contains(lossRules, s.Rule) {
			why[s.Text] = append(why[s.Text], s.Rule)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		text += fmt.Sprintf("; %s could not judge: %s", strings.Join(slices.Sorted(slices.Values(why[reason])), " and "), reason)
	}
	return text
}
