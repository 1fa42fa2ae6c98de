package cli

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

func TestPrintFacts(t *testing.T) {
	for _, c := range []struct{ name, facts, want string }{
		{"none", ``, ""},
		{"null", `null`, ""},
		{"empty", `{}`, ""},
		{"not to be read", `{"labels":["x"]}`, ""},
		{"not read", `{"look":false}`, `
Facts:
  look  off: facts of the training were not read (--no-look)
`},
		{"classes", `{"labels":{"loss":"CrossEntropyLoss","dtype":"I64","shape":[64],"range":[0,10],"distinct":3,"counts":{"10":1,"0":40,"2":23}}}`, `
Facts:
  labels  I64 [64], 3 classes; counts 0: 40, 2: 23, 10: 1; for CrossEntropyLoss
`},
		{"values", `{"labels":{"loss":"MSELoss","dtype":"F32","shape":[64,1],"range":[-0.5,2.25],"distinct":null,"counts":null}}`, `
Facts:
  labels  F32 [64 1], from -0.5 to 2.25; for MSELoss
`},
		{"nothing finite", `{"labels":{"dtype":"C64","shape":[],"range":null,"distinct":0,"counts":{}}}`, `
Facts:
  labels  C64 []
`},
		{"all", `{
			"graph":{"head":["cross_entropy","softmax","linear"]},
			"predictions":{"dtype":"F32","shape":[8,3],"rows_sum_to_one":true,"one_class": true, "classes": 3,"values":{"min":0.1,"max":0.8,"mean":0.3333333,"std":0.2}},
			"inputs":{"tensors":[{"dtype":"F32","shape":[8,4],"values":{"min":"NaN","max":1,"mean":0,"std":1,"nonfinite":2}},{"dtype":"I64","shape":[8]}],"steps":3,"distinct":2},
			"updates":{"steps":4,"kept":3,"no_backward":1,"clip":{"max_norm":0.5,"calls":4,"clipped":2}},
			"evaluation":{"steps":2,"training":["drop","bn"]},
			"network":{"modules":[{"path":"fc","type":"Linear","output":{"dtype":"F32","shape":[8,3]}},{"path":"act","type":"Softmax"}],"more":5}}`, `
Facts:
  loss         cross_entropy(softmax(linear))
  predictions  F32 [8 3], from 0.1 to 0.8, mean 0.333, std 0.2, probabilities, one class for all samples
  inputs       F32 [8 4], from NaN to 1, mean 0, std 1, 2 NaN or infinite; I64 [8]; different at 2 of 3 steps
  updates      4 examined, 3 onto gradients of an earlier one, 1 without backward, clipped to norm 0.5 at 2 of 4
  evaluation   2 steps examined, in training mode: drop, bn

Network, in the order of one forward:
  MODULE  TYPE     OUTPUT     PARAMETERS
  fc      Linear   F32 [8 3]  1,500
  act     Softmax
  and 5 more modules
  7 modules, 1,500 parameters
`},
	} {
		var got strings.Builder
		printFacts(&got, live.Page{}, []byte(c.facts))
		if f, err := record.ParseFacts([]byte(c.facts)); err == nil && f != nil && f.Network != nil {
			printNetwork(&got, live.Page{}, view.NetworkOf(f, []record.TensorInfo{{Name: "fc.weight", Kind: record.Weight, Module: "fc", Shape: []int64{500, 3}}}))
		}
		if got.String() != c.want {
			t.Errorf("%s: shown is\n%q, want\n%q", c.name, got.String(), c.want)
		}
	}
}
