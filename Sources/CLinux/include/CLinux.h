#ifndef FOGBASE_CLINUX_H
#define FOGBASE_CLINUX_H

// System calls and constants that Swift cannot import: they need _GNU_SOURCE, are missing from Glibc's module map, are
// variadic or are macros.
//
// This header includes only headers of the compiler. If it included a system header, a type such as sockaddr_storage
// would belong to this module or to Glibc, depending on which is imported first.

#include <stddef.h>
#include <stdint.h>

/// Returns freed memory, which the allocator keeps for reuse, to the system.
void fogbase_trim_memory(void);

/// Sets how much freed memory the allocator keeps for reuse: at most `trim_threshold` bytes at the end of each heap,
/// and no block above `map_threshold` bytes. The threads share at most `heaps` heaps.
void fogbase_keep_memory(int trim_threshold, int map_threshold, int heaps);

/// Names the calling thread, as top and perf show it (at most 15 bytes).
void fogbase_set_thread_name(const char *name);

/// Adds `more` to the nice value of the calling thread only. On Linux, nice values belong to threads (setpriority(2),
/// "C library/kernel differences").
void fogbase_add_thread_niceness(int more);

/// struct epoll_event with its data as a 64-bit integer. The .c file asserts that the layouts are the same.
struct fogbase_event {
    uint32_t events;
    uint64_t data;
}
#if defined(__x86_64__)
__attribute__((packed))
#endif
;

enum {
    FOGBASE_READABLE = 0x1,
    FOGBASE_WRITABLE = 0x4,
    FOGBASE_ERROR = 0x8,
    FOGBASE_HUNG_UP = 0x10,
    FOGBASE_READ_HUNG_UP = 0x2000,
};

/// Calls epoll_wait. Returns the number of events, or -1 with errno.
int fogbase_epoll_wait(int epoll, struct fogbase_event *events, int capacity, int milliseconds);

/// Creates an epoll instance with close-on-exec. Returns -1 with errno on failure.
int fogbase_epoll_create(void);
/// Adds a descriptor with an event mask and user data. Returns 0, or -1 with errno.
int fogbase_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data);
/// Changes the event mask and user data of a descriptor. Returns 0, or -1 with errno.
int fogbase_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t data);
/// Removes a descriptor. Returns 0, or -1 with errno.
int fogbase_epoll_remove(int epoll, int descriptor);

/// Returns a number for the inode and the birth time of a file: a copy of the file has another one. File systems without
/// birth times give the inode alone. Returns 0 with errno on failure.
int64_t fogbase_file_identity(const char *path);

/// Creates a non-blocking eventfd with close-on-exec. Returns -1 with errno on failure.
int fogbase_eventfd(void);

/// Calls accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC. `address` points to a struct sockaddr_storage, `length` to a
/// socklen_t.
int fogbase_accept(int listener, void *address, uint32_t *length);
/// Creates a socket with SOCK_STREAM, SOCK_NONBLOCK and SOCK_CLOEXEC.
int fogbase_stream_socket(int family);

/// Returns the process at the other end of a connected Unix socket: the one that called listen or connect. Returns 0 if
/// it is unknown, for example in another container.
int fogbase_peer_process(int socket);

/// Returns 0 if reading the byte at `offset` would wait for the disk. Returns 1 if the byte is in the page cache, or if
/// the system cannot tell.
int fogbase_is_cached(int descriptor, int64_t offset);

/// Returns the number of processors that this process can run on; at least 1.
int fogbase_cpu_count(void);

/// Returns EPOLLIN | EPOLLRDHUP | EPOLLET, with EPOLLOUT if `writes`. Swift cannot import the macros' type.
uint32_t fogbase_stream_events(int writes);
/// Returns EPOLLIN | EPOLLEXCLUSIVE (level triggered).
uint32_t fogbase_listener_events(void);

/// Calls sync_file_range: starts writing a range of a file to the disk, and waits for it if `waits`. It makes nothing
/// durable; it leaves less work for the later fsync.
int fogbase_flush_range(int descriptor, int64_t offset, int64_t count, int waits);

/// A program to start in a child process, with its resource limits. See fogbase_start_program.
struct fogbase_program {
    /// The absolute path of the executable.
    const char *path;
    /// argv and envp, each terminated by a null pointer.
    char *const *arguments;
    char *const *environment;
    /// The working directory.
    const char *directory;
    /// The descriptors for standard input and standard output. Standard error is /dev/null; all others are closed.
    int input;
    int output;
    /// RLIMIT_CPU in seconds: SIGXCPU at the limit, SIGKILL one second later.
    uint64_t cpu_seconds;
    /// RLIMIT_AS and RLIMIT_FSIZE in bytes.
    uint64_t memory_bytes;
    uint64_t file_bytes;
    /// RLIMIT_NOFILE.
    uint64_t descriptors;
    /// The nice value of the process.
    int niceness;
};

/// Starts a program as the leader of its own process group, with no_new_privs, without core dumps, and with all signals
/// unblocked and at their default. The kernel kills it when the calling thread ends.
///
/// The calling thread waits until the program runs. vfork makes the cost independent of the memory size of this
/// process.
///
/// Returns 0 and the process ID, which the caller must reap; or the errno of the call that failed, with no process
/// left.
int fogbase_start_program(const struct fogbase_program *program, int *process);

/// Waits until a child has ended, without reaping it. Returns 1 if it has ended, 0 after the timeout, -1 if there is no
/// such child. A negative timeout waits without limit.
int fogbase_await_program(int process, int milliseconds);

/// Reaps a child that has ended. Returns its exit code, 256 plus the signal that killed it, or -1 if there is no such
/// child.
int fogbase_reap_program(int process);

/// Creates a file in memory with close-on-exec. Returns -1 with errno on failure.
int fogbase_memory_file(const char *name);

#endif
