package notify

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/vigil-ml/vigil/internal/record"
)

// RuleState is a configuration of a rule and when its status last changed.
type RuleState struct {
	record.RuleStatus
	Changed time.Time
}

// event is the document that consumers of SageMaker Debugger's events read,
// field by field, with what Vigil knows besides under detail.Vigil.
type event struct {
	Version    string    `json:"version"`
	ID         string    `json:"id"`
	Source     string    `json:"source"`
	DetailType string    `json:"detail-type"`
	Time       time.Time `json:"time"`
	Resources  []string  `json:"resources"`
	Detail     detail    `json:"detail"`
}

type detail struct {
	TrainingJobName                string       `json:"TrainingJobName"`
	TrainingJobArn                 string       `json:"TrainingJobArn"`
	TrainingJobStatus              string       `json:"TrainingJobStatus"`
	SecondaryStatus                string       `json:"SecondaryStatus"`
	CreationTime                   int64        `json:"CreationTime"`
	TrainingStartTime              int64        `json:"TrainingStartTime"`
	TrainingEndTime                *int64       `json:"TrainingEndTime"`
	DebugRuleEvaluationStatuses    []evaluation `json:"DebugRuleEvaluationStatuses"`
	ProfilerRuleEvaluationStatuses []evaluation `json:"ProfilerRuleEvaluationStatuses"`
	Vigil                          own          `json:"Vigil"`
}

type evaluation struct {
	RuleConfigurationName string `json:"RuleConfigurationName"`
	RuleEvaluationJobArn  string `json:"RuleEvaluationJobArn"`
	RuleEvaluationStatus  string `json:"RuleEvaluationStatus"`
	StatusDetails         string `json:"StatusDetails"`
	LastModifiedTime      int64  `json:"LastModifiedTime"`
}

type own struct {
	Path    string          `json:"path"`
	Host    string          `json:"host"`
	Finding *record.Finding `json:"finding,omitempty"`
	Change  *record.Change  `json:"change,omitempty"`
}

// maxDetails bounds StatusDetails, in characters.
const maxDetails = 1024

// Event is the document of a firing or of a change of status: the training job,
// the status of each rule, and the finding or the change.
func Event(m *Message, run record.Run, rules []RuleState) (json.RawMessage, error) {
	arn := fmt.Sprintf("vigil:%s:run/%s", run.Host, run.Name)
	started := run.Started.UnixMilli()
	status, secondary := jobStatus(run.Status)
	e := event{
		Version: "0", ID: m.ID, Source: "aws.sagemaker", DetailType: "SageMaker Training Job State Change",
		Time: m.time().UTC().Truncate(time.Second), Resources: []string{arn},
		Detail: detail{
			TrainingJobName: run.Name, TrainingJobArn: arn, TrainingJobStatus: status, SecondaryStatus: secondary,
			CreationTime: started, TrainingStartTime: started,
			DebugRuleEvaluationStatuses: []evaluation{}, ProfilerRuleEvaluationStatuses: []evaluation{},
			Vigil: own{Path: m.Path, Host: run.Host, Change: m.Change},
		},
	}
	if m.Change == nil {
		e.Detail.Vigil.Finding = &m.Finding
	}
	if run.Ended != nil {
		ended := run.Ended.UnixMilli()
		e.Detail.TrainingEndTime = &ended
	}
	for _, r := range rules {
		changed := r.Changed
		if changed.IsZero() {
			changed = run.Started
		}
		e.Detail.DebugRuleEvaluationStatuses = append(e.Detail.DebugRuleEvaluationStatuses, evaluation{
			RuleConfigurationName: r.Configuration, RuleEvaluationJobArn: arn + "/rule/" + r.Configuration,
			RuleEvaluationStatus: r.Status, StatusDetails: cut(r.Details, maxDetails), LastModifiedTime: changed.UnixMilli(),
		})
	}
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("make the event %q: %w", m.ID, err)
	}
	return b, nil
}

// ReadChange gives the change that an event tells of, and the event's id; nil
// when it tells of none.
func ReadChange(doc json.RawMessage) (id string, c *record.Change, err error) {
	var e event
	if err := json.Unmarshal(doc, &e); err != nil {
		return "", nil, fmt.Errorf("read event: %w", err)
	}
	return e.ID, e.Detail.Vigil.Change, nil
}

// jobStatus is a run's status in the words of the original.
func jobStatus(run string) (status, secondary string) {
	switch run {
	case record.Completed:
		return "Completed", "Completed"
	case record.Stopped:
		return "Stopped", "Stopped"
	case record.Failed, record.Ended, record.Lost: // an end that nobody saw is no success
		return "Failed", "Failed"
	}
	return "InProgress", "Training"
}
