package doctor

import "os"

// switchedOff looks at the variable that turns everything off.
func switchedOff() Check {
	if os.Getenv("VIGIL") == "0" {
		return fail("switch", "unset VIGIL", "VIGIL=0 is set in the environment: nothing is captured")
	}
	return ok("switch", "VIGIL=0 is not set")
}
