package monitor

import (
	"slices"
	"strconv"
)

// gpuNames are the names of the series of GPUs, made once.
type gpuNames struct {
	byGPU []map[string]string
	keys  []string
}

// write adds the values of a GPU.
func (n *gpuNames) write(o *output, gpu int, values map[string]float64) {
	if gpu < 0 || gpu >= mostGPUs {
		return
	}
	n.keys = n.keys[:0]
	for key := range values {
		n.keys = append(n.keys, key)
	}
	slices.Sort(n.keys)
	for _, key := range n.keys {
		o.add(n.of(gpu, key), values[key])
	}
}

const mostGPUs = 128

func (n *gpuNames) of(gpu int, key string) string {
	for len(n.byGPU) <= gpu {
		n.byGPU = append(n.byGPU, map[string]string{})
	}
	name, ok := n.byGPU[gpu][key]
	if !ok {
		name = "gpu/" + strconv.Itoa(gpu) + "/" + key
		n.byGPU[gpu][key] = name
	}
	return name
}
