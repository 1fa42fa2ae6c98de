// Durable kills trainings and compares what tools had called safe with what a
// reader finds afterwards. Each round is one PyTorch training under vigil run
// with peers attached to the same loop: wandb offline and TensorBoard in one
// environment, smdebug in another, by turns. At a random moment it kills, with
// SIGKILL, the training; or the helper processes, which are Vigil's agent and
// wandb's; or all of them. It prints one line a round and a Markdown table; after Ctrl-C it
// ends with the round under way.
//
//	go run ./bench/durable [-rounds N] [-seed N] [-trackers PY] [-original PY]
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/vigil-ml/vigil/bench/internal/environment"
	"github.com/vigil-ml/vigil/internal/testenv"
)

func main() {
	rounds := flag.Int("rounds", 30, "trainings to kill")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the moments")
	trackers := flag.String("trackers", "", "interpreter with wandb and TensorBoard (default: an environment that is made)")
	original := flag.String("original", "", "interpreter with smdebug (default: an environment that is made)")
	flag.Parse()
	if err := run(*rounds, *seed, *trackers, *original); err != nil {
		fmt.Fprintln(os.Stderr, "durable:", err)
		os.Exit(1)
	}
}

func run(rounds int, seed uint64, trackers, original string) error {
	for name, python := range map[string]*string{environment.Trackers: &trackers, environment.Original: &original} {
		if *python == "" {
			if err := environment.Make(name); err != nil {
				return err
			}
		}
		path, err := filepath.Abs(cmp.Or(*python, environment.Interpreter(name)))
		if err != nil {
			return fmt.Errorf("find the interpreter of %q: %w", name, err)
		}
		*python = path
	}
	dir, err := os.MkdirTemp("", "vigil-durable-")
	if err != nil {
		return fmt.Errorf("make work directory: %w", err)
	}
	defer os.RemoveAll(dir)
	vigil := filepath.Join(dir, "vigil")
	if err := testenv.Build(vigil); err != nil {
		return err
	}
	fmt.Printf("%d rounds, seed %d, %s\n\n", rounds, seed, time.Now().Format("2006-01-02"))
	rng := rand.New(rand.NewPCG(seed, 0))
	victims := []string{"training", "helper", "both"}
	sides := []struct {
		python string
		peers  []string
	}{{trackers, []string{"wandb", "tensorboard"}}, {original, []string{"smdebug"}}}
	var t table
	enough := make(chan os.Signal, 1)
	signal.Notify(enough, os.Interrupt)
	for i := range rounds {
		select {
		case <-enough:
			rounds = i
		default:
		}
		if i >= rounds {
			break
		}
		s := sides[i/len(victims)%len(sides)]
		r := round{
			vigil: vigil, python: s.python, peers: s.peers, victim: victims[i%len(victims)],
			delay: time.Duration(rng.IntN(4000)) * time.Millisecond,
		}
		if r.out, err = os.MkdirTemp(dir, "round-"); err != nil {
			return fmt.Errorf("make a folder: %w", err)
		}
		ends, err := r.run()
		if err != nil {
			return fmt.Errorf("round %d (%s, after %s): %w", i, r.victim, r.delay, err)
		}
		fmt.Printf("%3d %-8s after %5d ms:", i, r.victim, r.delay.Milliseconds())
		for _, e := range ends {
			fmt.Printf("  %s", e)
		}
		fmt.Println()
		t.add(r.victim, ends)
		os.RemoveAll(r.out)
	}
	fmt.Print("\n", t.markdown())
	if n := t.brokenPromises(); n > 0 {
		return fmt.Errorf("%d steps that Vigil had acknowledged are lost", n)
	}
	return nil
}
