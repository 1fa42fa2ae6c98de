//go:build linux

package main

import (
	"context"
	"fmt"
	"path/filepath"
)

var manySeries = filepath.Join(made, "series-10000")

func makeSearch(*bench) error {
	return once(manySeries, func(root string) error { return scalarRun(root, "run", 10_000, 20) })
}

// measureSearch writes into the search of Curves, from the input until what is found is
// painted.
func measureSearch(ctx context.Context, b *bench, say func(*figure)) error {
	browser, err := openBrowser(ctx)
	if err != nil {
		return err
	}
	defer browser.close()
	d, err := b.serve(ctx, manySeries)
	if err != nil {
		return err
	}
	defer d.end()
	f := &figure{Name: "10,000 series searched", Unit: "ms", Goal: 50}
	_, err = openOnce(browser, d.page("/runs/run/curves"), cards, func(t *tab) error {
		if err := pause(ctx, 3*1e9); err != nil { // the rest of the page is made while nothing else is to be done
			return err
		}
		for _, text := range []string{"m", "me", "met", "metric5", "layer07", "block42", "block42 layer07", "layer?7/metric3", "/metric[1-3]$/", "loss", "nothing like it",
			"b", "block9", "block99", "9/", "layer", "layer01", "block0? metric9", "metric0", "block12/layer03/metric4"} {
			ms, err := t.number(fmt.Sprintf(`(async () => {
				const field = document.querySelector("input[type=search]"), words = () => document.querySelector(".cv-head output").innerText;
				const write = async (text, seen) => {
					field.value = text;
					const began = bench.now();
					field.dispatchEvent(new InputEvent("input", { bubbles: true }));
					const took = await bench.when(seen, 10000) - began;
					await new Promise((done) => setTimeout(done, 300));
					return took;
				};
				await write("", () => !words().includes(" of "));
				return await write(%q, () => words().includes(" of "));
			})()`, text))
			if err != nil {
				return fmt.Errorf("search %q: %w", text, err)
			}
			f.Values = append(f.Values, ms)
		}
		return nil
	})
	if err != nil {
		return err
	}
	say(f)
	return nil
}
