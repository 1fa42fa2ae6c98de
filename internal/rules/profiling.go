package rules

import (
	"fmt"
	"strings"
)

// profiling are the rules of SageMaker Debugger that judge the machine and the
// time of steps, with the names under which people also know them.
var profiling = []string{
	"ProfilerReport", "BatchSize", "CPUBottleneck", "Dataloader", "GPUMemoryIncrease", "IOBottleneck", "LoadBalancing", "LowGPUUtilization",
	"OverallSystemUsage", "MaxInitializationTime", "OverallFrameworkMetrics", "StepOutlier",
	"TfOperatorTime",
}

// Foreign says of a name that is not a rule here why it is none, "" when it is
// not known either. Blanks, underscores and the case of letters do not count.
func Foreign(name string) string {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), "_", "")) }
	for _, p := range profiling {
		if plain(p) == plain(name) {
			return fmt.Sprintf("%s is a profiling rule of SageMaker Debugger and not a rule here; machine and step times are captured: `vigil top` and `vigil report` show them, slow_training and hardware_utilization judge them", p)
		}
	}
	return ""
}
