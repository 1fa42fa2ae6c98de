// Command vigil watches over machine-learning training: it captures what
// happens inside a job, judges it live, acts on what it finds and shows it.
package main

import "github.com/vigil-ml/vigil/cli"

func main() { cli.Main() }
