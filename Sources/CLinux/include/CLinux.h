#ifndef FOGBASE_CLINUX_H
#define FOGBASE_CLINUX_H

// What Swift's Glibc module hides behind _GNU_SOURCE or outside its module map, and calls that are variadic or macros.
// No header of the system's beyond the compiler's own: a type such as sockaddr_storage would then belong to this module
// or to Glibc, depending on which is loaded first.

#include <stddef.h>
#include <stdint.h>

/// Gives memory that was freed, and is kept for later, back to the system.
void fogbase_trim_memory(void);

/// Fixes what the allocator keeps for later when it is freed: up to `trim_threshold` bytes at the end of each of its
/// heaps, and no piece above `map_threshold` bytes. Threads share `heaps` of them (one each for the first threads).
void fogbase_keep_memory(int trim_threshold, int map_threshold, int heaps);

/// Names the calling thread as tools like top and perf show it (15 bytes at most).
void fogbase_set_thread_name(const char *name);

/// Makes the calling thread, and only it, nicer to others than the process is: nice values are a thread's own on Linux
/// (setpriority(2), "C library/kernel differences").
void fogbase_add_thread_niceness(int more);

/// struct epoll_event with its data as a word; the same layout, which the .c file asserts.
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

/// epoll_wait; the number of events, or -1 with errno.
int fogbase_epoll_wait(int epoll, struct fogbase_event *events, int capacity, int milliseconds);

/// A new epoll instance, closed on exec; -1 with errno on failure.
int fogbase_epoll_create(void);
/// Adds a descriptor with the given event mask and word of user data; 0, or -1 with errno.
int fogbase_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data);
/// Changes what is waited for; 0, or -1 with errno.
int fogbase_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t data);
/// Stops waiting for a descriptor; 0, or -1 with errno.
int fogbase_epoll_remove(int epoll, int descriptor);

/// A new non-blocking event counter, closed on exec; -1 with errno on failure.
int fogbase_eventfd(void);

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC.
/// `address` is a struct sockaddr_storage, `length` a socklen_t.
int fogbase_accept(int listener, void *address, uint32_t *length);
/// socket() with SOCK_STREAM, SOCK_NONBLOCK and SOCK_CLOEXEC.
int fogbase_stream_socket(int family);

/// Whether the byte of a file at `offset` can be read without waiting for a disk: 1 or 0, and 1 where nobody can tell.
int fogbase_is_cached(int descriptor, int64_t offset);

/// How many processors this process may run on; at least 1.
int fogbase_cpu_count(void);

/// EPOLLIN | EPOLLRDHUP | EPOLLET, and EPOLLOUT as well if `writes`; macros of a type that Swift does not take over.
uint32_t fogbase_stream_events(int writes);
/// EPOLLIN | EPOLLEXCLUSIVE, level triggered.
uint32_t fogbase_listener_events(void);

/// sync_file_range: starts writing a part of a file to the disk, and waits for it if `waits`. Makes nothing durable; it only
/// leaves less for the sync that does.
int fogbase_flush_range(int descriptor, int64_t offset, int64_t count, int waits);

/// A program to be started in a process of its own, and the bounds that it gets; see fogbase_start_program.
struct fogbase_program {
    /// The file, by an absolute path.
    const char *path;
    /// argv and envp, each with a null pointer at its end.
    char *const *arguments;
    char *const *environment;
    /// The working directory.
    const char *folder;
    /// What becomes standard input and standard output. Standard error is /dev/null, all else is closed.
    int input;
    int output;
    /// RLIMIT_CPU in seconds (SIGXCPU; SIGKILL one second later).
    uint64_t cpu_seconds;
    /// RLIMIT_AS, RLIMIT_FSIZE in bytes.
    uint64_t memory_bytes;
    uint64_t file_bytes;
    /// RLIMIT_NOFILE.
    uint64_t descriptors;
    int niceness;
};

/// Starts a program as the leader of a process group of its own, without privileges to gain, without core dumps, with no
/// signal blocked or ignored; it is killed when the calling thread ends. The calling thread waits until the program runs;
/// the memory of this process is not copied (vfork), whatever its size.
///
/// 0 and the process identifier, which the caller must reap; or the errno of what failed, and no process.
int fogbase_start_program(const struct fogbase_program *program, int *process);

/// Waits until a child has ended, which stays to be reaped; 1, or 0 once the time is over, or -1 if there is no such child.
/// Negative milliseconds: without end.
int fogbase_await_program(int process, int milliseconds);

/// Reaps a child that has ended: its exit code, or 256 and more: 256 plus the signal that killed it; -1 if there is none.
int fogbase_reap_program(int process);

/// A file in memory, closed on exec; -1 with errno on failure.
int fogbase_memory_file(const char *name);

#endif
