#define _GNU_SOURCE
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct faults *faults;

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("POWERCUT_FAULTS");
    if (!path || !*path) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (file < 0) return;
    void *found = (void *)syscall(SYS_mmap, NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (found != MAP_FAILED) faults = found;
    syscall(SYS_close, file);
}

static int concerns(const char *name, int descriptor) {
    if (!*name) return 1;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    size_t end = strlen(name);
    if (name[end - 1] != '$') return strstr(path, name) != NULL;
    end--;
    return length >= (ssize_t)end && strncmp(path + length - end, name, end) == 0;
}

/// Takes one of those that are to fail.
static int take(int32_t *left) {
    int32_t found = __atomic_load_n(left, __ATOMIC_RELAXED);
    while (found > 0) {
        if (__atomic_compare_exchange_n(left, &found, found - 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return 1;
    }
    return found < 0;
}

int faults_write(int descriptor) {
    if (!faults || !faults->write_error || !concerns(faults->write_name, descriptor)) return 0;
    static uint64_t state = 88172645463325252u;
    uint64_t chance = __atomic_add_fetch(&state, 0x9E3779B97F4A7C15u, __ATOMIC_RELAXED);
    chance = (chance ^ (chance >> 30)) * 0xBF58476D1CE4E5B9u >> 33;
    if ((int32_t)(chance % 1000) >= faults->write_share || !take(&faults->write_left)) return 0;
    __atomic_add_fetch(&faults->failed_writes, 1, __ATOMIC_RELAXED);
    errno = faults->write_error;
    return 1;
}

int faults_sync(int descriptor) {
    if (!faults || !faults->sync_error) return 0;
    if (!concerns(faults->sync_name, descriptor) || !take(&faults->sync_left)) return 0;
    __atomic_add_fetch(&faults->failed_syncs, 1, __ATOMIC_RELAXED);
    errno = faults->sync_error;
    return 1;
}

int faults_are_told(void) {
    return !faults->is_hidden;
}
