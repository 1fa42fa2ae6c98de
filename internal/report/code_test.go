package report

import "testing"

func TestCode(t *testing.T) {
	for in, want := range map[string]string{
		"the output of ReLU `3` is <0>": "the output of ReLU <code>3</code> is &lt;0&gt;",
		"`<script>`":                    "<code>&lt;script&gt;</code>",
		"one ` alone <b>":               "one ` alone &lt;b&gt;",
		"none":                          "none",
	} {
		if got := string(code(in)); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
