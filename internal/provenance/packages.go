package provenance

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxPackages    = 5000
	maxDirectories = 200
)

// Packages are the installed packages that a Python finds in the directories of
// its sys.path, by name, with their versions: what their .dist-info and
// .egg-info are called. The first one of a name counts, as in Python.
func Packages(path []string) map[string]string {
	found := map[string]string{}
	for _, dir := range path[:min(len(path), maxDirectories)] {
		if !filepath.IsAbs(dir) {
			continue
		}
		f, err := os.Open(dir)
		if err != nil {
			continue // an archive, or nothing
		}
		names, _ := f.Readdirnames(-1)
		f.Close()
		for _, base := range names {
			name, version, ok := distribution(dir, base)
			if !ok || len(found) >= maxPackages {
				continue
			}
			if _, there := found[name]; !there {
				found[name] = version
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// distribution reads a name such as torch-2.15.0.dist-info.
func distribution(dir, base string) (name, version string, ok bool) {
	stem, dist := strings.CutSuffix(base, ".dist-info")
	if !dist {
		var egg bool
		if stem, egg = strings.CutSuffix(base, ".egg-info"); !egg {
			return "", "", false
		}
	}
	name, version, _ = strings.Cut(stem, "-")
	version, _, _ = strings.Cut(version, "-") // name-version-py3.10.egg-info
	if version == "" {
		version = versionIn(filepath.Join(dir, base, "PKG-INFO"))
	}
	return strings.ToLower(strings.ReplaceAll(name, "_", "-")), version, name != "" && len(base) < 300
}

// versionIn is the version in the head of a package's description.
func versionIn(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 0; n < 50 && lines.Scan() && lines.Text() != ""; n++ {
		if v, ok := strings.CutPrefix(lines.Text(), "Version:"); ok {
			return cut(strings.TrimSpace(v))
		}
	}
	return ""
}
