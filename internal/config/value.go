package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

var units = []struct {
	suffix string
	bytes  float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1},
}

// ParseSize reads a number of bytes: 20GB, 1.5GiB, 500 MB, 1048576. GB is
// 10^9, GiB 2^30; case does not matter.
func ParseSize(s string) (int64, error) {
	text := strings.TrimSpace(s)
	factor := 1.0
	for _, u := range units {
		if len(text) > len(u.suffix) && strings.EqualFold(text[len(text)-len(u.suffix):], u.suffix) {
			text, factor = strings.TrimSpace(text[:len(text)-len(u.suffix)]), u.bytes
			break
		}
	}
	n, err := decimal(text)
	if err != nil || n < 0 || n*factor >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is not a size; write for example 20GB, 500MB or 1.5GiB", s)
	}
	return int64(n * factor), nil
}

// FormatSize is the inverse, to three digits at the least.
func FormatSize(n int64) string {
	for i := 7; i >= 4; i-- {
		if u := units[i]; float64(n) >= u.bytes {
			return strconv.FormatFloat(float64(n)/u.bytes, 'f', -1, 64) + u.suffix
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}

// ParsePercent reads 2% as 0.02. The sign is required, so that nobody wonders
// what 0.02 means.
func ParsePercent(s string) (float64, error) {
	text, ok := strings.CutSuffix(strings.TrimSpace(s), "%")
	n, err := decimal(strings.TrimSpace(text))
	if !ok || err != nil || n <= 0 || n > 100 {
		return 0, fmt.Errorf("%q is not a share above 0%% and up to 100%%; write for example 2%%", s)
	}
	return n / 100, nil
}

// ParseBudget reads 2% as 0.02, and 2 too: nobody means 200 %. Below 1 the sign is
// required, since 0.5 may be a half or half a per cent.
func ParseBudget(s string) (float64, error) {
	if n, err := decimal(strings.TrimSpace(s)); err == nil && n >= 1 {
		s += "%"
	}
	return ParsePercent(s)
}

// decimal reads digits with an optional fraction, nothing else: no sign,
// exponent, hexadecimal or infinity.
func decimal(s string) (float64, error) {
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}

func parseInt(s string, least int64) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < least {
		return 0, fmt.Errorf("%q is not a whole number of at least %d", s, least)
	}
	return n, nil
}

func parseBool(s string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", s)
}

func parseTimeout(s string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	if err != nil || d <= 0 || d > 24*time.Hour {
		return 0, fmt.Errorf("%q is not a time up to 24h; write for example 30s or 5m", s)
	}
	return d, nil
}
