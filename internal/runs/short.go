package runs

import (
	"maps"
	"slices"
	"strings"
)

// short bounds parameters: as many as a table may have columns of.
func short(parameters map[string]string) map[string]string {
	names := slices.Sorted(maps.Keys(parameters))
	list := make(map[string]string, min(len(names), mostParameters))
	for _, name := range names[:min(len(names), mostParameters)] {
		list[cut(name)] = cut(parameters[name])
	}
	return list
}

// cut bounds a text.
func cut(text string) string {
	if len(text) > longest {
		return strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}
