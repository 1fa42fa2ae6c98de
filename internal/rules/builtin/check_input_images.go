package builtin

import (
	"fmt"
	"math"
	"strconv"

	"github.com/vigil-ml/vigil/rule"
)

// imageRegex is SageMaker Debugger's pattern for input images.
const imageRegex = ".*hybridsequential0_input_0"

// checkInputImages judges mean and deviation of image input, per channel and
// over all images so far. Moments are taken at capture.
var checkInputImages = rule.Definition{
	Name: "check_input_images", Class: "CheckInputImages", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     checkInputImagesChecks,
	Summary:    "Image input is not centred.",
	Why:        "Many vision models expect zero mean and unit variance, and centring keeps ReLU units from being dead at the start.",
	Frameworks: rule.DeepLearning,
	Parameters: []rule.Parameter{
		{Name: "threshold_mean", Type: rule.Float, Default: "0.2", Range: rule.AtLeast(0), Unit: "input units", Meaning: "allowed distance of a channel's mean from 0"},
		{Name: "threshold_samples", Type: rule.Int, Default: "500", Range: rule.AtLeast(1), Unit: "images", Meaning: "images to see before the first verdict"},
		{Name: "regex", Type: rule.String, Default: imageRegex, Meaning: "input tensor; unless changed, the inputs of the root module count too"},
		{Name: "channel", Type: rule.Int, Default: "1", Range: rule.AtLeast(0), Unit: "axis", Meaning: "axis of the colour channels; with three axes the default means images of one channel"},
		{Name: "threshold_std", Type: rule.Float, Optional: true, Range: rule.Above(0), Unit: "input units", Meaning: "allowed distance of a channel's standard deviation from 1"},
		every("500"),
	},
	CauseClass: "data-scaling",
	Causes:     []string{"images that are not normalised or not scaled to 0..1"},
	Remedies:   []string{"subtract the mean and divide by the standard deviation; the finding contains both numbers"},
	Needs: func(p rule.Params) []rule.Need {
		return []rule.Need{{
			Selector: unless([]string{p.String("regex")}, imageRegex, "input_image"), Schedule: layers(p.Int("every")), Want: rule.WantStats,
			Readings: []rule.Reading{rule.Images{Channel: p.Int("channel")}},
		}}
	},
	New: func(p rule.Params) (rule.Rule, error) {
		r := &inputImages{
			sel: unless([]string{p.String("regex")}, imageRegex, "input_image"), key: rule.Images{Channel: p.Int("channel")}.Key(),
			mean: p.Float("threshold_mean"), std: p.Float("threshold_std"), least: p.Int("threshold_samples"),
		}
		r.state = map[string]*imageMoments{}
		return r, nil
	},
}

type inputImages struct {
	sel       rule.Selector
	key       string
	mean, std float64 // std 0: not judged
	least     int64
	state     map[string]*imageMoments // by mode and number of channels
}

// imageMoments is what is known of all images so far.
type imageMoments struct {
	Images int64         `json:"images"`
	Values float64       `json:"values"` // of one channel
	Mean   []rule.Number `json:"mean"`
	M2     []rule.Number `json:"m2"`
	Min    rule.Number   `json:"min"`
	Max    rule.Number   `json:"max"`
	Steps  int           `json:"steps"`
	Name   string        `json:"name"` // of the tensor that came last
}

func (r *inputImages) Select() []rule.Selector { return []rule.Selector{r.sel} }
func (r *inputImages) Finish(*rule.Report)     {}
func (r *inputImages) Save() ([]byte, error)   { return save(r.state) }
func (r *inputImages) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *inputImages) Step(v *rule.View, rep *rule.Report) {
	grown := map[string]bool{}
	var order []string
	for _, it := range v.Tensors(0) {
		if it.Stats != nil && it.Stats.NonFinite() {
			rep.Skip(rule.SkipNonFinite)
			continue
		}
		if _, _, ok := it.Find(r.key, rule.ImageRank); ok {
			rep.Skip(rule.SkipRank)
			continue
		}
		n, _, ok := it.Find(r.key, rule.ImageCount)
		channels, _, _ := it.Find(r.key, rule.ImageChannels)
		if !ok || channels < 1 {
			continue
		}
		k := fmt.Sprintf("%s/%d", v.Mode, int(channels))
		if !grown[k] {
			grown[k] = true
			order = append(order, k)
		}
		r.add(k, it, int(channels))
		rep.Inspect(int(n))
	}
	for _, k := range order {
		s := r.state[k]
		s.Steps++
		if s.Images >= r.least {
			r.judge(s, v, rep)
		}
	}
}

// add takes the images of one tensor in.
func (r *inputImages) add(k string, it rule.Item, channels int) {
	s := r.state[k]
	if s == nil {
		s = &imageMoments{Mean: make([]rule.Number, channels), M2: make([]rule.Number, channels), Min: rule.Number(math.Inf(1)), Max: rule.Number(math.Inf(-1))}
		r.state[k] = s
	}
	values, _, _ := it.Find(r.key, rule.ImageValues)
	n, _, _ := it.Find(r.key, rule.ImageCount)
	total := s.Values + values
	for c := range channels {
		mean, _, _ := it.Find(r.key, rule.ImageMean+strconv.Itoa(c)+"]")
		m2, _, _ := it.Find(r.key, rule.ImageM2+strconv.Itoa(c)+"]")
		d := mean - float64(s.Mean[c])
		s.M2[c] += rule.Number(m2 + d*d*s.Values*values/total)
		s.Mean[c] += rule.Number(d * values / total)
	}
	s.Values, s.Images, s.Name = total, s.Images+int64(n), it.Info.Name
	if it.Stats != nil {
		s.Min, s.Max = min(s.Min, rule.Number(it.Stats.Min)), max(s.Max, rule.Number(it.Stats.Max))
	}
}

func (r *inputImages) judge(s *imageMoments, v *rule.View, rep *rule.Report) {
	stds := make([]rule.Number, len(s.Mean))
	for c := range stds {
		stds[c] = rule.Number(math.Sqrt(float64(s.M2[c]) / s.Values))
	}
	context := map[string]any{
		"mean": append([]rule.Number(nil), s.Mean...), "std": stds, "images": s.Images, "min": s.Min, "max": s.Max, "tensor": s.Name, "mode": v.Mode.String(),
	}
	for c := range s.Mean {
		mean, std := float64(s.Mean[c]), float64(stds[c])
		subject, which := s.Name, ""
		if len(s.Mean) > 1 {
			subject, which = fmt.Sprintf("%s channel %d", s.Name, c), fmt.Sprintf(", channel %d", c)
		}
		remedy := fmt.Sprintf("subtract %s and divide by %s%s", short3(mean), short3(std), which)
		if std == 0 {
			remedy = fmt.Sprintf("all values are %s: check how the images are loaded", short3(mean))
		} else if s.Min >= 0 && s.Max > 16 && s.Max <= 255 {
			remedy = fmt.Sprintf("values are in 0..255; divide by 255 first, then subtract %s and divide by %s%s", short3(mean/255), short3(std/255), which)
		}
		if math.Abs(mean) > r.mean {
			rep.Violate(rule.Violation{
				Check: "mean", Subject: subject, Observed: mean, Threshold: r.mean, Comparator: ">", Context: context, Steps: s.Steps, Remedy: remedy,
				Message: fmt.Sprintf("The images in %s are not centred: their mean is %s over %s%s.", s.Name, short3(mean), plural(int(s.Images), "image"), which),
			})
		}
		if r.std > 0 && math.Abs(std-1) > r.std {
			rep.Violate(rule.Violation{
				Check: "std", Subject: subject, Observed: std, Threshold: r.std, Comparator: ">", Context: context, Steps: s.Steps, Remedy: remedy,
				Message: fmt.Sprintf("The images in %s do not have unit variance: their standard deviation is %s over %s%s.", s.Name, short3(std), plural(int(s.Images), "image"), which),
			})
		}
	}
}

// short3 spells a number with three significant digits.
func short3(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
