// Command sent compares what hooks send with the types that it is decoded into.
// It reads one message, as JSON, from each line of its input, and answers with a
// line for each: a JSON list of what does not fit.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/vigil-ml/vigil/internal/capture"
)

func main() {
	if err := answer(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare messages:", err)
		os.Exit(1)
	}
}

func answer(in io.Reader, out io.Writer) error {
	lines, w := bufio.NewReader(in), bufio.NewWriter(out)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		all, err := capture.SentMismatches(line)
		said := []string{}
		if err != nil {
			said = append(said, err.Error())
		}
		for _, m := range all {
			said = append(said, m.String())
		}
		if err := json.NewEncoder(w).Encode(said); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}
