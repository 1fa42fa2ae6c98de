package live

import "github.com/vigil-ml/vigil/internal/record"

// speed is how fast the training goes: steps a second, all that lies between
// them included, and samples a second where the size of a batch is known.
func (p *Progress) speed(steps, samples bool) []string {
	var parts []string
	rate := p.StepsPerSecond
	if rate == 0 && p.StepSeconds > 0 { // the first step
		rate = 1 / p.StepSeconds
	}
	if rate > 0 && steps {
		parts = append(parts, record.Rate(rate)+" steps/s")
	}
	if p.SamplesPerSecond > 0 && samples {
		text := record.Rate(p.SamplesPerSecond) + " samples/s"
		if p.Workers > 1 {
			text += " per worker"
		}
		parts = append(parts, text)
	}
	return parts
}

// spent adds the lines that tell where the time went and what the machine did.
func (p Page) spent(item func(label string, lines ...string), t *record.RunTime) {
	if t == nil {
		return
	}
	if text := t.SharesText(); text != "" {
		item("time", text)
	}
	if text := t.Machine.Text(); text != "" {
		item("machine", text)
	}
}
