// Command racy prints the packages whose tests the race detector watches in the
// test command: those that start goroutines or share memory, by themselves or in
// their tests. With the argument "others" it prints all other packages with tests:
// what they compute is done in one goroutine, in which there is nothing to find.
package main

import (
	"fmt"
	"os"
)

func main() {
	racy, others, err := divide(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "find packages that share memory:", err)
		os.Exit(1)
	}
	if len(os.Args) > 1 && os.Args[1] == "others" {
		racy = others
	}
	for _, path := range racy {
		fmt.Println(path)
	}
}
