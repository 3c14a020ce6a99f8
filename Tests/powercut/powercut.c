// An LD_PRELOAD library that writes down what a process does to the files below POWERCUT_DIRECTORY (the journal is
// POWERCUT_LOG), so that the state of a disk after a power cut at any moment can be built from it: see survivors.py.
//
//     cc -shared -fPIC -O2 -o powercut.so powercut.c journal.c faults.c
//
// POWERCUT_SYNC=N answers syncs after about N microseconds, some after ten times as many, without troubling the disk:
// what hides behind even times comes out. Nothing is ever really lost here.
// POWERCUT_SLOW=TEXT makes the syncs of files and directories whose path ends with TEXT fifty times as long.
// POWERCUT_FORGET=TEXT tells lies about files whose path ends with TEXT: their syncs succeed and make nothing durable.
// So one sees whether a test would notice.
// POWERCUT_FAULTS names a file through which syncs and writes are made to fail: see faults.h.

#define _GNU_SOURCE
#include "faults.h"
#include "journal.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name)                                                        \
    ({                                                                    \
        static __typeof__(&name) real;                                    \
        if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);     \
        real;                                                             \
    })
#define EXPORT __attribute__((visibility("default")))

static void blind(const char *what) {
    journal_lock();
    journal_append(BLIND, 0, 0, 0, what, "", NULL, 0, 0);
    journal_unlock();
}

// Opening

static int open_file(int at, const char *path, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    const char *inside = journal_path(at, path, buffer);
    if (!inside) return REAL(openat)(at, path, flags, mode);
    journal_lock();
    struct stat status;
    int nameless = (flags & O_TMPFILE) == O_TMPFILE;
    int is_new = nameless || ((flags & O_CREAT) && fstatat(at, path, &status, 0) != 0);
    int descriptor = REAL(openat)(at, path, flags, mode);
    if (descriptor >= 0 && fstat(descriptor, &status) == 0) {
        uint32_t object = journal_object(&status);
        if (is_new) {
            object = journal_new_object(&status);
            journal_append(CREATED, object, 0, 0, nameless ? "" : inside, "", NULL, 0, 0);
        } else if (object == 0) {
            object = journal_new_object(&status);
            journal_append(NAMED, object, 0, 0, inside, "", NULL, 0, 0);
        }
        if (!is_new && (flags & O_TRUNC)) journal_append(SIZED, object, 0, 0, "", "", NULL, 0, 0);
        journal_set_descriptor(descriptor, object, flags & (O_SYNC | O_DSYNC));
    }
    journal_unlock();
    return descriptor;
}

static mode_t mode_argument(int flags, va_list arguments) {
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(arguments, int) : 0;
}

EXPORT int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_argument(flags, arguments);
    va_end(arguments);
    return open_file(AT_FDCWD, path, flags, mode);
}

EXPORT int openat(int at, const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_argument(flags, arguments);
    va_end(arguments);
    return open_file(at, path, flags, mode);
}

EXPORT int creat(const char *path, mode_t mode) {
    return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

EXPORT int __open_2(const char *path, int flags) {
    return open_file(AT_FDCWD, path, flags, 0);
}

EXPORT int __openat_2(int at, const char *path, int flags) {
    return open_file(at, path, flags, 0);
}

/// The writes of a stdio stream never leave libc, so they cannot be seen.
static FILE *open_stream(FILE *(*real)(const char *, const char *), const char *path, const char *mode) {
    char buffer[PATH_MAX];
    if (strpbrk(mode, "wa+") && journal_path(AT_FDCWD, path, buffer)) blind("fopen");
    return real(path, mode);
}

EXPORT FILE *fopen(const char *path, const char *mode) {
    return open_stream(REAL(fopen), path, mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode) {
    return open_stream(REAL(fopen64), path, mode);
}

// Descriptors

EXPORT int close(int descriptor) {
    if (journal_descriptor(descriptor)) {
        // Before the call: afterwards another thread may own the number.
        journal_lock();
        journal_set_descriptor(descriptor, 0, 0);
        journal_unlock();
    }
    return REAL(close)(descriptor);
}

static int copied(int from, int to) {
    if (to >= 0 && from != to && (journal_descriptor(from) || journal_descriptor(to))) {
        journal_lock();
        uint32_t object = journal_descriptor(from);
        journal_set_descriptor(to, object, object && journal_is_synchronous(from));
        journal_unlock();
    }
    return to;
}

EXPORT DIR *opendir(const char *path) {
    char buffer[PATH_MAX];
    const char *inside = journal_path(AT_FDCWD, path, buffer);
    DIR *stream = REAL(opendir)(path);
    struct stat status;
    if (!inside || !stream || fstat(dirfd(stream), &status) != 0) return stream;
    journal_lock();
    if (!journal_object(&status)) {
        journal_append(NAMED, journal_new_object(&status), 0, 0, inside, "", NULL, 0, 0);
    }
    journal_set_descriptor(dirfd(stream), journal_object(&status), 0);
    journal_unlock();
    return stream;
}

EXPORT int closedir(DIR *stream) {
    journal_lock();
    journal_set_descriptor(dirfd(stream), 0, 0);
    journal_unlock();
    return REAL(closedir)(stream);
}

EXPORT int dup(int descriptor) {
    return copied(descriptor, REAL(dup)(descriptor));
}

EXPORT int dup2(int from, int to) {
    return copied(from, REAL(dup2)(from, to));
}

EXPORT int dup3(int from, int to, int flags) {
    return copied(from, REAL(dup3)(from, to, flags));
}

EXPORT int fcntl(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    int result = REAL(fcntl)(descriptor, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(descriptor, result) : result;
}

// Data

static void append_sync(uint32_t object) {
    uint64_t begun = journal_append(SYNCING, object, 0, 0, "", "", NULL, 0, 0);
    journal_append(SYNCED, object, begun, 0, "", "", NULL, 0, 0);
}

static void written(int descriptor, uint32_t object, off_t offset, const struct iovec *parts, int count, ssize_t bytes,
                    int synchronous) {
    if (bytes <= 0) return;
    if (offset < 0) offset = lseek(descriptor, 0, SEEK_CUR) - bytes;
    journal_append(WRITTEN, object, (uint64_t)offset, 0, "", "", parts, count, (size_t)bytes);
    if (synchronous || journal_is_synchronous(descriptor)) append_sync(object);
}

#define WATCHED(descriptor, call, offset, parts, count, synchronous)                          \
    uint32_t object = journal_descriptor(descriptor);                                         \
    if (!object) return call;                                                                 \
    if (faults_write(descriptor)) return -1;                                                  \
    journal_lock();                                                                           \
    ssize_t bytes = call;                                                                     \
    written(descriptor, object, offset, parts, count, bytes, synchronous);                    \
    journal_unlock();                                                                         \
    return bytes

EXPORT ssize_t write(int descriptor, const void *data, size_t length) {
    struct iovec part = {(void *)data, length};
    WATCHED(descriptor, REAL(write)(descriptor, data, length), -1, &part, 1, 0);
}

EXPORT ssize_t pwrite(int descriptor, const void *data, size_t length, off_t offset) {
    struct iovec part = {(void *)data, length};
    WATCHED(descriptor, REAL(pwrite)(descriptor, data, length, offset), offset, &part, 1, 0);
}

EXPORT ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    WATCHED(descriptor, REAL(writev)(descriptor, parts, count), -1, parts, count, 0);
}

EXPORT ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    WATCHED(descriptor, REAL(pwritev)(descriptor, parts, count, offset), offset, parts, count, 0);
}

EXPORT ssize_t pwritev2(int descriptor, const struct iovec *parts, int count, off_t offset, int flags) {
    WATCHED(descriptor, REAL(pwritev2)(descriptor, parts, count, offset, flags), offset, parts, count,
            flags & (RWF_SYNC | RWF_DSYNC));
}

/// What the kernel copied into a file, read back; the descriptor itself may be for writing only.
static void append_copy(int descriptor, uint32_t object, off_t offset, ssize_t bytes) {
    if (bytes <= 0) return;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    int reader = (int)syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC, 0);
    char *data = malloc((size_t)bytes);
    if (reader < 0 || !data || pread(reader, data, (size_t)bytes, offset) != bytes) {
        journal_append(BLIND, object, 0, 0, "a copy that cannot be read back", "", NULL, 0, 0);
    } else {
        struct iovec part = {data, (size_t)bytes};
        written(descriptor, object, offset, &part, 1, bytes, 0);
    }
    free(data);
    if (reader >= 0) syscall(SYS_close, reader);
}

EXPORT ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned flags) {
    uint32_t object = journal_descriptor(to);
    if (!object) return REAL(copy_file_range)(from, from_offset, to, to_offset, length, flags);
    journal_lock();
    off_t offset = to_offset ? *to_offset : lseek(to, 0, SEEK_CUR);
    ssize_t bytes = REAL(copy_file_range)(from, from_offset, to, to_offset, length, flags);
    append_copy(to, object, offset, bytes);
    journal_unlock();
    return bytes;
}

EXPORT ssize_t splice(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned flags) {
    uint32_t object = journal_descriptor(to);
    // With the lock held, waiting for a pipe could wait for ever.
    if (object) flags |= SPLICE_F_NONBLOCK, journal_lock();
    off_t offset = !object ? 0 : to_offset ? *to_offset : lseek(to, 0, SEEK_CUR);
    ssize_t bytes = REAL(splice)(from, from_offset, to, to_offset, length, flags);
    if (object) append_copy(to, object, offset, bytes), journal_unlock();
    return bytes;
}

EXPORT ssize_t sendfile(int to, int from, off_t *from_offset, size_t length) {
    uint32_t object = journal_descriptor(to);
    if (!object) return REAL(sendfile)(to, from, from_offset, length);
    journal_lock();
    off_t offset = lseek(to, 0, SEEK_CUR);
    ssize_t bytes = REAL(sendfile)(to, from, from_offset, length);
    append_copy(to, object, offset, bytes);
    journal_unlock();
    return bytes;
}

// Sizes

EXPORT int ftruncate(int descriptor, off_t size) {
    uint32_t object = journal_descriptor(descriptor);
    if (!object) return REAL(ftruncate)(descriptor, size);
    journal_lock();
    int result = REAL(ftruncate)(descriptor, size);
    if (result == 0) journal_append(SIZED, object, (uint64_t)size, 0, "", "", NULL, 0, 0);
    journal_unlock();
    return result;
}

EXPORT int truncate(const char *path, off_t size) {
    char buffer[PATH_MAX];
    if (!journal_path(AT_FDCWD, path, buffer)) return REAL(truncate)(path, size);
    int descriptor = open_file(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    int result = ftruncate(descriptor, size);
    close(descriptor);
    return result;
}

EXPORT int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    uint32_t object = journal_descriptor(descriptor);
    if (!object) return REAL(fallocate)(descriptor, mode, offset, length);
    if (faults_write(descriptor)) return -1;
    journal_lock();
    int result = REAL(fallocate)(descriptor, mode, offset, length);
    if (result == 0) {
        int zeroes = mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE);
        if (mode & ~(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) {
            journal_append(BLIND, object, 0, 0, "fallocate of an unknown mode", "", NULL, 0, 0);
        }
        if (!(mode & FALLOC_FL_KEEP_SIZE)) {
            journal_append(ALLOCATED, object, (uint64_t)offset, (uint64_t)length, "", "", NULL, 0, 0);
        }
        if (zeroes) journal_append(ZEROED, object, (uint64_t)offset, (uint64_t)length, "", "", NULL, 0, 0);
    }
    journal_unlock();
    return result;
}

EXPORT int posix_fallocate(int descriptor, off_t offset, off_t length) {
    if (!journal_descriptor(descriptor)) return REAL(posix_fallocate)(descriptor, offset, length);
    int saved = errno;
    int result = fallocate(descriptor, 0, offset, length) == 0 ? 0 : errno;
    errno = saved;
    return result;
}

// Syncs

/// Whether the path of an open file ends with the text of an environment variable.
static int is_named_by(const char *variable, int descriptor) {
    const char *suffix = getenv(variable);
    if (!suffix || !*suffix) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    size_t end = strlen(suffix);
    return length >= (ssize_t)end && strcmp(path + length - end, suffix) == 0;
}

static int sync_object(int descriptor, uint32_t object, int (*real)(int)) {
    static long pause = -2;
    if (pause == -2) pause = getenv("POWERCUT_SYNC") ? atol(getenv("POWERCUT_SYNC")) : -1;
    if (is_named_by("POWERCUT_FORGET", descriptor)) return 0;
    journal_lock();
    uint64_t begun = journal_append(SYNCING, object, 0, 0, "", "", NULL, 0, 0);
    journal_unlock();
    int result = 0;
    if (pause > 0) {
        uint64_t chance = (begun + 1) * 0x9E3779B97F4A7C15u >> 40;
        long time = chance % 8 == 0 ? 10 * pause : pause * (long)(chance % 200) / 100;
        usleep((useconds_t)(is_named_by("POWERCUT_SLOW", descriptor) ? 50 * pause : time));
    }
    int is_lost = faults_sync(descriptor);
    if (is_lost) result = faults_are_told() ? -1 : 0;
    else if (pause < 0) result = real(descriptor);
    int saved = errno;
    if (is_lost || result == 0) {
        journal_lock();
        journal_append(is_lost ? FAILED : SYNCED, object, begun, 0, "", "", NULL, 0, 0);
        journal_unlock();
    }
    errno = saved;
    return result;
}

EXPORT int fsync(int descriptor) {
    uint32_t object = journal_descriptor(descriptor);
    return object ? sync_object(descriptor, object, REAL(fsync)) : REAL(fsync)(descriptor);
}

EXPORT int fdatasync(int descriptor) {
    uint32_t object = journal_descriptor(descriptor);
    return object ? sync_object(descriptor, object, REAL(fdatasync)) : REAL(fdatasync)(descriptor);
}

EXPORT int syncfs(int descriptor) {
    return journal_descriptor(descriptor) ? sync_object(descriptor, 0, REAL(syncfs)) : REAL(syncfs)(descriptor);
}

/// Starts writing and promises nothing. But a caller that waits gets the error of pages that could not be written, and
/// the next sync does not: the system reports it once.
EXPORT int sync_file_range(int descriptor, off64_t offset, off64_t count, unsigned flags) {
    uint32_t object = flags & SYNC_FILE_RANGE_WAIT_AFTER ? journal_descriptor(descriptor) : 0;
    if (!object || !faults_sync(descriptor)) return REAL(sync_file_range)(descriptor, offset, count, flags);
    int saved = errno;
    journal_lock();
    uint64_t begun = journal_append(SYNCING, object, 0, 0, "", "", NULL, 0, 0);
    journal_append(FAILED, object, begun, 0, "", "", NULL, 0, 0);
    journal_unlock();
    errno = saved;
    return faults_are_told() ? -1 : 0;
}

static int sync_everything(int unused) {
    (void)unused;
    REAL(sync)();
    return 0;
}

EXPORT void sync(void) {
    if (journal_active()) sync_object(-1, 0, sync_everything);
    else REAL(sync)();
}

// Names

EXPORT int mkdirat(int at, const char *path, mode_t mode) {
    char buffer[PATH_MAX];
    const char *inside = journal_path(at, path, buffer);
    if (!inside) return REAL(mkdirat)(at, path, mode);
    journal_lock();
    int result = REAL(mkdirat)(at, path, mode);
    struct stat status;
    if (result == 0 && fstatat(at, path, &status, 0) == 0) {
        journal_append(DIRECTORY, journal_new_object(&status), 0, 0, inside, "", NULL, 0, 0);
    }
    journal_unlock();
    return result;
}

EXPORT int mkdir(const char *path, mode_t mode) {
    return mkdirat(AT_FDCWD, path, mode);
}

EXPORT int unlinkat(int at, const char *path, int flags) {
    char buffer[PATH_MAX];
    const char *inside = journal_path(at, path, buffer);
    if (!inside) return REAL(unlinkat)(at, path, flags);
    journal_lock();
    int result = REAL(unlinkat)(at, path, flags);
    if (result == 0) journal_append(flags & AT_REMOVEDIR ? RMDIR : UNLINKED, 0, 0, 0, inside, "", NULL, 0, 0);
    journal_unlock();
    return result;
}

EXPORT int unlink(const char *path) {
    return unlinkat(AT_FDCWD, path, 0);
}

EXPORT int rmdir(const char *path) {
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

EXPORT int remove(const char *path) {
    return unlink(path) == 0 || (errno == EISDIR && rmdir(path) == 0) ? 0 : -1;
}

EXPORT int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
    char first[PATH_MAX], second[PATH_MAX];
    const char *inside = journal_path(from_at, from, first), *target = journal_path(to_at, to, second);
    if (!inside && !target) return REAL(renameat2)(from_at, from, to_at, to, flags);
    if (!inside || !target) blind("a rename into or out of the directory");
    if (flags & ~RENAME_NOREPLACE) blind("renameat2 with flags");
    journal_lock();
    int result = REAL(renameat2)(from_at, from, to_at, to, flags);
    if (result == 0) journal_append(RENAMED, 0, 0, 0, inside ? inside : "", target ? target : "", NULL, 0, 0);
    journal_unlock();
    return result;
}

EXPORT int renameat(int from_at, const char *from, int to_at, const char *to) {
    return renameat2(from_at, from, to_at, to, 0);
}

EXPORT int rename(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORT int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    char second[PATH_MAX];
    const char *target = journal_path(to_at, to, second);
    if (!target) return REAL(linkat)(from_at, from, to_at, to, flags);
    journal_lock();
    int result = REAL(linkat)(from_at, from, to_at, to, flags);
    struct stat status;
    if (result == 0 && fstatat(to_at, to, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        uint32_t object = journal_object(&status);
        if (object) {
            journal_append(LINKED, object, 0, 0, "", target, NULL, 0, 0);
        } else {
            journal_append(BLIND, 0, 0, 0, "a link to a file that was never opened", "", NULL, 0, 0);
        }
    }
    journal_unlock();
    return result;
}

EXPORT int link(const char *from, const char *to) {
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

// What is not followed, and is written down so that a run with it is not trusted

EXPORT int symlinkat(const char *to, int at, const char *path) {
    char buffer[PATH_MAX];
    if (journal_path(at, path, buffer)) blind("symlink");
    return REAL(symlinkat)(to, at, path);
}

EXPORT int symlink(const char *to, const char *path) {
    return symlinkat(to, AT_FDCWD, path);
}

EXPORT void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    uint32_t object = flags & MAP_ANONYMOUS ? 0 : journal_descriptor(descriptor);
    if (object && (flags & MAP_SHARED) && (protection & PROT_WRITE)) {
        journal_lock();
        journal_append(MAPPED, object, (uint64_t)offset, length, "", "", NULL, 0, 0);
        journal_unlock();
    }
    return REAL(mmap)(address, length, protection, flags, descriptor, offset);
}

EXPORT long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    switch (number) {
    case SYS_io_uring_setup: blind("io_uring"); break;
    case SYS_write: case SYS_pwrite64: case SYS_writev: case SYS_pwritev: case SYS_pwritev2: case SYS_ftruncate:
        if (journal_descriptor((int)a)) blind("a raw system call");
        break;
    default: break;
    }
    return REAL(syscall)(number, a, b, c, d, e, f);
}

// The names that programs built with 64-bit offsets import. On 64-bit systems they are the same functions.

#define SAME(name, other) __attribute__((visibility("default"), alias(#other)))
SAME(open64, open) int open64(const char *, int, ...);
SAME(openat64, openat) int openat64(int, const char *, int, ...);
SAME(creat64, creat) int creat64(const char *, mode_t);
SAME(__open64_2, __open_2) int __open64_2(const char *, int);
SAME(__openat64_2, __openat_2) int __openat64_2(int, const char *, int);
SAME(fcntl64, fcntl) int fcntl64(int, int, ...);
SAME(pwrite64, pwrite) ssize_t pwrite64(int, const void *, size_t, off64_t);
SAME(pwritev64, pwritev) ssize_t pwritev64(int, const struct iovec *, int, off64_t);
SAME(pwritev64v2, pwritev2) ssize_t pwritev64v2(int, const struct iovec *, int, off64_t, int);
SAME(sendfile64, sendfile) ssize_t sendfile64(int, int, off64_t *, size_t);
SAME(ftruncate64, ftruncate) int ftruncate64(int, off64_t);
SAME(truncate64, truncate) int truncate64(const char *, off64_t);
SAME(fallocate64, fallocate) int fallocate64(int, int, off64_t, off64_t);
SAME(posix_fallocate64, posix_fallocate) int posix_fallocate64(int, off64_t, off64_t);
SAME(mmap64, mmap) void *mmap64(void *, size_t, int, int, int, off64_t);
