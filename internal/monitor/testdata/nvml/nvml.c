// A stand-in for NVIDIA's management library: two GPUs of which a file named by
// FAKE_NVML says what goes wrong. It is read at every call, so that a test can
// change it while the library is in use.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, INSUFFICIENT_SIZE = 7, DRIVER_NOT_LOADED = 9, GPU_IS_LOST = 15, UNKNOWN = 999 };

typedef struct { int index; } device;
static device devices[2] = {{0}, {1}};

static int said(const char *what) {
    const char *path = getenv("FAKE_NVML");
    FILE *f = path ? fopen(path, "r") : NULL;
    char line[100];
    int found = 0;
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        found |= !strcmp(line, what);
    }
    if (f) fclose(f);
    return found;
}

static int state(device *d) {
    if (said("crash")) abort();
    while (said("hang")) usleep(1000);
    if (d->index == 1 && said("lost 1")) return GPU_IS_LOST;
    return SUCCESS;
}

#define CHECK(d) do { int s = state(d); if (s) return s; } while (0)

int nvmlInit_v2(void) { return said("no driver") ? DRIVER_NOT_LOADED : SUCCESS; }
int nvmlShutdown(void) { return SUCCESS; }
int nvmlDeviceGetCount_v2(unsigned *n) { *n = 2; return SUCCESS; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, device **d) { *d = &devices[i]; return SUCCESS; }

typedef struct { unsigned gpu, memory; } utilization;
int nvmlDeviceGetUtilizationRates(device *d, utilization *u) { CHECK(d); u->gpu = 90 + d->index; u->memory = 40; return SUCCESS; }

typedef struct { unsigned version; unsigned long long total, reserved, free, used; } memory_v2;
int nvmlDeviceGetMemoryInfo_v2(device *d, memory_v2 *m) {
    CHECK(d);
    if (m->version != (sizeof *m | 2 << 24)) return 25;
    m->total = 16ULL << 30; m->reserved = 1; m->free = 12ULL << 30; m->used = 4ULL << 30;
    return SUCCESS;
}

int nvmlDeviceGetPowerUsage(device *d, unsigned *mw) { CHECK(d); if (said("no power")) return UNKNOWN; *mw = 250500; return SUCCESS; }
int nvmlDeviceGetEnforcedPowerLimit(device *d, unsigned *mw) { CHECK(d); *mw = 400000; return SUCCESS; }
int nvmlDeviceGetTemperature(device *d, unsigned sensor, unsigned *c) { CHECK(d); *c = sensor == 0 ? 61 : 0; return SUCCESS; }
int nvmlDeviceGetClockInfo(device *d, unsigned type, unsigned *mhz) { CHECK(d); *mhz = type == 1 ? 1410 : type == 2 ? 1215 : 0; return SUCCESS; }
int nvmlDeviceGetCurrentClocksThrottleReasons(device *d, unsigned long long *r) { CHECK(d); *r = d->index == 0 ? 0x1 : 0x4; return SUCCESS; }

typedef struct { unsigned field, scope; long long timestamp, latency; unsigned kind, result; unsigned long long value; } field_value;
int nvmlDeviceGetFieldValues(device *d, int n, field_value *f) {
    CHECK(d);
    static unsigned long long kib[2]; // each reading finds 1 GiB more sent than the one before
    kib[d->index] += 1 << 20;
    for (int i = 0; i < n; i++) {
        f[i].kind = 3;
        f[i].result = d->index == 0 ? SUCCESS : NOT_SUPPORTED;
        f[i].value = f[i].field == 138 ? kib[d->index] : f[i].field == 197 ? kib[d->index] * 1024 : 77;
    }
    return SUCCESS;
}
int nvmlDeviceGetPcieThroughput(device *d, unsigned counter, unsigned *kb) { CHECK(d); *kb = counter == 0 ? 1000 : 2000; return SUCCESS; }

typedef struct { unsigned pid; unsigned long long memory; unsigned instance, compute; } process;
int nvmlDeviceGetComputeRunningProcesses_v3(device *d, unsigned *n, process *p) {
    CHECK(d);
    unsigned room = *n;
    *n = 20;
    if (room < 20) return INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < 20; i++) {
        p[i].pid = 800000000 + i;
        p[i].memory = 1 << 20;
    }
    p[7].pid = 900000002; // the trainer of the made-up machines
    p[7].memory = 3ULL << 30;
    return SUCCESS;
}
