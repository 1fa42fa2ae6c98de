package main

import (
	"reflect"
	"testing"

	"github.com/vigil-ml/vigil/internal/testenv"
)

func TestLacking(t *testing.T) {
	python := testenv.Python(t)
	got, err := lacking(python, []Program{{}, {Needs: []string{"json", "no_such_package"}}, {Needs: []string{"no_such_package", "no_such.part"}}})
	if want := map[string]bool{"no_such_package": true, "no_such.part": true}; err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, %v, want %v", got, err, want)
	}
	if got, err := lacking("/no/such/python", []Program{{}}); got != nil || err != nil {
		t.Fatalf("asked for nothing, got %v, %v", got, err)
	}
}

func TestPossible(t *testing.T) {
	do := possible(map[string]bool{"lightning": true}, func(p Program, seed int) verdict { return verdict{Program: p, Seed: seed, First: "trained"} })
	if v := do(Program{Needs: []string{"json"}}, 1); v.First != "trained" || v.Seed != 1 {
		t.Errorf("got %+v", v)
	}
	if v := do(Program{Needs: []string{"json", "lightning"}}, 1); v.NotRun != "needs lightning" || v.line() != "not run: needs lightning" {
		t.Errorf("got %+v: %s", v, v.line())
	}
}
