package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/vigil-ml/vigil/internal/capture"
	"github.com/vigil-ml/vigil/internal/record"
)

// facts is what the run shows of the training, in the record that hooks of all
// frameworks fill.
func (h *Hook) facts() capture.Facts {
	f := record.Facts{V: record.FactsVersion, Framework: "go", Models: []record.ModelFacts{}, Optimisers: []record.OptimiserFacts{}, Step: "one step of the program"}
	var said []string
	o := h.opts
	if o.Model != "" {
		elements, trained := h.parameters()
		f.Models = append(f.Models, record.ModelFacts{Class: o.Model, Parameters: elements, Trained: trained})
		said = append(said, "model "+o.Model)
	}
	if o.Optimizer != "" {
		class := record.OptimiserFacts{Class: o.Optimizer}
		text := "optimizer " + o.Optimizer
		if o.LearningRate != 0 {
			class.LR = &o.LearningRate
			text += fmt.Sprintf(" lr %g", o.LearningRate)
		}
		f.Optimisers = append(f.Optimisers, class)
		said = append(said, text)
	}
	if o.Loss != "" {
		f.Loss = &record.LossFacts{Name: o.Loss}
		said = append(said, "loss "+o.Loss)
	}
	said = append(said, fmt.Sprintf("%d tensors", len(h.tensors)))
	if looks() {
		f.Program = ownFacts(o.Facts)
	} else {
		f.Look = new(bool)
	}
	b, err := json.Marshal(f)
	if err != nil { // cannot be: each part can be marshalled
		b = []byte("{}")
	}
	return capture.Facts{Facts: b, Said: strings.Join(said, ", ")}
}

// looks reports whether facts of the training are to be told.
func looks() bool {
	switch strings.ToLower(os.Getenv("VIGIL_LOOK")) {
	case "0", "false", "no", "off":
		return false
	}
	return true
}

// parameters counts the elements of all registered parameters, and of those
// that are not frozen. A parameter of several names counts once.
func (h *Hook) parameters() (all, trained int64) {
	for _, t := range h.tensors {
		if (t.info.Kind != record.Weight && t.info.Kind != record.Bias) || t.info.AliasOf != "" || len(t.info.Shape) == 0 {
			continue
		}
		n := int64(1)
		for _, d := range t.info.Shape {
			n *= d
		}
		all += n
		if !t.info.Frozen {
			trained += n
		}
	}
	return all, trained
}

// ownFacts are what the program says of itself. A fact that JSON cannot hold is
// left out.
func ownFacts(all map[string]any) map[string]json.RawMessage {
	own := map[string]json.RawMessage{}
	for name, v := range all {
		if b, err := json.Marshal(v); err == nil {
			own[name] = b
		}
	}
	return own
}
