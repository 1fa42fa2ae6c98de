//go:build linux

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
)

var asset = regexp.MustCompile(`(?:src|href)="([^"]+\.(?:js|css))"`)

// measureSize adds up the scripts and styles as they are sent.
func measureSize(ctx context.Context, b *bench, say func(*figure)) error {
	d, err := b.serve(ctx, filepath.Join(b.dir, "nothing"))
	if err != nil {
		return err
	}
	defer d.end()
	index, err := d.read(ctx, "/")
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	sum := 0
	for _, m := range asset.FindAllSubmatch(index, -1) {
		name := string(m[1])
		if seen[name] {
			continue
		}
		seen[name] = true
		content, err := d.read(ctx, "/"+name, "Accept-Encoding", "gzip") // asked for so, it is not unpacked
		if err != nil {
			return err
		}
		sum += len(content)
	}
	if len(seen) < 2 {
		return fmt.Errorf("the page names %d scripts and styles", len(seen))
	}
	say(&figure{Name: "script and styles, compressed", Unit: "KB", Values: []float64{float64(sum) / 1024}, Goal: 200})
	return nil
}
