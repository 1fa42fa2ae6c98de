package pyre

import (
	"strings"
	"testing"
)

// names are tensor names and other texts that the patterns below look at.
var names = []string{
	"", "a", "b", "ab", "aab", "aaab", "abab", "ba", "abc", "ABC", "aBc", "a\nb", "a\n", "\n", "\n\n", "a b", " ", "_", "-", "a-b",
	"Net_conv1.weight", "Net_conv1.bias", "gradient/Net_conv1.weight", "gradient/Net_conv1.bias", "conv1_output_0", "layer1.0.relu_output_0",
	"layer1.0.relu_input_0", "hybridsequential0_input_0", "CrossEntropyLoss_output_0", "CrossEntropyLoss_input_0", "nll_loss_output_0",
	"softmaxcrossentropyloss0_output_0", "train-rmse", "validation-auc", "train-map", "validation-error@0.7", "ndcg@5", "feature_importance/weight/f12",
	"average_shap/f1", "average_shap/bias", "full_shap/f2", "hyperparameters/eta", "trees/Gain", "predictions", "labels",
	"weights/dense/kernel:0", "fc1.weight", "tanh1_input_0", "sigmoid_input_0", "scalar/acc", "x{2}", "x{2,3}", "a{,2}", "{}", "a{", "}{",
	"[a]", "a]b", "^a$", "a.b", "a\\b", "a|b", "(a)", "1", "12", "123", "0x1f", "é", "É", "ÉÀ", "straße", "STRASSE", "ſ", "K", "k", "µ", "μ", "Μ",
	"ı", "I", "i", "İ", "σ", "ς", "Σ", "ῼ", "ǅ", "ǆ", "١٢", "²", "ｘ", "日本語", "\u00a0", "\u2028", "\x1c", "\x85", "\t", "a\tb", "\x00", "\U0001F600",
	"foo.bar", "foobar", "barfoo", "foofoo", "abcabc", "abccba", "aaaaaaaaaaaaaaaaaaaab", "xyzzy", "the cat", "a,b,c", "\"q\"", "it's",
}

// valid patterns by theme; each is held against every name.
var valid = []string{
	// Collections of the frameworks and of public notebooks.
	`^(?!gradient).*weight`, `^(?!gradient).*bias`, `^gradient`, `[Ll]oss_(?!input).*output`, `.*loss._(?!input).*output`, `^weights/.*/((?!bias).)*$`,
	`^hyperparameters/.*$`, `^[a-zA-z]+-[a-zA-z0-9]+$`, `^[a-zA-z]+-.+(?<!(auc|map))$`, `^predictions$`, `^feature_importance/.*`, `^average_shap/.*[^/bias]$`,
	`^full_shap/.*[^/bias]$`, `^trees/.*`, `.*relu_output`, `.*relu_input`, `.*tanh_input|.*sigmoid_input`, `^(?=.*bias)(?:(?!fc).)*$`, `.*hybridsequential0_input_0`,
	`.*`, `.*_output_\d+$`, `(?i)LOSS`, `conv\d\.(weight|bias)`, `labels*`, `gradient/.*\.weight$`,
	// Anchors and lines.
	`^a`, `a$`, `^$`, `^a$`, `\Aa`, `a\Z`, `(?m)^b`, `(?m)a$`, `(?m)^$`, `$`, `^`, `\Z`, `a$\n`, `(?m)a$\n`, `\bb`, `\Bb`, `\b`, `\B`, `b\b`, `\b\w+\b$`, `(?a)\bé`,
	// Dots, classes, ranges.
	`.`, `(?s).`, `a.b`, `(?s)a.b`, `[a]`, `[^a]`, `[]a]`, `[^]a]`, `[a-]`, `[-a]`, `[a\-z]`, `[A-z]`, `[\w.]`, `[^\w.]`, `[^\d\s]`, `[\]]`, `[[]`, `[\\]`, `[a-cx-z]`,
	`[\x00-\x1f]`, `[^\x00-\x7f]`, `[\u00e0-\u00ff]`, `[日-語]`, `[\b]`, `[.]`, `[$^]`, `[()]`, `[*+?{}]`, `[\D]`, `[\S\s]`, `[\W_]`, `[\n]`, `[\141]`, `[\0]`, `[a-a]`, `[a&&b]`, `[a||b]`,
	`\d`, `\D`, `\s`, `\S`, `\w`, `\W`, `(?a)\d`, `(?a)\s`, `(?a)\w`, `(?a)\W`, `(?a:\w)\W`, `(?u:\w)`,
	// Escapes.
	`\.`, `\\`, `\-`, `\_`, `\/`, `\ `, `\t`, `\n`, `\a\f\v\r?|a`, `\x61`, `\u0061`, `\U00000061`, `\U0001F600`, `\141`, `\0`, `\00`, `\000`, `\060`, `\377`, `\é`, `\日`,
	// Repeats.
	`a*`, `a+`, `a?`, `a*?`, `a+?`, `a??`, `a{2}`, `a{2,}`, `a{,2}`, `a{2,3}`, `a{2,3}?`, `a{0}`, `a{0,0}b`, `(ab)*`, `(ab)+`, `(ab){2}`, `(?:ab){2,}`, `(a|ab)(c|bcd)?`, `(a+)+b`, `(a*)*b`, `(a*)+`, `(a|b*)*`,
	`(|a)+`, `(|a)*?b`, `(a?)*?b`, `(?:a?){3}`, `(?:)*`, `()*a`, `(?=a)*b`, `(?:a*?)+?b`, `(a?b??)*`, `(?:(a)|b)*`, `(?:(a)|(b))*`, `(a)|b`, `(a)?b`, `(a){0}b`, `x*?y`, `.*?b`, `.+?$`,
	// Braces that are no repeats.
	`a{`, `a{}`, `a{x}`, `a{2`, `a{2,`, `a{,`, `a{,x}`, `a{2,x}`, `a{ 2}`, `{`, `}`, `{}`, `x{2}`, `x\{2}`, `x{2\}`, `x{2,3}`, `{,2`,
	// Possessive and atomic.
	`a*+b`, `a++b`, `a?+a`, `a{1,2}+a`, `a*+a`, `(?>a+)b`, `(?>a+)a`, `(?>a|ab)c`, `(?>a|ab)b`, `(?:ab)*+`, `(?:a|ab){2}+`, `(?:a|ab)++c`, `(?>(a)|b)*`, `(a)++b`, `((?>a*))a?`, `(?>.*)b`, `.*+b`, `[ab]*+b`,
	// Groups and references.
	`(a)\1`, `(a)(b)\2`, `(?P<x>a)(?P=x)`, `(?P<x>a)|b(?P=x)`, `(a*)\1`, `(a+)b\1`, `(a|b)\1`, `((a)b)\1`, `(.)(.)\2\1`, `(?i)(a)\1`, `(?i)(é)\1`, `(?P<long_name1>.)(?P=long_name1)`, `(?P<é>a)`, `()\1`, `(a)?\1`,
	`(a)?b\1`, `(?:(a)|b)\1`, `(\w+)\1`, `(..).*\1`, `(a)(b)(c)(d)?(e)?(f)?(g)?(h)?(i)?(j)?`, `(a)\1{2}`, `(?:(\w)(?=.*\1))`, `(\w)(?!.*\1)`,
	// Conditionals.
	`(a)?(?(1)b|c)`, `(a)?(?(1)b)`, `(?P<q>")?\w(?(q)")`, `^(\()?a(?(1)\))$`, `(?(1)a|b)(x)?`, `(a)?(?(1)|b)`, `(a)?(?(1)b|)`, `(?:(a)|b)(?(1)b|a)`, `(a)(?(1)(b)|c)`, `((a)|b)+(?(2)c|b)`,
	// Look-around.
	`a(?=b)`, `a(?!b)`, `(?<=a)b`, `(?<!a)b`, `(?=(a+))a*b\1`, `(?=(a))b`, `(?!(a))b\1|b`, `(?<=(a))b\1?`, `(?<=ab|cd)c`, `(?<!ab)c`, `(?<=^)a`, `(?<=\b)b`, `(?<=a{2})b`, `(?<=(?:ab))c`, `(?<=[ab])[ab]`, `(?<=)a`, `(?<!)a`,
	`(?=)`, `(?!)`, `(?!)a|b`, `(?=a|b)\w`, `(?!a|b)\w`, `(?<=a(?=b))b`, `(?<!a(?!b))b`, `(?=.*weight)(?!.*grad)`, `(?<=(?<!a)b)a`, `^(?!.*\n)`, `(a)(?<=\1)b`, `(a)(?<=(?(1)a|b))b`, `(?<=x(?#c)y)z`, `(?<=a|b|c)-`, `(?:(?=(a))a)+b`,
	`(?<=(?P<n>a))(?P=n)?b`, `(?=(a)|(b))\1?`,
	// Flags.
	`(?i)a`, `(?i)É`, `(?i)straße`, `(?i)STRASSE`, `(?i)ß`, `(?i)ſ`, `(?i)s`, `(?i)k`, `(?i)K`, `(?i)µ`, `(?i)i`, `(?i)ı`, `(?i)I`, `(?i)İ`, `(?i)σ`, `(?i)Σ`, `(?i)ς`, `(?i)ǆ`, `(?i)[a-c]`, `(?i)[A-Z]`, `(?i)[^a]`, `(?i)[é]`,
	`(?i)[à-ü]`, `(?i)[ſ]`, `(?i)[k]`, `(?i)[J-L]`, `(?i)[i]`, `(?i)[h-j]`, `(?i)[ı]`, `(?i)[σ]`, `(?i)[ρ-σ]`, `(?i)[\W]`, `(?i)[^\W]`, `(?ia)é`, `(?ia)k`, `(?ia)[j-l]`, `(?ia)[à-ü]`, `(?i:a)B`, `(?i:a)b`, `(?i)a(?-i:b)`,
	`(?i)a(?-i:b)c`, `(?s:.)b`, `(?s)a(?-s:.)b`, `(?m:^b)`, `(?im)^B`, `(?x)a b # c`, "(?x) a # b\n b", `(?x)[a b]`, `(?x)a\ b`, `(?x)a{2} b`, `(?x: a b)c`, `(?x)a(?-x: )b`, `(?xi) A b`, `(?i-s:a.)`, `(?is-m:a.b)`, `(?u)a`, `(?#comment)a`, `a(?#)b`,
	`(?i)(?m)^b`, `(?x)(?i) A`, `(?ms)a$.b`, `(?i)[^\u00e9]`, `(?i)\u00c9`, `(?i)ῼ`, `(?i)[ῳ]`,
	// Alternation.
	`a|b`, `a|`, `|a`, `|`, `a||b`, `(a|)b`, `(?:a|b|c)+$`, `ab|ac|ad`, `foo|foobar$`, `^(?:foo|bar)$`, `(?:)|a`,
	// Long ones.
	`^(?:[a-z]+(?:\.[a-z]+)*|\w+_output_\d+)$`, `(?P<path>[\w.]+)_(?P<side>input|output)_(?P<i>\d+)$`, `^((?!conv1|bias).)*$`, `(?:a{1,2}b?){2,3}$`, `^(?P<a>.)(?P<b>.).?(?P=b)(?P=a)$`,
}

// invalid patterns; Python's message and position are asked for, not repeated
// here.
var invalid = []string{
	`(`, `)`, `a)`, `(a`, `(?:a`, `(a))`, `[`, `[a`, `[]`, `[^]`, `[a-`, `[a\]`, `[z-a]`, `[\w-a]`, `[a-\w]`, `[\d-\w]`, `[\d-z]`, `[a--]`, `[é-a]`, `[b-\x61]`,
	`*`, `+a`, `?`, `a**`, `a+*`, `a?*`, `a{2}{3}`, `a{2}*`, `a*??`, `a*+?`, `a*++`, `a{1}??*`, `(*a)`, `(?:*)`, `|*`, `^*`, `$+`, `\b?`, `\A*`, `(|*)`, `a|*`, `{2}`, `{2,3}a`, `a{3,2}`, `a{99999999999}`, `a{1,99999999999}`, `a{4294967295}`, `a{5,4}?`,
	`\`, `a\`, `(\`, `[\`, `\1`, `(a)\2`, `(a\1)`, `\8`, `\99`, `\400`, `[\400]`, `\x`, `\x1`, `\xg1`, `[\x1]`, `\u`, `\u123`, `[\u12]`, `\U`, `\U0001F60`, `\U00110000`, `[\U00110000]`, `\q`, `\y`, `\z`, `\E`, `[\q]`, `[\A]`, `[\B]`, `[\Z]`, `[\8]`, `\N`, `\N{`, `\N{}`, `[\N]`, `\p{L}`, `\i`,
	`(?`, `(?a`, `(?P`, `(?P<`, `(?P<>a)`, `(?P<a`, `(?P<1>a)`, `(?P<a b>a)`, `(?P<a.b>a)`, `(?P<a>a)(?P<a>b)`, `(?P=a)`, `(?P=`, `(?P=a`, `(?P=)`, `(?P<a>(?P=a))`, `(?P>a)`, `(?Px)`, `(?Pé)`, `(?<a>b)`, `(?<`, `(?<a`, `(?@a)`, `(?é)`, `(?\a)`, `(?<\a)`, `(?P\a)`, `(?'a'b)`, `(?+a)`, `(?R)`, `(?1)`, `(?&a)`, `(?|a)`,
	`(?#`, `(?#a`, `(?=a`, `(?!a`, `(?<=a`, `(?<!a`, `(?>a`, `(?(`, `(?(1`, `(?(1)`, `(?(1)a`, `(?(1)a|b`, `(?(1)a|b|c)`, `(?(0)a)`, `(?(2)a)(b)`, `(?(x)a)`, `(?()a)`, `(?(a b)c)`, `(?(99999999999)a)`, `(?(-1)a)`, `(a)(?(1)b|c|d)`,
	`(?i`, `(?i-`, `(?i-)`, `(?i-i:a)`, `(?-)`, `(?-:a)`, `(?-i`, `(?-i)`, `(?-ia`, `(?iz)`, `(?i1)`, `(?i,s)`, `(?-z:a)`, `(?-1:a)`, `(?L)a`, `(?L:a)`, `(?i-L:a)`, `(?-a:b)`, `(?-u:b)`, `(?au)a`, `(?ua)a`, `(?au:a)`, `(?a)(?u)a`, `(?u)(?a)a`, `(?i-z:a)`, `(?i-s1:a)`, `(?i\)a)`, `(?-\i:a)`,
	`(?<=a*)b`, `(?<=a+)b`, `(?<=a?)b`, `(?<!a|bc)d`, `(?<=a{1,2})b`, `(?<=(a|bc))d`, `(a*)(?<=\1)b`, `(?<=(a)\1)b`, `(?<=(?P<x>a)(?P=x))b`, `(?<=(a)(?(1)b|c))d`, `(a(?<=\1))`, `(a(?<=(?(1)b)))`, `(?<=.*)`, `(?<=a(?=b*))(?<=a|)`,
	"(?x)\n(", "a\nb)", "(?P<a>\n(?P<a>b))", `(?P<ａ b>x)`, `(?P<'>x)`, `(?P<"'>x)`, "(?P<\t>x)", "(?P<\x00>x)",
}

// TestPythonTable holds every pattern against every name and compares spans of
// match and groups with Python's.
func TestPythonTable(t *testing.T) {
	var qs []question
	for _, p := range valid {
		qs = append(qs, question{p, names})
	}
	as := ask(t, qs)
	for i, a := range as {
		if a.Error != "" && !a.old {
			t.Errorf("%q is refused by Python: %s", valid[i], a.Error)
		}
	}
	matched, refused, limited := compare(t, qs, as)
	if matched < 5000 || refused > 0 && !as[0].old || limited > 0 {
		t.Errorf("%d matches, %d refused, %d limited", matched, refused, limited)
	}
}

func TestPythonErrors(t *testing.T) {
	var qs []question
	for _, p := range invalid {
		qs = append(qs, question{p, []string{"a"}})
	}
	as := ask(t, qs)
	for i := range qs {
		if as[i].Error == "" && !as[i].old {
			t.Errorf("%q is accepted by Python", invalid[i])
		}
		if strings.HasPrefix(as[i].Error, "undefined character name") {
			t.Errorf("%q: names are not compared", invalid[i])
		}
	}
	compare(t, qs, as)
}

// Global flags inside the pattern hold for all of it, as until Python 3.10.
func TestGlobalFlagsInside(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{`a(?i)b`, "AB", true},
		{`(?:a(?i))b`, "AB", true},
		{`a(?s).`, "a\n", true},
		{`a b(?x)`, "ab", true},
		{`^b(?m)`, "a\nb", true},
		{`a|(?i)b`, "A", true},
	} {
		re, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		if got, err := re.Search(c.text); got != c.want || err != nil {
			t.Errorf("%q on %q: %v, %v", c.pattern, c.text, got, err)
		}
	}
}
