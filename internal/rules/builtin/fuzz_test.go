package builtin

import (
	"strings"
	"testing"
)

// Whatever is given as a pair of limits is two finite numbers or refused.
func FuzzTwoNumbers(f *testing.F) {
	for _, s := range []string{"(-9.4999, 9.4999)", "-23,16.99999", "[1, 2]", "", "(", "1", "nan,inf", "1,2,3", "(1e999, 0)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if a, b, ok := twoNumbers(text); ok && (!finite(a) || !finite(b)) {
			t.Errorf("%q gives %v and %v", text, a, b)
		}
	})
}

// Names of losses and importances are opaque: any are taken apart without harm,
// and a pair is of two names.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"loss", "val_loss", "train-rmse", "scalar/validation_loss", "val_", "feature_importance/weight/f0", "feature_importance/", "scalar/", "train-a\nb"} {
		f.Add(s, "loss")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, e := range named([]meanLoss{{name: a, value: 1}, {name: b, value: 2}}, 0) {
			if e.pair == e.partner || e.partner == "" {
				t.Errorf("%q and %q make the pair %+v", a, b, e)
			}
		}
		if kind, name, ok := splitImportance(a); ok && !strings.HasSuffix(a, "feature_importance/"+kind+"/"+name) {
			t.Errorf("%q is taken for %q of type %q", a, name, kind)
		}
	})
}
