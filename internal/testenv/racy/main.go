// Command racy prints the packages whose tests the race detector watches in the
// test command: those that start goroutines or share memory, by themselves or in
// their tests. With the argument "others" it prints all other packages with tests:
// what they compute is done in one goroutine, in which there is nothing to find.
// With "less" it prints arguments of go test for what does less under the detector.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	d, err := divide(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "find packages that share memory:", err)
		os.Exit(1)
	}
	printed := d.racy
	switch strings.Join(os.Args[1:], " ") {
	case "others":
		printed = d.others
	case "less":
		printed = append([]string{"-run=^(" + strings.Join(d.tests, "|") + ")$"}, d.less...)
	}
	for _, line := range printed {
		fmt.Println(line)
	}
}
