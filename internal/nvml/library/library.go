//go:build linux

// Package library calls NVIDIA's management library (NVML) without cgo. It is for
// cmd/vigil-nvml alone: who imports it depends on glibc.
package library

import (
	"fmt"
	"math"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/vigil-ml/vigil/internal/nvml"
)

// Name is the library that comes with the driver.
const Name = "libnvidia-ml.so.1"

// Library is NVML, opened.
type Library struct {
	functions map[string]uintptr // 0: this driver has no such function
	open      uintptr
	gpus      []*gpu
	fallback  int       // whose throughput is asked for next
	measured  time.Time // when it was asked for last
}

// gpu is one device, and what it said before.
type gpu struct {
	index    int
	device   uintptr
	read     time.Time
	counters map[string]uint64
	slow     map[string]float64
	pcie     bool // its counters of PCIe work
}

// result is what a function of NVML returns.
type result uint32

// What it returns, as far as we tell them apart.
const (
	success          result = 0
	notSupported     result = 3
	insufficientSize result = 7
	functionNotFound result = 13
	gpuLost          result = 15
	noFunction       result = math.MaxUint32 // this library has not the function
)

var reasons = map[result]string{
	1: "the driver was not initialised", 2: "the driver does not know what was asked for", notSupported: "the GPU does not support it",
	4: "no permission", 6: "not found", 8: "a power cable of the GPU is missing", 9: "the NVIDIA driver is not loaded",
	10: "the driver timed out", 11: "the GPU has a problem with interrupts", 12: "a library of the driver is missing",
	functionNotFound: "this driver is too old for it", 14: "the GPU's information is damaged", gpuLost: "the GPU has fallen off the bus, or is not accessible",
	16: "the GPU needs a reset", 17: "the operating system blocks the GPU", 18: "driver and library have different versions",
	19: "the GPU is in use", 20: "out of memory", 21: "there is no data", 22: "ECC is not supported", 25: "driver and library have different versions",
	27: "the GPU is not ready", 28: "there is no GPU", 999: "the driver tells of an unknown error", noFunction: "this driver is too old for it",
}

func (r result) String() string {
	if s, ok := reasons[r]; ok {
		return s
	}
	return fmt.Sprintf("the driver tells of error %d", uint32(r))
}

// names are all functions that are called. The second of two names of one
// function is that of older drivers.
var names = []string{
	"nvmlInit_v2", "nvmlShutdown", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2",
	"nvmlDeviceGetUtilizationRates", "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetPowerUsage",
	"nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetTemperature", "nvmlDeviceGetClockInfo",
	"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",
	"nvmlDeviceGetFieldValues", "nvmlDeviceGetPcieThroughput", "nvmlDeviceGetComputeRunningProcesses_v3",
}

// Open loads the library and finds the GPUs.
func Open(path string) (*Library, error) {
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("the library of the NVIDIA driver cannot be loaded: %w", err)
	}
	l := &Library{open: handle, functions: map[string]uintptr{}}
	for _, name := range names {
		if f, err := purego.Dlsym(handle, name); err == nil {
			l.functions[name] = f
		}
	}
	if r := l.call("nvmlInit_v2"); r != success {
		return nil, fmt.Errorf("%s cannot be used: %s", path, r)
	}
	var n uint32
	if r := l.call("nvmlDeviceGetCount_v2", uintptr(unsafe.Pointer(&n))); r != success {
		return nil, fmt.Errorf("%s cannot count GPUs: %s", path, r)
	}
	for i := range min(n, 128) {
		g := &gpu{index: int(i), counters: map[string]uint64{}, slow: map[string]float64{}}
		if r := l.call("nvmlDeviceGetHandleByIndex_v2", uintptr(i), uintptr(unsafe.Pointer(&g.device))); r == success {
			l.gpus = append(l.gpus, g)
		}
	}
	return l, nil
}

// Close ends the use of the library.
func (l *Library) Close() { l.call("nvmlShutdown") }

// call calls a function. What its arguments point to stays alive and where it is,
// as they are made from pointers in the call itself.
//
//go:uintptrescapes
func (l *Library) call(name string, args ...uintptr) result {
	f := l.functions[name]
	if f == 0 {
		return noFunction
	}
	r, _, _ := purego.SyscallN(f, args...)
	return result(uint32(r))
}

// Structures as nvml.h has them.
type (
	utilization struct{ gpu, memory uint32 }
	memory      struct{ total, free, used uint64 }
	memoryV2    struct {
		version                     uint32
		_                           uint32
		total, reserved, free, used uint64
	}
	processInfo struct {
		pid               uint32
		_                 uint32
		memory            uint64
		instance, compute uint32
	}
	fieldValue struct {
		field, scope       uint32
		timestamp, latency int64
		kind, result       uint32
		value              uint64
	}
)

const (
	memoryV2Version = 2<<24 | uint32(unsafe.Sizeof(memoryV2{}))
	notAvailable    = math.MaxUint64

	clockSM, clockMemory = 1, 2

	nvlinkSent, nvlinkReceived = 138, 139 // KiB, all links together
	pcieSent, pcieReceived     = 197, 198 // bytes
	allLinks                   = math.MaxUint32
	kindUint64, kindULong      = 3, 2
	pcieTx, pcieRx             = 0, 1
)

// Reasons for which clocks are lower than they could be. That a GPU idles, or that
// somebody has set its clocks, slows nothing down.
const (
	slowPower    = 1<<2 | 1<<7 // limit of power, brake of power
	slowThermal  = 1<<5 | 1<<6 // temperature
	slowHardware = 1 << 3      // any of those in hardware
	slow         = slowPower | slowThermal | slowHardware
)

// Read asks all GPUs.
func (l *Library) Read(now time.Time) nvml.Answer {
	var a nvml.Answer
	for _, g := range l.gpus {
		a.GPUs = append(a.GPUs, l.read(g, now))
	}
	return a
}

// reader collects what one GPU says.
type reader struct {
	*Library
	g    *gpu
	out  nvml.GPU
	lost bool
}

// got reports whether a call succeeded, and notes why not under the names of the
// values that it was to give.
func (r *reader) got(code result, names ...string) bool {
	switch {
	case code == success:
		return true
	case code == gpuLost:
		r.lost = true
	default:
		if r.out.Lacks == nil {
			r.out.Lacks = map[string]string{}
		}
		for _, n := range names {
			r.out.Lacks[n] = code.String()
		}
	}
	return false
}

func (l *Library) read(g *gpu, now time.Time) nvml.GPU {
	r := &reader{Library: l, g: g, out: nvml.GPU{Index: g.index, Values: map[string]float64{}}}
	for _, part := range []func(time.Time){r.use, r.memory, r.power, r.clocks, r.reasons, r.links, r.processes} {
		part(now)
		if r.lost {
			clear(g.counters)
			return nvml.GPU{Index: g.index, Lacks: map[string]string{"": gpuLost.String()}}
		}
	}
	g.read = now
	return r.out
}

func (r *reader) use(time.Time) {
	var u utilization
	if r.got(r.call("nvmlDeviceGetUtilizationRates", r.g.device, uintptr(unsafe.Pointer(&u))), "utilization", "memory_utilization") {
		r.out.Values["utilization"], r.out.Values["memory_utilization"] = float64(u.gpu), float64(u.memory)
	}
}

func (r *reader) memory(time.Time) {
	two := memoryV2{version: memoryV2Version}
	code := r.call("nvmlDeviceGetMemoryInfo_v2", r.g.device, uintptr(unsafe.Pointer(&two)))
	if code != success && code != gpuLost { // an older driver
		var one memory
		code = r.call("nvmlDeviceGetMemoryInfo", r.g.device, uintptr(unsafe.Pointer(&one)))
		two.total, two.used = one.total, one.used
	}
	if !r.got(code, "memory_bytes", "memory_percent") {
		return
	}
	r.out.Values["memory_bytes"] = float64(two.used)
	if two.total > 0 {
		r.out.Values["memory_percent"] = 100 * float64(two.used) / float64(two.total)
	}
}

func (r *reader) power(time.Time) {
	var n uint32
	if r.got(r.call("nvmlDeviceGetPowerUsage", r.g.device, uintptr(unsafe.Pointer(&n))), "power_w") {
		r.out.Values["power_w"] = float64(n) / 1000
	}
	if r.got(r.call("nvmlDeviceGetEnforcedPowerLimit", r.g.device, uintptr(unsafe.Pointer(&n))), "power_limit_w") {
		r.out.Values["power_limit_w"] = float64(n) / 1000
	}
	if r.got(r.call("nvmlDeviceGetTemperature", r.g.device, 0, uintptr(unsafe.Pointer(&n))), "temperature_c") {
		r.out.Values["temperature_c"] = float64(n)
	}
}

func (r *reader) clocks(time.Time) {
	var n uint32
	if r.got(r.call("nvmlDeviceGetClockInfo", r.g.device, clockSM, uintptr(unsafe.Pointer(&n))), "sm_clock_mhz") {
		r.out.Values["sm_clock_mhz"] = float64(n)
	}
	if r.got(r.call("nvmlDeviceGetClockInfo", r.g.device, clockMemory, uintptr(unsafe.Pointer(&n))), "memory_clock_mhz") {
		r.out.Values["memory_clock_mhz"] = float64(n)
	}
}

func (r *reader) reasons(time.Time) {
	var bits uint64
	code := r.call("nvmlDeviceGetCurrentClocksEventReasons", r.g.device, uintptr(unsafe.Pointer(&bits)))
	if code == noFunction {
		code = r.call("nvmlDeviceGetCurrentClocksThrottleReasons", r.g.device, uintptr(unsafe.Pointer(&bits)))
	}
	if !r.got(code, "throttled") {
		return
	}
	is := func(mask uint64) float64 {
		if bits&mask != 0 {
			return 1
		}
		return 0
	}
	v := r.out.Values
	v["throttled"], v["throttled_power"], v["throttled_thermal"], v["throttled_hardware"] = is(slow), is(slowPower), is(slowThermal), is(slowHardware)
}

// links reads the counters of NVLink and PCIe.
func (r *reader) links(now time.Time) {
	f := [4]fieldValue{{field: nvlinkSent, scope: allLinks}, {field: nvlinkReceived, scope: allLinks}, {field: pcieSent}, {field: pcieReceived}}
	names := [4]string{"nvlink_sent_per_s", "nvlink_received_per_s", "pcie_sent_per_s", "pcie_received_per_s"}
	code := r.call("nvmlDeviceGetFieldValues", r.g.device, uintptr(len(f)), uintptr(unsafe.Pointer(&f[0])))
	if code == gpuLost {
		r.lost = true
		return
	}
	since := now.Sub(r.g.read).Seconds()
	pcie := false
	for i, x := range f {
		unit := float64(1)
		if i < 2 {
			unit = 1024
		}
		switch {
		case code != success:
			x.result = uint32(code)
		case x.result == uint32(success) && x.kind != kindUint64 && x.kind != kindULong:
			x.result = uint32(notSupported) // a narrow counter is full in a fraction of a second
		}
		if x.result != uint32(success) {
			if i < 2 {
				r.got(result(x.result), names[i])
			}
			continue
		}
		pcie = pcie || i >= 2
		before, known := r.g.counters[names[i]]
		if known && x.value >= before && since > 0 {
			r.out.Values[names[i]] = float64(x.value-before) * unit / since
		}
		r.g.counters[names[i]] = x.value
	}
	if r.g.pcie = pcie; !pcie {
		r.throughput(now)
	}
}

// throughput asks for that of PCIe where there is no counter. The driver takes 20
// ms to measure one direction of one GPU, so they take turns, and what was measured
// last stands for a while.
func (r *reader) throughput(now time.Time) {
	turns := 2 * len(r.gpus)
	for range turns { // those with counters take none
		if !r.gpus[r.fallback/2].pcie {
			break
		}
		r.fallback = (r.fallback + 1) % turns
	}
	mine := -1
	for i, g := range r.gpus {
		if g == r.g {
			mine = i
		}
	}
	if r.fallback/2 == mine && now.Sub(r.measured) >= time.Second/2 {
		direction := r.fallback % 2
		name := [2]string{"pcie_sent_per_s", "pcie_received_per_s"}[direction]
		var n uint32
		r.measured = now
		r.fallback = (r.fallback + 1) % turns
		if r.got(r.call("nvmlDeviceGetPcieThroughput", r.g.device, [2]uintptr{pcieTx, pcieRx}[direction], uintptr(unsafe.Pointer(&n))), name) {
			r.g.slow[name] = float64(n) * 1024
		} else {
			delete(r.g.slow, name)
		}
	}
	for name, v := range r.g.slow {
		r.out.Values[name] = v
	}
}

// processes reads who has how much memory of the GPU.
func (r *reader) processes(time.Time) {
	const name = "job_memory_bytes"
	list := make([]processInfo, 16)
	for {
		n := uint32(len(list))
		code := r.call("nvmlDeviceGetComputeRunningProcesses_v3", r.g.device, uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&list[0])))
		if code == insufficientSize && len(list) < 4096 {
			list = make([]processInfo, max(2*len(list), int(n)+8))
			continue
		}
		if !r.got(code, name) {
			return
		}
		list = list[:min(int(n), len(list))]
		break
	}
	r.out.Processes = map[int]uint64{}
	for _, p := range list {
		if p.memory != notAvailable {
			r.out.Processes[int(p.pid)] += p.memory
		}
	}
}
