package web

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// Text is read on every ground it stands on with a contrast of at least 4.5:1 (WCAG AA), lines and fields with 3:1, light and dark.
func TestContrast(t *testing.T) {
	colours := map[string][2]float64{}
	for _, found := range regexp.MustCompile(`--([\w-]+): (?:light-dark\(#(\w{6}), #(\w{6})\)|#(\w{6}));`).FindAllStringSubmatch(all(t)["style/tokens.css"], -1) {
		if found[4] != "" {
			found[2], found[3] = found[4], found[4]
		}
		colours[found[1]] = [2]float64{luminance(t, found[2]), luminance(t, found[3])}
	}
	surfaces := []string{"page", "surface", "sunken", "raised", "hover", "selected"}
	series := []string{"series-1", "series-2", "series-3", "series-4", "series-5", "series-6", "series-7", "series-8"}
	for _, row := range []struct {
		least     float64
		on, above []string
	}{
		{4.5, surfaces, []string{"text", "text-quiet", "text-faint", "accent", "error", "warning", "info", "ok", "idle", "comes", "goes", "chart-text"}},
		{4.5, []string{"accent", "accent-strong"}, []string{"text-on-accent"}},
		{4.5, []string{"accent-soft"}, []string{"accent", "text"}},
		{4.5, []string{"error-ground"}, []string{"error", "text"}},
		{4.5, []string{"warning-ground"}, []string{"warning", "text"}},
		{4.5, []string{"info-ground"}, []string{"info", "text"}},
		{4.5, []string{"ok-ground"}, []string{"ok", "text"}},
		{4.5, []string{"idle-ground"}, []string{"idle", "text"}},
		{4.5, []string{"comes-ground"}, []string{"comes"}},
		{4.5, []string{"goes-ground"}, []string{"goes"}},
		{4.5, []string{"flame-own", "flame-library", "flame-compiled", "flame-found"}, []string{"flame-text"}},
		{3, []string{"surface", "page"}, append([]string{"line-field", "focus", "odd"}, series...)},
	} {
		for _, ground := range row.on {
			for _, text := range row.above {
				below, known := colours[ground]
				above, there := colours[text]
				if !known || !there {
					t.Fatalf("there is no token --%s or no token --%s", ground, text)
				}
				for i, theme := range []string{"light", "dark"} {
					high, low := max(below[i], above[i]), min(below[i], above[i])
					if contrast := (high + 0.05) / (low + 0.05); contrast < row.least {
						t.Errorf("%s: --%s on --%s has a contrast of %.2f, less than %g", theme, text, ground, contrast, row.least)
					}
				}
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, share := range []float64{0.2126, 0.7152, 0.0722} {
		value, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		channel := float64(value) / 255
		if channel <= 0.04045 {
			channel /= 12.92
		} else {
			channel = math.Pow((channel+0.055)/1.055, 2.4)
		}
		sum += share * channel
	}
	return sum
}
