#define _GNU_SOURCE
#include "journal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DESCRIPTORS (1 << 20)
#define INODES (1 << 18)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int active;
static int output = -1;
static uint64_t position;
static char directory[PATH_MAX];
static size_t directory_length;
static uint32_t last_object;
static uint32_t objects[DESCRIPTORS];
static uint8_t synchronous_descriptors[DESCRIPTORS];

static struct {
    dev_t device;
    ino_t inode;
    uint32_t object;
} inodes[INODES];

static void die(const char *why) {
    dprintf(2, "powercut: %s: %s\n", why, strerror(errno));
    _exit(99);
}

static void forget_in_child(void) {
    active = 0;
}

__attribute__((constructor)) static void start(void) {
    const char *wanted = getenv("POWERCUT_DIRECTORY");
    const char *log = getenv("POWERCUT_LOG");
    char *owner = getenv("POWERCUT_OWNER");
    // A program that the server starts inherits the environment. What it does is not followed: the first process writes
    // over the zeros. Not with setenv, which moves the environment; Swift finds the arguments of a program beside it.
    if (!wanted || !log || !owner || strcmp(owner, "0000000000") != 0) return;
    char self[11];
    snprintf(self, sizeof self, "%010d", (int)getpid());
    memcpy(owner, self, sizeof self);
    if (!realpath(wanted, directory)) die("POWERCUT_DIRECTORY");
    directory_length = strlen(directory);
    // Straight to the kernel: these calls are wrapped.
    output = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (output < 0) die("POWERCUT_LOG");
    int high = fcntl(output, F_DUPFD_CLOEXEC, 900);  // out of the way of a program that counts its descriptors
    if (high >= 0) {
        syscall(SYS_close, output);
        output = high;
    }
    position = (uint64_t)lseek(output, 0, SEEK_END);
    pthread_atfork(NULL, NULL, forget_in_child);
    active = 1;
    journal_append(STARTED, 0, 0, 0, "", "", NULL, 0, 0);
}

int journal_active(void) {
    return active;
}

void journal_lock(void) {
    pthread_mutex_lock(&lock);
}

void journal_unlock(void) {
    pthread_mutex_unlock(&lock);
}

uint64_t journal_append(enum kind kind, uint32_t object, uint64_t offset, uint64_t number, const char *first,
                        const char *second, const struct iovec *data, int count, size_t bytes) {
    struct entry entry = {
        .kind = (uint8_t)kind, .object = object, .offset = offset, .number = number, .bytes = (uint32_t)bytes,
        .first = (uint16_t)strlen(first), .second = (uint16_t)strlen(second),
    };
    struct iovec parts[3 + IOV_MAX] = {
        {&entry, sizeof entry}, {(void *)first, entry.first}, {(void *)second, entry.second},
    };
    int used = 3;
    // A call may have written less than it was given.
    for (size_t rest = bytes; rest > 0 && count > 0; data++, count--) {
        size_t part = data->iov_len < rest ? data->iov_len : rest;
        parts[used++] = (struct iovec){data->iov_base, part};
        rest -= part;
        if (used == IOV_MAX && rest > 0) die("a write of too many parts");
    }
    size_t length = sizeof entry + entry.first + entry.second + bytes;
    int saved = errno;
    if (syscall(SYS_writev, output, parts, used) != (long)length) die("the journal cannot be written");
    errno = saved;
    uint64_t at = position;
    position += length;
    return at;
}

/// Takes "//", "/./" and "/../" out of an absolute path.
static void normalize(const char *path, char *buffer) {
    char *end = buffer;
    while (*path) {
        while (*path == '/') path++;
        size_t length = strcspn(path, "/");
        if (length == 2 && path[0] == '.' && path[1] == '.') {
            while (end > buffer && *--end != '/') {}
        } else if (length > 0 && !(length == 1 && path[0] == '.')) {
            *end++ = '/';
            memcpy(end, path, length);
            end += length;
        }
        path += length;
    }
    *end = 0;
}

const char *journal_path(int at, const char *path, char *buffer) {
    if (!active || !path) return NULL;
    char whole[2 * PATH_MAX];
    if (path[0] == '/') {
        if (strlen(path) >= PATH_MAX) return NULL;
        strcpy(whole, path);
    } else {
        char base[PATH_MAX];
        if (at == AT_FDCWD) {
            if (!getcwd(base, sizeof base)) return NULL;
        } else {
            char link[64];
            snprintf(link, sizeof link, "/proc/self/fd/%d", at);
            ssize_t length = readlink(link, base, sizeof base - 1);
            if (length < 0) return NULL;
            base[length] = 0;
        }
        if (snprintf(whole, sizeof whole, "%s/%s", base, path) >= PATH_MAX) return NULL;
    }
    normalize(whole, buffer);
    if (strncmp(buffer, directory, directory_length) != 0) return NULL;
    const char *rest = buffer + directory_length;
    if (*rest == 0) return rest;
    return *rest == '/' ? rest + 1 : NULL;
}

static uint32_t *slot(const struct stat *status) {
    size_t place = (status->st_ino * 0x9E3779B97F4A7C15u >> 40) % INODES;
    for (size_t tries = 0; tries < INODES; tries++, place = (place + 1) % INODES) {
        if (inodes[place].object == 0) {
            inodes[place].device = status->st_dev;
            inodes[place].inode = status->st_ino;
            return &inodes[place].object;
        }
        if (inodes[place].inode == status->st_ino && inodes[place].device == status->st_dev) {
            return &inodes[place].object;
        }
    }
    die("too many files");
    return NULL;
}

uint32_t journal_object(const struct stat *status) {
    return *slot(status);
}

uint32_t journal_new_object(const struct stat *status) {
    return *slot(status) = ++last_object;
}

uint32_t journal_descriptor(int descriptor) {
    if (!active || descriptor < 0 || descriptor >= DESCRIPTORS) return 0;
    return __atomic_load_n(&objects[descriptor], __ATOMIC_RELAXED);
}

void journal_set_descriptor(int descriptor, uint32_t object, int synchronous) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS) return;
    __atomic_store_n(&objects[descriptor], object, __ATOMIC_RELAXED);
    synchronous_descriptors[descriptor] = (uint8_t)(synchronous != 0);
}

int journal_is_synchronous(int descriptor) {
    return synchronous_descriptors[descriptor];
}
