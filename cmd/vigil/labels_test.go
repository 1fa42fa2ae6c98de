package main

import "testing"

func TestLabelsText(t *testing.T) {
	for facts, want := range map[string]string{
		``:                 "",
		`{}`:               "",
		`{"labels":null}`:  "",
		`{"labels":["x"]}`: "",
		`{"labels":{"loss":"CrossEntropyLoss","dtype":"I64","shape":[64],"range":[0,10],"distinct":3,"counts":{"10":1,"0":40,"2":23}}}`: "I64 [64], from 0 to 10, 3 different: 0 × 40, 2 × 23, 10 × 1, given to CrossEntropyLoss",
		`{"labels":{"loss":"MSELoss","dtype":"F32","shape":[64,1],"range":[-0.5,2.25],"distinct":null,"counts":null}}`:                  "F32 [64 1], from -0.5 to 2.25, given to MSELoss",
		`{"labels":{"dtype":"C64","shape":[],"range":null,"distinct":0,"counts":{}}}`:                                                   "C64 []",
	} {
		if got := labelsText([]byte(facts)); got != want {
			t.Errorf("labelsText(%s) is %q, want %q", facts, got, want)
		}
	}
}
