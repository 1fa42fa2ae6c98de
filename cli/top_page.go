package cli

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vigil-ml/vigil/internal/live"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/view"
)

// topPage lays out how a job stands.
type topPage struct{ live.Page }

// topLabel is the width of the labels.
const topLabel = 8

// text is the page, in at most so many lines where rows is not 0.
func (p topPage) text(top *view.Top, rows int) string {
	var head, tail []string
	line := func(list *[]string, label, text string) {
		if text != "" {
			*list = append(*list, strings.Split(p.Label(label, topLabel, text), "\n")...)
		}
	}
	head = append(head, p.One(p.title(top)))
	line(&head, "step", p.place(top))
	line(&head, "time", p.shares(top))
	line(&head, "phases", p.phases(top))
	line(&head, "found", foundText(top.Findings))
	for i := range top.Hosts {
		tail = append(tail, "")
		tail = append(tail, p.host(&top.Hosts[i], top, len(top.Hosts) > 1)...)
	}
	room := math.MaxInt
	if rows > 0 {
		room = max(rows-len(head)-len(tail)-2, 1)
	}
	lines := head
	if len(top.Ranks) > 0 {
		lines = append(lines, "")
		lines = append(lines, p.ranks(top, room)...)
	}
	lines = append(lines, tail...)
	return strings.Join(lines, "\n") + "\n"
}

// separator is between things of one line.
func (p topPage) separator() string {
	if p.Unicode {
		return " · "
	}
	return " | "
}

// title says which run it is, and what it does for how long.
func (p topPage) title(top *view.Top) string {
	parts := []string{p.Bold(printable(top.Run))}
	switch {
	case top.Ended():
		parts = append(parts, top.Status+" after "+record.Seconds(top.Seconds))
	default:
		parts = append(parts, "running for "+record.Seconds(top.Seconds), top.Phase+" for "+record.Seconds(top.PhaseSeconds))
		if top.SinceStep >= longSince {
			parts = append(parts, p.Severity(record.Warning, "no step for "+record.Seconds(top.SinceStep)))
		}
	}
	text := strings.Join(parts, p.separator())
	if p.Width > 0 && utf8.RuneCountInString(text) > p.Width { // colours count for nothing; what is cut has none
		plain := topPage{live.Page{Style: live.Style{Unicode: p.Unicode}, Width: 0}}
		if text = plain.title(top); utf8.RuneCountInString(text) > p.Width {
			return text
		}
		return strings.Join(parts, p.separator())
	}
	return text
}

// longSince is from when on the time without a step is said, in seconds.
const longSince = 10

// place says where the training is and how fast it goes.
func (p topPage) place(top *view.Top) string {
	if top.Update == nil && top.StepRate == 0 {
		return ""
	}
	var parts []string
	if top.Update != nil {
		text := counts(*top.Update)
		if top.Total > 0 {
			text += " of " + counts(top.Total)
		}
		parts = append(parts, text)
	}
	if top.Epoch > 0 {
		parts = append(parts, "epoch "+counts(top.Epoch))
	}
	if top.StepRate > 0 {
		parts = append(parts, record.Rate(top.StepRate)+" steps/s")
	}
	if top.SampleRate > 0 {
		text := record.Rate(top.SampleRate) + " samples/s"
		if len(top.Ranks) > 1 {
			text += " per rank"
		}
		parts = append(parts, text)
	}
	if top.Loss != nil {
		parts = append(parts, "loss "+record.Digits(float64(*top.Loss)))
	}
	return strings.Join(parts, p.separator())
}

// counts is an integer with its thousands apart.
func counts(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func (p topPage) shares(top *view.Top) string {
	var parts []string
	for _, s := range top.Shares {
		parts = append(parts, fmt.Sprintf("%s %d %%", s.Name, s.Percent))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + p.Dim(fmt.Sprintf(" (last %.0f s)", max(top.Window, 1)))
}

func (p topPage) phases(top *view.Top) string {
	var parts []string
	for _, phase := range top.Phases {
		parts = append(parts, printable(phase.Name)+" "+record.Seconds(phase.Seconds))
	}
	return strings.Join(parts, ", ")
}

// foundText counts findings by severity.
func foundText(findings map[string]int) string {
	var parts []string
	for _, s := range []record.Severity{record.Error, record.Warning, record.Info} {
		switch n := findings[string(s)]; {
		case n == 0:
		case s == record.Info:
			parts = append(parts, fmt.Sprintf("%d info", n))
		default:
			parts = append(parts, record.Several(int64(n), string(s)))
		}
	}
	return strings.Join(parts, ", ")
}

// topColumn is one column of the table of ranks.
type topColumn struct {
	head   string
	cell   func(*view.TopRank) string
	weight float64 // those with the least are left out where there is no room
}

// partHeads are the heads of the parts of a step.
var partHeads = [record.StepParts]string{"data", "to device", "forward", "backward", "ranks", "optimiser", "saving", "other"}

// always is the weight of a column that is never left out.
const always = 100

// ranks is the table of the workers.
func (p topPage) ranks(top *view.Top, rows int) []string {
	columns := p.topColumns(top)
	list := top.Ranks
	more := 0
	if rows > 0 && len(list)+1 > rows {
		more = len(list) - max(rows-2, 1)
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b view.TopRank) int { // those that stand still are seen
			return cmp.Compare(stands(b), stands(a))
		})
		list = list[:len(list)-more]
	}
	lay := func() (lines []string) {
		widths := make([]int, len(columns))
		for i, c := range columns {
			widths[i] = len(c.head)
			for r := range list {
				widths[i] = max(widths[i], utf8.RuneCountInString(c.cell(&list[r])))
			}
		}
		row := func(cell func(topColumn) string) string {
			var b strings.Builder
			for i, c := range columns {
				if i > 0 {
					b.WriteString("  ")
				}
				text := cell(c)
				b.WriteString(strings.Repeat(" ", max(widths[i]-utf8.RuneCountInString(text), 0)) + text)
			}
			return b.String()
		}
		lines = append(lines, row(func(c topColumn) string { return c.head }))
		for r := range list {
			lines = append(lines, row(func(c topColumn) string { return c.cell(&list[r]) }))
		}
		return lines
	}
	width := p.Width
	if width <= 0 {
		width = 100
	}
	lines := lay()
	for utf8.RuneCountInString(lines[0]) > width {
		least := -1
		for i, c := range columns {
			if c.weight < always && (least < 0 || c.weight < columns[least].weight) {
				least = i
			}
		}
		if least < 0 {
			break
		}
		columns = slices.Delete(columns, least, least+1)
		lines = lay()
	}
	for i := range lines {
		lines[i] = p.One(lines[i])
	}
	lines[0] = p.Bold(lines[0])
	for r := range list {
		if !top.Ended() && list[r].SinceStep >= longSince {
			lines[r+1] = p.Severity(record.Warning, lines[r+1])
		}
	}
	if more > 0 {
		lines = append(lines, p.Dim(fmt.Sprintf("and %d ranks more", more)))
	}
	return lines
}

// stands is 1 for a rank that makes no steps.
func stands(r view.TopRank) int {
	if r.SinceStep >= longSince {
		return 1
	}
	return 0
}

// topColumns are the columns of the table that say something.
func (p topPage) topColumns(top *view.Top) []topColumn {
	columns := []topColumn{
		{"rank", func(r *view.TopRank) string { return fmt.Sprint(r.Rank) }, always},
		{"step", func(r *view.TopRank) string {
			switch {
			case r.Step == nil:
				return "-"
			case r.Mode == record.Eval.String() || r.Mode == record.Predict.String():
				return strings.ToLower(r.Mode) + " " + counts(*r.Step)
			}
			return counts(*r.Step)
		}, always},
		{"steps/s", func(r *view.TopRank) string {
			if r.StepRate == 0 {
				return "-"
			}
			return record.Rate(r.StepRate)
		}, always},
	}
	for part := range record.StepParts {
		most := 0.0
		for _, r := range top.Ranks {
			most = max(most, r.Parts[part.String()])
		}
		if most >= 0.005 {
			columns = append(columns, topColumn{partHeads[part], func(r *view.TopRank) string {
				return fmt.Sprintf("%.0f %%", 100*r.Parts[part.String()])
			}, most})
		}
	}
	known := func(head string, value func(*view.TopRank) *float64, text func(float64) string, weight float64) {
		if slices.ContainsFunc(top.Ranks, func(r view.TopRank) bool { return value(&r) != nil }) {
			columns = append(columns, topColumn{head, func(r *view.TopRank) string {
				if v := value(r); v != nil {
					return text(*v)
				}
				return "-"
			}, weight})
		}
	}
	known("CPU", func(r *view.TopRank) *float64 { return r.CPU }, percentText, 2)
	known("memory", func(r *view.TopRank) *float64 { return r.Memory }, bytesText, 3)
	known("children", func(r *view.TopRank) *float64 { return r.Children }, func(v float64) string { return fmt.Sprintf("%.0f", v) }, 0)
	return columns
}

func percentText(v float64) string { return fmt.Sprintf("%.0f %%", v) }

func bytesText(v float64) string { return record.Gigabytes(int64(v)) }

// bar draws a share of 100.
func (p topPage) bar(percent float64) string {
	const width = 20
	full, empty := "#", "."
	if p.Unicode {
		full, empty = "█", "░"
	}
	n := int(math.Round(min(max(percent, 0), 100) / 100 * width))
	return strings.Repeat(full, n) + p.Dim(strings.Repeat(empty, width-n))
}

// host is what a machine does.
func (p topPage) host(h *view.TopHost, top *view.Top, several bool) []string {
	var lines []string
	if several {
		lines = append(lines, p.Bold(printable(h.Host)))
	}
	item := func(label, text string) {
		if text != "" {
			lines = append(lines, strings.Split(p.Label(label, topLabel, text), "\n")...)
		}
	}
	if old := top.Time.Sub(h.Time).Seconds(); !top.Ended() && old >= longSince {
		item("machine", p.Severity(record.Warning, "not sampled for "+record.Seconds(old)))
	}
	item("CPU", p.cpu(h))
	item("cores", p.cores(h.Cores))
	item("memory", p.memory(h))
	for _, g := range h.GPUs {
		item(fmt.Sprintf("GPU %d", g.Number), p.gpu(&g))
	}
	if len(h.GPUs) == 0 {
		item("GPU", "none")
	}
	item("disk", p.transfers(h, "disk/"))
	item("network", p.transfers(h, "net/"))
	return lines
}

func (p topPage) cpu(h *view.TopHost) string {
	total, there := h.Metrics["cpu/total"]
	if !there {
		return ""
	}
	text := fmt.Sprintf("%s %3.0f %%", p.bar(total), total)
	if n := len(h.Cores); n > 0 {
		text += " of " + record.Several(int64(n), "core")
	}
	if job, there := h.Metrics["job/cpu_percent"]; there {
		text += fmt.Sprintf(", the job uses %.1f", job/100)
	}
	if v := h.Metrics["iowait/total"]; v >= 5 {
		text += fmt.Sprintf(", %.0f %% wait for disks", v)
	}
	return text
}

// coresTogether is how many cores stand together; lines are broken between them.
const coresTogether = 16

// cores draws one sign for each core.
func (p topPage) cores(list []float64) string {
	if len(list) < 2 {
		return ""
	}
	var b strings.Builder
	for i, v := range list {
		if i > 0 && i%coresTogether == 0 {
			b.WriteByte(' ')
		}
		share := min(max(v/100, 0), 1)
		if p.Unicode {
			b.WriteRune([]rune("▁▂▃▄▅▆▇█")[int(math.Round(share*7))])
		} else {
			b.WriteByte("0123456789"[min(int(share*10), 9)])
		}
	}
	text := b.String()
	if !p.Unicode {
		text += p.Dim(" (tenths)")
	}
	return text
}

func (p topPage) memory(h *view.TopHost) string {
	used, there := h.Metrics["memory/used_bytes"]
	if !there {
		return ""
	}
	text := bytesText(used)
	if all := h.Metrics["memory/total_bytes"]; all > 0 {
		text = fmt.Sprintf("%s %3.0f %%, %s of %s", p.bar(100*used/all), 100*used/all, text, bytesText(all))
	} else if share, there := h.Metrics["memory/used_percent"]; there {
		text = fmt.Sprintf("%s %3.0f %%, %s", p.bar(share), share, text)
	}
	if job, there := h.Metrics["job/rss_bytes"]; there {
		text += ", the job " + bytesText(job)
	}
	if swap := h.Metrics["swap/used_bytes"]; swap > 0 {
		text += ", swapped out " + bytesText(swap)
	}
	return text
}

func (p topPage) gpu(g *view.TopGPU) string {
	var parts []string
	if g.Utilization != nil {
		parts = append(parts, fmt.Sprintf("%s %3.0f %%", p.bar(*g.Utilization), *g.Utilization))
	}
	if g.Memory != nil {
		text := bytesText(*g.Memory)
		if g.MemoryShare != nil {
			text += fmt.Sprintf(" (%.0f %%)", *g.MemoryShare)
		}
		parts = append(parts, text)
	}
	if g.Power != nil {
		parts = append(parts, fmt.Sprintf("%.0f W", *g.Power))
	}
	if g.Temperature != nil {
		parts = append(parts, fmt.Sprintf("%.0f °C", *g.Temperature))
	}
	return strings.Join(parts, ", ")
}

// transfers are what goes in and out of disks or the network, what moves most
// first.
func (p topPage) transfers(h *view.TopHost, begin string) string {
	type device struct {
		name    string
		in, out float64
	}
	found := map[string]device{}
	for name, v := range h.Metrics {
		rest, ok := strings.CutPrefix(name, begin)
		if !ok {
			continue
		}
		of := ""
		if i := strings.LastIndexByte(rest, '/'); i >= 0 {
			of, rest = rest[:i], rest[i+1:]
		}
		d := found[of]
		switch d.name = of; rest {
		case "read_per_s", "received_per_s":
			d.in = v
		case "write_per_s", "sent_per_s":
			d.out = v
		default:
			continue
		}
		found[of] = d
	}
	list := slices.SortedFunc(maps.Values(found), func(a, b device) int {
		return cmp.Or(cmp.Compare(b.in+b.out, a.in+a.out), cmp.Compare(a.name, b.name))
	})
	if all, there := found[""]; there { // of all together
		list = []device{all}
	}
	words := [2]string{"reads", "writes"}
	if begin == "net/" {
		words = [2]string{"receives", "sends"}
	}
	var parts []string
	for i, d := range list {
		if i == 3 {
			break
		}
		text := fmt.Sprintf("%s %s/s, %s %s/s", words[0], bytesText(d.in), words[1], bytesText(d.out))
		if d.name != "" {
			text = printable(d.name) + " " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
