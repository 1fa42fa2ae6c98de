package screen

import (
	"regexp"
	"strings"
	"testing"
)

func TestPicture(t *testing.T) {
	got := Picture(20, "plain \x1b[1;31mbad & <worse>\x1b[0m\r\n\r\n  \x1b[2mdim\x1b[0m ✖\r\na long line that is wrapped\r\n")
	var texts []string
	for _, m := range regexp.MustCompile(`y="(\d+)" textLength="([\d.]+)" lengthAdjust="spacingAndGlyphs" fill="(#\w+)"( font-weight="bold")? style="white-space:pre">(.*)</text>`).FindAllStringSubmatch(got, -1) {
		texts = append(texts, strings.Join(m[1:], " "))
	}
	want := []string{
		"33 42.0 #adbac7  plain",
		`33 109.2 #ff938a  font-weight="bold" bad &amp; &lt;worse&gt;`,
		"73 25.2 #768390  dim",
		"73 8.4 #adbac7  ✖",
		"93 159.6 #adbac7  a long line that is",
		"113 58.8 #adbac7  wrapped",
	}
	if strings.Join(texts, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(texts, "\n"), strings.Join(want, "\n"))
	}
	if !strings.HasPrefix(got, `<svg xmlns="http://www.w3.org/2000/svg" width="204" height="136"`) {
		t.Errorf("the picture begins %.120s", got)
	}
}
