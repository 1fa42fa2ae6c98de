package main

import "github.com/vigil-ml/vigil/cli"

func main() { cli.Main(&LargeBias) }
