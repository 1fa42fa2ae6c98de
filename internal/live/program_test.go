package live

// The pictures of what a person sees name the program as it is called where it
// is installed.
func init() { Program = func() string { return "vigil" } }
