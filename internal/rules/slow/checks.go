package slow

import "github.com/vigil-ml/vigil/rule"

// check is one cause: its data, and what it says a training loses to it over a
// span; nil when it is not the cause. It has no state and looks at nothing else.
type check struct {
	rule.Check
	claim func(c *Case, s *Span) *Claim
	// needs says, where the claim needs samples of stacks to be made and there are
	// none, whether they are worth a window.
	needs func(c *Case) bool
}

// checks are all of them, the more special first.
var checks = []*check{
	&evaluationShare,
	&checkpoints,
	&loaderRespawn,
	&slowItem,
	&stalls,
	&slowRank,
	&communication,
	&diskBound,
	&transforms,
	&collate,
	&blocked,
	&dataWait,
	&growingSteps,
	&housekeeping,
	&otherWork,
	&oversubscription,
	&pythonLoop,
	&idleDevice,
	&smallBatch,
	&recompiles,
	&idleCores,
	&untrainedBackward,
	&denseEmbedding,
	&precision,
	&debugAids,
	&cpuThrottled,
	&swapping,
	&gpuThrottled,
	&startUp,
	&slowerThanBefore,
}

func index() []rule.Check {
	out := make([]rule.Check, len(checks))
	for i, c := range checks {
		out[i] = c.Check
	}
	return out
}
