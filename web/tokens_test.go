package web

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// Text is read on every ground it is on with a contrast of at least 4.5:1 (WCAG AA), lines and fields with 3:1, light and dark.
func TestContrast(t *testing.T) {
	colours := map[string][2]float64{}
	for name, both := range tokens(t) {
		colours[name] = [2]float64{luminance(t, both[0]), luminance(t, both[1])}
	}
	surfaces := []string{"page", "surface", "sunken", "raised", "hover", "selected"}
	series := seriesTokens()
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

// Who sees no red or no green tells series apart, and severities, which have a sign and a word besides. The matrices are those of Machado, Oliveira and Fernandes,
// "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), for severity 1; the distance is that of CIE 1976 in CIELAB, of which 2.3 is just seen.
func TestColoursAreToldApart(t *testing.T) {
	const least = 12
	all := tokens(t)
	for _, eyes := range []struct {
		name string
		sees [3][3]float64
	}{
		{"all colours", [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
		{"no red (protanopia)", [3][3]float64{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
		{"no green (deuteranopia)", [3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
	} {
		for _, names := range [][]string{seriesTokens(), {"error", "warning", "info", "ok"}} {
			for i, theme := range []string{"light", "dark"} {
				for k, one := range names {
					for _, other := range names[:k] {
						if d := math.Sqrt(squared(lab(t, all[one][i], eyes.sees), lab(t, all[other][i], eyes.sees))); d < least {
							t.Errorf("%s, who sees %s: --%s and --%s are %.1f apart, less than %d", theme, eyes.name, one, other, d, least)
						}
					}
				}
			}
		}
	}
}

func seriesTokens() (names []string) {
	for i := 1; i <= 16; i++ {
		names = append(names, "series-"+strconv.Itoa(i))
	}
	return names
}

// tokens are the colours by name, light and dark.
func tokens(t *testing.T) map[string][2]string {
	t.Helper()
	colours := map[string][2]string{}
	for _, found := range regexp.MustCompile(`--([\w-]+): (?:light-dark\(#(\w{6}), #(\w{6})\)|#(\w{6}));`).FindAllStringSubmatch(all(t)["style/tokens.css"], -1) {
		colours[found[1]] = [2]string{found[2] + found[4], found[3] + found[4]}
	}
	return colours
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	v := linear(t, hex)
	return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2]
}

// linear are the channels of a colour, as light.
func linear(t *testing.T, hex string) (v [3]float64) {
	t.Helper()
	if len(hex) != 6 {
		t.Fatalf("%q is no colour of a token", hex)
	}
	for i := range v {
		value, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		if v[i] = float64(value) / 255; v[i] <= 0.04045 {
			v[i] /= 12.92
		} else {
			v[i] = math.Pow((v[i]+0.055)/1.055, 2.4)
		}
	}
	return v
}

// lab is a colour in CIELAB, under daylight (D65), to eyes that see its light so.
func lab(t *testing.T, hex string, sees [3][3]float64) [3]float64 {
	t.Helper()
	v := linear(t, hex)
	var seen, xyz [3]float64
	for i, row := range sees {
		seen[i] = min(max(row[0]*v[0]+row[1]*v[1]+row[2]*v[2], 0), 1)
	}
	for i, row := range [3][4]float64{{0.4124564, 0.3575761, 0.1804375, 0.95047}, {0.2126729, 0.7151522, 0.0721750, 1}, {0.0193339, 0.1191920, 0.9503041, 1.08883}} {
		if xyz[i] = (row[0]*seen[0] + row[1]*seen[1] + row[2]*seen[2]) / row[3]; xyz[i] > 0.008856 {
			xyz[i] = math.Cbrt(xyz[i])
		} else {
			xyz[i] = 7.787*xyz[i] + 16.0/116
		}
	}
	return [3]float64{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

func squared(a, b [3]float64) (sum float64) {
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum
}
