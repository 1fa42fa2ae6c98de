package pyre

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestHostilePatternsEnd(t *testing.T) {
	long := strings.Repeat("a", 8000)
	for _, c := range []struct {
		pattern, text string
		want          bool
		err           error
	}{
		{`(a+)+$`, strings.Repeat("a", 40) + "!", false, ErrSteps},
		{`(a|aa)+$`, strings.Repeat("a", 60) + "!", false, ErrSteps},
		{`(a|a)*b?c`, long + "b", false, nil}, // there is no c
		{`(x+x+)+y`, strings.Repeat("x", 60), false, nil},
		{`(?:(?:a*)*)*$`, long + "!", false, ErrSteps},
		{`(?:){4000000000}`, "", false, ErrSteps},
		{`(?:a?){100000}b`, strings.Repeat("a", 2000), false, nil},
		{`(.)(?:.*\1){20}z?$`, strings.Repeat("ab", 200) + "!", false, ErrSteps},
		{`.*relu_output`, long, false, nil},
		{`.*relu_output`, long + "relu_output", true, nil},
		{`.*a$`, long + "!", false, nil}, // tried from the line's start only
		{`a*$`, long + "!", false, ErrSteps},
		{`[é-ü]*b`, strings.Repeat("é", 8000) + "b", true, nil},
	} {
		begin := time.Now()
		got, err := MustCompile(c.pattern).Search(c.text)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q on %d characters: %v, %v", c.pattern, len(c.text), got, err)
		}
		if d := time.Since(begin); d > 20*time.Second {
			t.Errorf("%q took %v", c.pattern, d)
		}
	}
}

// The verdict depends on the steps alone: it is the same on every machine and
// for every call.
func TestStepsAreCountedExactly(t *testing.T) {
	re := MustCompile(`(a|aa)+$`)
	first := -1
	for n := 1; n < 60; n++ {
		if _, err := re.Search(strings.Repeat("a", n) + "!"); err != nil {
			first = n
			break
		}
	}
	if first != 21 {
		t.Errorf("the limit is reached at %d letters; a change of the count changes verdicts", first)
	}
}

func TestBoundsOfPatterns(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{strings.Repeat("a", MaxPattern+1), "too long"},
		{strings.Repeat("(", MaxNesting+1), "nested too deeply"},
		{strings.Repeat("(?:", MaxNesting+1) + strings.Repeat(")", MaxNesting+1), "nested too deeply"},
		{"(a)" + strings.Repeat("(?(1)", MaxNesting+1), "nested too deeply"},
		{`\N{DIGIT ONE}`, "not supported"},
		{`[\N{DIGIT ONE}]`, "not supported"},
	} {
		_, err := Compile(c.pattern)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Msg, c.want) {
			t.Errorf("%.20q: %v, want %q", c.pattern, err, c.want)
		}
	}
	deep := strings.Repeat("(", MaxNesting-1) + "a" + strings.Repeat(")", MaxNesting-1)
	if ok, err := MustCompile(deep).Search("ba"); !ok || err != nil {
		t.Errorf("%d groups: %v, %v", MaxNesting-1, ok, err)
	}
	wide := "[" + strings.Repeat("é-ü", 20000) + "]+b"
	if ok, err := MustCompile(wide).Search(strings.Repeat("日", 100) + "b"); ok || err != nil && !errors.Is(err, ErrSteps) {
		t.Errorf("a wide set: %v, %v", ok, err)
	}
}

func TestErrorText(t *testing.T) {
	_, err := Compile("a\n(")
	var e *Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if want := "missing ), unterminated subpattern at position 2 (line 2, column 1)"; e.Text() != want {
		t.Errorf("got %q, want %q", e.Text(), want)
	}
	if want := `compile regular expression "a\n(": missing ), unterminated subpattern at position 2 (line 2, column 1)`; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestInvalidUTF8(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"^.$", "\xff", true}, {"^..$", "\xff\xfe", true}, {"\ufffd", "\xff", true}, {`\ud800`, "\xed\xa0\x80", false}, {`[\ud800-\udfff]`, "x", false},
	} {
		if got, err := MustCompile(c.pattern).Search(c.text); got != c.want || err != nil {
			t.Errorf("%q on %q: %v, %v", c.pattern, c.text, got, err)
		}
	}
}

// Searches share nothing, so one Regexp may be used by several goroutines.
func TestConcurrentSearches(t *testing.T) {
	re := MustCompile(`(?P<x>a+)(?P=x)b`)
	done := make(chan bool)
	for range 8 {
		go func() {
			good := true
			for i := range 200 {
				ok, err := re.Search(strings.Repeat("a", i) + "b")
				good = good && ok == (i >= 2) && err == nil
			}
			done <- good
		}()
	}
	for range 8 {
		if !<-done {
			t.Error("a search went wrong")
		}
	}
}

// A hint about where a match can begin or what it must hold changes no verdict.
func FuzzSearch(f *testing.F) {
	for _, p := range valid {
		f.Add(p, "layer1.0.relu_output_0")
	}
	for _, p := range invalid {
		f.Add(p, "a\nb")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 || len(text) > 200 {
			return
		}
		re, err := Compile(pattern)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%q: %T is no *Error", pattern, err)
			}
			if e.Pos > len([]rune(pattern)) || err.Error() == "" {
				t.Fatalf("%q: position %d", pattern, e.Pos)
			}
			return
		}
		got, err := re.Search(text)
		if err != nil && !errors.Is(err, ErrSteps) {
			t.Fatal(err)
		}
		plain := *re
		plain.required, plain.anchored, plain.dotStar, plain.dotAll = nil, false, false, false
		slow, slowErr := plain.Search(text)
		if err == nil && slowErr == nil && got != slow {
			t.Errorf("%q on %q: %v, without hints %v", pattern, text, got, slow)
		}
	})
}
