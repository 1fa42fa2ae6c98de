package expression

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// statistics are the numbers of a tensor, under the names by which series of
// them are read elsewhere.
var statistics = map[string]func(*rule.Stats) float64{
	"min":      func(s *rule.Stats) float64 { return s.Min },
	"max":      func(s *rule.Stats) float64 { return s.Max },
	"mean":     (*rule.Stats).MeanValue,
	"std":      (*rule.Stats).Std,
	"variance": (*rule.Stats).Variance,
	"abs_mean": (*rule.Stats).AbsMean,
	"abs_max":  (*rule.Stats).AbsMax,
	"l1": func(s *rule.Stats) float64 {
		if s.Count == 0 || s.NonFinite() {
			return math.NaN()
		}
		return s.L1
	},
	"l2":     (*rule.Stats).L2,
	"sum":    (*rule.Stats).Sum,
	"count":  func(s *rule.Stats) float64 { return float64(s.Count) },
	"zeros":  func(s *rule.Stats) float64 { return float64(s.Zeros) },
	"nan":    func(s *rule.Stats) float64 { return float64(s.NaN) },
	"inf":    func(s *rule.Stats) float64 { return float64(s.PosInf + s.NegInf) },
	"posinf": func(s *rule.Stats) float64 { return float64(s.PosInf) },
	"neginf": func(s *rule.Stats) float64 { return float64(s.NegInf) },
}

var statisticNames = []string{"min", "max", "mean", "std", "variance", "abs_mean", "abs_max", "l1", "l2", "sum", "count", "zeros", "nan", "inf", "posinf", "neginf", rule.MedianKey, rule.ProdKey, rule.ProdSignKey, rule.ProdLogKey}

// computed are the numbers that are computed at capture when they are asked
// for, under the names by which they are stored.
var computed = map[string]rule.Want{
	rule.MedianKey: rule.WantMedian, rule.ProdKey: rule.WantProd, rule.ProdSignKey: rule.WantProd, rule.ProdLogKey: rule.WantProd,
}

// derived is the derived number that a source reads; "" for statistics.
func (s *source) derived() string {
	if q, is, err := quantile(s.stat); is && err == nil {
		return rule.QuantileKey(q)
	}
	if _, ok := computed[s.stat]; ok {
		return s.stat
	}
	return ""
}

// quantile reads quantile[0.99].
func quantile(stat string) (q float64, is bool, err error) {
	text, is := strings.CutPrefix(stat, "quantile[")
	if !is {
		return 0, false, nil
	}
	q, err = strconv.ParseFloat(strings.TrimSuffix(text, "]"), 64)
	if err != nil || !strings.HasSuffix(text, "]") || !(q >= 0 && q <= 1) {
		return 0, true, fmt.Errorf("%q is not a quantile: write quantile[0.99], with a number from 0 to 1", stat)
	}
	return q, true, nil
}

// checkStatistic refuses a name that no statistic has.
func checkStatistic(stat string) error {
	if _, is, err := quantile(stat); is {
		return err
	}
	if _, ok := statistics[stat]; ok {
		return nil
	}
	if _, ok := computed[stat]; ok {
		return nil
	}
	return fmt.Errorf("unknown statistic %q; did you mean %q? Known: %s, quantile[q]", stat, rule.Nearest(stat, statisticNames), strings.Join(statisticNames, ", "))
}
