package record

import "testing"

func TestWhereSaysThePlace(t *testing.T) {
	for want, w := range map[string]Where{
		"train.py:12  loss.backward()":    {File: "/home/ada/train.py", Line: 12, Call: "loss.backward()"},
		"train.py:12":                     {File: "/home/ada/train.py", Line: 12},
		"cell 2, line 5  loss.backward()": {File: "/tmp/ipykernel_7/1.py", Line: 5, Call: "loss.backward()", Cell: 2},
		"cell 2, line 5":                  {File: "/tmp/ipykernel_7/1.py", Line: 5, Cell: 2},
	} {
		if got := w.String(); got != want {
			t.Errorf("%+v is %q, want %q", w, got, want)
		}
	}
}

func TestCellOfAPlace(t *testing.T) {
	cells := &CellFacts{List: []Cell{{File: "/tmp/ipykernel_7/1.py", Number: 2, Lines: []string{"for x in data:", "    step(x)"}}}}
	if c := cells.Of("/tmp/ipykernel_7/1.py"); c == nil || c.Line(2) != "step(x)" || c.Line(3) != "" || c.Line(0) != "" {
		t.Errorf("it is %+v", c)
	}
	if cells.Of("/home/ada/train.py") != nil || (*CellFacts)(nil).Of("x") != nil {
		t.Error("a script is in a cell")
	}
}
