package provenance

import "strings"

// Variables are the environment variables that are stored; docs/provenance.md
// lists them, and no other ever is.
var Variables = []string{
	"CONDA_DEFAULT_ENV", "CUBLAS_WORKSPACE_CONFIG", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_VISIBLE_DEVICES",
	"GOMP_CPU_AFFINITY", "HF_DATASETS_OFFLINE", "HF_HUB_OFFLINE", "HIP_VISIBLE_DEVICES", "KMP_AFFINITY", "KMP_BLOCKTIME", "LD_PRELOAD",
	"LOCAL_RANK", "LOCAL_WORLD_SIZE", "MALLOC_ARENA_MAX", "MKL_NUM_THREADS", "NCCL_ALGO", "NCCL_DEBUG", "NCCL_IB_DISABLE", "NCCL_P2P_DISABLE",
	"NCCL_PROTO", "NCCL_SOCKET_IFNAME", "NUMEXPR_NUM_THREADS", "NVIDIA_TF32_OVERRIDE", "NVIDIA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "OMP_PROC_BIND",
	"OMP_SCHEDULE", "OPENBLAS_NUM_THREADS", "PL_GLOBAL_SEED", "PYTHONHASHSEED", "PYTHONOPTIMIZE", "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF",
	"PYTORCH_NO_CUDA_MEMORY_CACHING", "RANK", "SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS", "SLURM_PROCID",
	"TORCHDYNAMO_DISABLE", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "TORCH_COMPILE_DISABLE", "TORCH_DISTRIBUTED_DEBUG", "TORCH_NUM_THREADS",
	"TRANSFORMERS_OFFLINE", "VIRTUAL_ENV", "WORLD_SIZE", "XLA_FLAGS",
}

// Environment are those of the variables that an environment sets; the last one
// of a name counts, as in a shell.
func Environment(environ []string) map[string]string {
	listed := map[string]bool{}
	for _, name := range Variables {
		listed[name] = true
	}
	found := map[string]string{}
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok && listed[name] && !Secret(name) {
			found[name] = cut(RedactText(value))
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found
}
