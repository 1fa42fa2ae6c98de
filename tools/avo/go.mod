// The generator of internal/tensor/kernels_avx2_amd64.s, apart from the
// program's own dependencies. golang.org/x/tools is raised by hand: the version
// that avo asks for does not compile with this Go.
module github.com/vigil-ml/vigil/tools/avo

go 1.26.0

require github.com/mmcloughlin/avo v0.6.0

require (
	golang.org/x/mod v0.31.0 // indirect
	golang.org/x/sync v0.19.0 // indirect
	golang.org/x/tools v0.40.0 // indirect
)
