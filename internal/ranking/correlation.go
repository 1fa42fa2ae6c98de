package ranking

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/vigil-ml/vigil/internal/record"
)

// Correlation is Spearman's rank correlation of a parameter with the metric, from -1 to
// 1, with its 95 % interval by Fisher's transformation and the standard error of Bonett
// and Wright, "Sample size requirements for estimating Pearson, Kendall and Spearman
// correlations", Psychometrika 65 (2000). It says how the two go together in these runs,
// and not that one is the cause of the other.
type Correlation struct {
	_     struct{} `nullable:"true"`
	Rho   float64  `json:"rho" doc:"Above 0: the metric is greater where the parameter is"`
	Low   float64  `json:"low" doc:"The 95 % interval"`
	High  float64  `json:"high"`
	Runs  int      `json:"runs" doc:"How many it is of: those that can be trusted"`
	Clear bool     `json:"clear" doc:"The interval does not contain 0"`
}

const (
	fewest = 5    // runs that a correlation takes
	steep  = 0.95 // the formula of the standard error holds to here; the inner end of the interval of a stronger correlation is that of this one
)

// correlationOf is that of pairs; nil where there are too few, or one of both is the same in all.
func correlationOf(x, y []float64) *Correlation {
	n := len(x)
	if n < fewest || constant(x) || constant(y) {
		return nil
	}
	rho := record.RankCorrelation(x, y)
	held := max(-steep, min(steep, rho))
	reach := distuv.UnitNormal.Quantile(0.975) * math.Sqrt((1+held*held/2)/float64(n-3))
	c := &Correlation{Rho: rho, Low: math.Tanh(math.Atanh(held) - reach), High: math.Tanh(math.Atanh(held) + reach), Runs: n}
	if rho > steep {
		c.High = 1
	}
	if rho < -steep {
		c.Low = -1
	}
	c.Clear = c.Low > 0 || c.High < 0
	return c
}

func constant(x []float64) bool { return slices.Min(x) == slices.Max(x) }
