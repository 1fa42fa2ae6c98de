package builtin

import (
	"fmt"

	"github.com/vigil-ml/vigil/rule"
)

// seesPadding finds attention whose padding mask is the wrong way round: it hides
// the tokens, and shows what fills the sequences up.
func (r *structure) seesPadding(f *rule.Facts, rep *rule.Report) {
	if f.Graph == nil || f.Graph.PaddingSeen == nil {
		return
	}
	p := f.Graph.PaddingSeen
	r.say(rep, rule.Violation{
		Check: "padding_mask_inverted", Subject: "attention", Severity: rule.Error, Observed: float64(p.Hidden), Threshold: 0, Comparator: ">", Steps: int(updates(f)),
		Cause:  "an inverted padding mask: key_padding_mask and src_key_padding_mask are True at ignored positions, the mask of scaled_dot_product_attention at attended ones",
		Remedy: "invert the mask (~mask): key_padding_mask=(ids == pad)",
		Message: fmt.Sprintf("The padding mask is inverted: attention sees the %d padding positions of a batch (token %d) and none of the %d others. Invert it: key_padding_mask is True at ignored positions.",
			p.Seen, p.Token, p.Hidden),
		Context: map[string]any{"token": p.Token, "seen": p.Seen, "hidden": p.Hidden},
	})
}
