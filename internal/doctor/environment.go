package doctor

import "os"

// switchedOff looks at the variable that turns everything off.
func switchedOff() Check {
	if os.Getenv("VIGIL") == "0" {
		return fail("switch", "unset VIGIL", "VIGIL=0 is set in the environment: nothing is captured")
	}
	return ok("switch", "VIGIL=0 is not set")
}

// Look says whether facts of a training are read.
func Look(on bool) Check {
	if on {
		return ok("look", "facts of a training are read in its first steps; vigil run --no-look switches that off")
	}
	return ok("look", "facts of a training are not read (look is off): only rules on curves run")
}
