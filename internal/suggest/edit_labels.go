package suggest

import (
	"slices"
)

// sameShape gives labels the axis of length 1 that the predictions have, or takes it
// away.
func sameShape(s *site) *edit {
	p, l := s.facts.Predictions, s.facts.Labels
	if p == nil || l == nil || l.Swapped || len(l.Others) > 0 || !slices.Equal(l.Shape, p.LabelShape) {
		return nil
	}
	switch {
	case slices.Equal(p.Shape, append(slices.Clone(l.Shape), 1)):
		return s.label(1, func(of string) string { return of + ".unsqueeze(-1)" })
	case slices.Equal(l.Shape, append(slices.Clone(p.Shape), 1)):
		return s.label(1, func(of string) string { return of + ".squeeze(-1)" })
	}
	return nil
}

// signs maps labels 0 and 1 to -1 and 1.
func signs(s *site) *edit {
	if s.facts.Labels == nil {
		return nil
	}
	at, ok := map[string]int{
		"CosineEmbeddingLoss": 2, "HingeEmbeddingLoss": 1, "MarginRankingLoss": 2, "SoftMarginLoss": 1,
		"cosine_embedding_loss": 2, "hinge_embedding_loss": 1, "margin_ranking_loss": 2, "soft_margin_loss": 1,
	}[s.facts.Labels.Loss]
	if !ok {
		return nil
	}
	return s.label(at, func(of string) string { return "2 * " + of + " - 1" })
}

// label changes the label that the only loss, a module or a function, is given.
func (s *site) label(at int, now func(string) string) *edit {
	c, ok := s.call(loss)
	if !ok || !c.statement().plain() || s.known(loss, s.facts.Labels.Loss) == nil {
		return nil
	}
	a, ok := c.argument(at, "target")
	if !ok {
		return nil
	}
	of := c.textOf(a)
	if !c.primary(a) {
		of = "(" + of + ")"
	}
	return change(s.script).replace(c.statement().tokens[a.begin].at, c.statement().tokens[a.end-1].end, now(of))
}
