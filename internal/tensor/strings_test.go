package tensor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseStrings(t *testing.T) {
	for _, test := range []struct {
		text string
		want Strings
		err  string
	}{
		{`{"shape":[2,1],"strings":["a","ü\n"]}`, Strings{[]int64{2, 1}, []string{"a", "ü\n"}}, ""},
		{`{"shape":[],"strings":["one"]}    `, Strings{[]int64{}, []string{"one"}}, ""},
		{`{"strings":["one"]}`, Strings{[]int64{}, []string{"one"}}, ""},
		{`{"shape":[0,3],"strings":[]}`, Strings{[]int64{0, 3}, []string{}}, ""},
		{`{"shape":[2],"strings":["a"]}`, Strings{}, "1 of them do not make shape [2]"},
		{`{"shape":[-1],"strings":["a"]}`, Strings{}, "negative dimension"},
		{`{"shape":[1],"strings":[1]}`, Strings{}, "cannot unmarshal number"},
		{`["a"]`, Strings{}, "cannot unmarshal array"},
		{``, Strings{}, "unexpected end"},
	} {
		got, err := ParseStrings([]byte(test.text))
		if d := cmp.Diff(test.want, got); d != "" || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %v, want %q\n%s", test.text, err, test.err, d)
		}
	}
}
