package notify

import "testing"

// A part of an address is read from the variable that holds it, and hidden as any
// other secret.
func TestPartsOfAnAddress(t *testing.T) {
	lookup := func(string) (string, bool) { return "https://ann:open%20sesame@host:8080/path?key=s+1&x=2#json", true }
	for part, want := range map[string]string{
		PartAddress: "https://host:8080/path", PartUser: "ann", PartPassword: "open sesame", PartQuery("key"): "s 1", PartQuery("none"): "",
	} {
		if got, err := (Ref{Env: "URL", Part: part}).read(lookup); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", part, got, err, want)
		}
	}
	bad := func(string) (string, bool) { return "https://sesame@host:%zz", true }
	if _, err := (Ref{Env: "URL", Part: PartUser}).read(bad); err == nil || err.Error() != "the environment variable URL contains no address" {
		t.Errorf("an address that is none: %v", err)
	}
}
