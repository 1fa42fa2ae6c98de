package monitor

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// amdCard is the device of a card in /sys/class/drm.
type amdCard struct{ device, hwmon string }

// amdCards are the cards of AMD's driver, by their numbers.
func amdCards(sys string) []amdCard {
	var out []amdCard
	for n := range 64 {
		device := filepath.Join(sys, "class", "drm", "card"+strconv.Itoa(n), "device")
		if text(device+"/vendor") != "0x1002" {
			continue
		}
		if _, err := os.Stat(device + "/mem_info_vram_total"); err != nil {
			continue
		}
		c := amdCard{device: device}
		if all, err := filepath.Glob(device + "/hwmon/hwmon*"); err == nil && len(all) > 0 {
			c.hwmon = all[0]
		}
		out = append(out, c)
	}
	return out
}

func text(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// figure is the number in a file, times each.
func figure(path string, each float64) (float64, bool) {
	v, err := strconv.ParseFloat(text(path), 64)
	return v * each, err == nil
}

// read is what the card's files say now, by the ends of the series' names.
func (c amdCard) read() map[string]float64 {
	out := map[string]float64{}
	put := func(name, path string, each float64) {
		if v, ok := figure(path, each); ok {
			out[name] = v
		}
	}
	put("utilization", c.device+"/gpu_busy_percent", 1)
	put("memory_utilization", c.device+"/mem_busy_percent", 1)
	put("memory_bytes", c.device+"/mem_info_vram_used", 1)
	if total, ok := figure(c.device+"/mem_info_vram_total", 1); ok && total > 0 {
		if used, ok := out["memory_bytes"]; ok {
			out["memory_percent"] = 100 * used / total
		}
	}
	if c.hwmon == "" {
		return out
	}
	put("power_w", c.hwmon+"/power1_input", 1e-6)
	put("power_w", c.hwmon+"/power1_average", 1e-6)
	put("power_limit_w", c.hwmon+"/power1_cap", 1e-6)
	put("temperature_c", c.hwmon+"/temp1_input", 1e-3)
	put("sm_clock_mhz", c.hwmon+"/freq1_input", 1e-6)
	put("memory_clock_mhz", c.hwmon+"/freq2_input", 1e-6)
	return out
}

// amd is the family of AMD's GPUs. A driver that hangs holds up nobody.
type amd struct {
	cards []amdCard
	lacks func(name, reason string)
	in    background[[]map[string]float64]
	names gpuNames
}

// ask has the cards read; sample then adds them, numbered from first on.
func (a *amd) ask(now time.Time) {
	if len(a.cards) == 0 {
		return
	}
	a.in.ask(now, 0, func() *[]map[string]float64 {
		var all []map[string]float64
		for _, c := range a.cards {
			all = append(all, c.read())
		}
		return &all
	})
}

func (a *amd) sample(now time.Time, first int, o *output) {
	if len(a.cards) == 0 {
		return
	}
	all := a.in.take(20 * time.Millisecond)
	if all == nil {
		if now.Sub(a.in.asked) > slowDriver {
			a.lacks("gpu", "the driver of the AMD GPU does not answer")
		}
		return
	}
	for i, values := range *all {
		a.names.write(o, first+i, values)
	}
}
