package server

import "testing"

// A ranking is as the description says, also of a run whose value is no number, and of
// runs too few for a correlation.
func TestBestIsAsDescribed(t *testing.T) {
	root := t.TempDir()
	trained(t, root, 3, 1)
	answer := newAPI(t, Options{Root: root}).ask("GET /best", "", 200)
	places, parameters := answer["runs"].([]any), answer["parameters"].([]any)
	if last := places[len(places)-1].(map[string]any); last["value"] != "NaN" || last["name"] != "run-002" {
		t.Errorf("the last place is %v", last)
	}
	if len(parameters) != 1 || parameters[0].(map[string]any)["correlation"] != nil {
		t.Errorf("parameters %v", parameters)
	}
}
