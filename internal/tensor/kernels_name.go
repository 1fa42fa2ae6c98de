package tensor

// Kernels names the implementation that runs on this machine: "avx2" or "go".
func Kernels() string {
	if fast {
		return "avx2"
	}
	return "go"
}
