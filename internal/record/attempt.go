package record

import (
	"fmt"
	"time"
)

// States of an attempt.
const (
	Begun   = "begun"   // the intent is on record; it is under way
	Waiting = "waiting" // a delivery failed, and is tried again
	Done    = "done"
	Undone  = "failed"
	Unknown = "unknown" // begun before a restart; whether it ended is not known
)

// Attempt is one line of the record of actions, written when an action begins,
// when a try of it failed, and when it ends. The last line of a key is how the
// action stands.
type Attempt struct {
	Time     time.Time  `json:"time"`
	Action   string     `json:"action"`           // "stop", "command", "mail", "webhook", "slack", "discord", "text", "metric"
	Target   string     `json:"target,omitempty"` // where it goes, without secrets
	Command  []string   `json:"command,omitempty"`
	Key      string     `json:"key"`          // of the action and the firing, within the run
	ID       string     `json:"id,omitempty"` // by which a receiver knows the delivery at every try
	Finding  Finding    `json:"finding"`
	Change   *Change    `json:"change,omitempty"` // what it tells of in place of a finding
	State    string     `json:"state"`
	Tries    int        `json:"tries,omitempty"`
	Next     *time.Time `json:"next,omitempty"` // time of the next try
	ExitCode *int       `json:"exit_code,omitempty"`
	Seconds  float64    `json:"seconds,omitempty"`
	Output   string     `json:"output,omitempty"`
	Error    string     `json:"error,omitempty"`
}

// What is the action and where it goes, for people.
func (a *Attempt) What() string {
	switch {
	case a.Target != "":
		return a.Target
	case len(a.Command) > 0:
		return a.Action + " " + a.Command[0]
	}
	return a.Action
}

// About is what called for the action: a configuration of a rule that fired, or
// a change of status.
func (a *Attempt) About() string {
	if a.Change != nil {
		return a.Change.Title()
	}
	return a.Finding.Configuration
}

// Called is when that was.
func (a *Attempt) Called() time.Time {
	if a.Change != nil {
		return a.Change.Time
	}
	return a.Finding.Time
}

// Outcome is how the action stands, in words: "mail to a@b about not_finite:
// failed: the mail server refused".
func (a *Attempt) Outcome() string {
	text := a.What() + " about " + a.About() + ": " + a.State
	if a.Tries > 1 {
		text += fmt.Sprintf(" after %d tries", a.Tries)
	}
	if a.Error != "" {
		text += ": " + a.Error
	}
	return text
}

// LastWords are the last attempts of each key, in the order in which the keys
// came first.
func LastWords(list []Attempt) []Attempt {
	at := map[string]int{}
	var last []Attempt
	for _, a := range list {
		if i, ok := at[a.Key]; ok {
			last[i] = a
			continue
		}
		at[a.Key] = len(last)
		last = append(last, a)
	}
	return last
}
