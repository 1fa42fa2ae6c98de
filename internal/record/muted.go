package record

import "fmt"

// Key identifies a finding: the same rule configuration saying the same of the
// same thing at the same step.
func (f *Finding) Key() string {
	return f.keyUnder(f.Check)
}

func (f *Finding) keyUnder(check string) string {
	return fmt.Sprintf("%s|%s|%s|%d|%s", f.Configuration, check, f.Subject, f.Step, f.Worker)
}

// mute marks a finding that does not count, with the reason. One that was muted before
// keeps its own.
func (f *Finding) mute(reason string) {
	if f.Muted {
		return
	}
	f.Muted = true
	context := map[string]any{"muted_because": reason}
	for k, v := range f.Context {
		if k != "muted_because" {
			context[k] = v
		}
	}
	f.Context = context
}

// Following is why a finding does not count that follows from a muted one.
func Following(root *Finding, reason string) string {
	text := fmt.Sprintf("follows from %s/%s, which is muted", root.Rule, root.Check)
	if reason != "" {
		text += ": " + reason
	}
	return text
}

// covers is what a muted finding has in its context of those before it that follow
// from it: their keys.
const covers = "covers"

// SetCovered puts the keys of what was found before and follows from f, which is muted,
// into its context.
func (f *Finding) SetCovered(keys []string) { f.Context[covers] = keys }

// Cover marks what a muted finding covers that came after it.
func Cover(list []Finding) {
	why := map[string]string{}
	for i := range list {
		f := &list[i]
		if !f.Muted {
			continue
		}
		reason, _ := f.Context["muted_because"].(string)
		switch keys := f.Context[covers].(type) { // as it was made, or read
		case []string:
			for _, k := range keys {
				why[k] = Following(f, reason)
			}
		case []any:
			for _, k := range keys {
				if text, is := k.(string); is {
					why[text] = Following(f, reason)
				}
			}
		}
	}
	for i := range list {
		f := &list[i]
		for _, check := range append([]string{f.Check}, FormerChecks(f.Rule, f.Check)...) {
			if reason, is := why[f.keyUnder(check)]; is {
				f.mute(reason)
			}
		}
	}
}
