#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(struct fogbase_event) == sizeof(struct epoll_event), "epoll_event has another size");
_Static_assert(offsetof(struct fogbase_event, data) == offsetof(struct epoll_event, data), "and another layout");
_Static_assert(FOGBASE_READABLE == EPOLLIN && FOGBASE_WRITABLE == EPOLLOUT && FOGBASE_ERROR == EPOLLERR, "epoll");
_Static_assert(FOGBASE_HUNG_UP == EPOLLHUP && FOGBASE_READ_HUNG_UP == EPOLLRDHUP, "epoll");

void fogbase_trim_memory(void) {
    malloc_trim(0);
}

void fogbase_keep_memory(int trim_threshold, int map_threshold, int heaps) {
    mallopt(M_ARENA_MAX, heaps);
    mallopt(M_TRIM_THRESHOLD, trim_threshold);
    mallopt(M_MMAP_THRESHOLD, map_threshold);
}

void fogbase_set_thread_name(const char *name) {
    pthread_setname_np(pthread_self(), name);
}

void fogbase_add_thread_niceness(int more) {
    id_t thread = (id_t)syscall(SYS_gettid);
    setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + more);
}

int fogbase_epoll_wait(int epoll, struct fogbase_event *events, int capacity, int milliseconds) {
    return epoll_wait(epoll, (struct epoll_event *)events, capacity, milliseconds);
}

int fogbase_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int fogbase_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t data) {
    struct epoll_event event = { .events = events, .data = { .u64 = data } };
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int fogbase_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t data) {
    struct epoll_event event = { .events = events, .data = { .u64 = data } };
    return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}

int fogbase_epoll_remove(int epoll, int descriptor) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

int fogbase_eventfd(void) {
    return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

int fogbase_accept(int listener, void *address, uint32_t *length) {
    return accept4(listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int fogbase_peer_process(int socket) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer.pid : 0;
}

int fogbase_stream_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

uint32_t fogbase_stream_events(int writes) {
    return EPOLLIN | EPOLLRDHUP | EPOLLET | (writes ? EPOLLOUT : 0);
}

uint32_t fogbase_listener_events(void) {
    return EPOLLIN | EPOLLEXCLUSIVE;
}

int fogbase_is_cached(int descriptor, int64_t offset) {
    char byte;
    struct iovec vector = { &byte, 1 };
    return preadv2(descriptor, &vector, 1, offset, RWF_NOWAIT) >= 0 || errno != EAGAIN;
}

int fogbase_cpu_count(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? count : 1;
}

int fogbase_flush_range(int descriptor, int64_t offset, int64_t count, int waits) {
    unsigned int flags = SYNC_FILE_RANGE_WRITE;
    if (waits) flags |= SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WAIT_AFTER;
    return sync_file_range(descriptor, offset, count, flags);
}

int64_t fogbase_file_identity(const char *path) {
    struct statx status;
    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &status) != 0 || !(status.stx_mask & STATX_INO)) return 0;
    uint64_t identity = status.stx_ino * 0x9E3779B97F4A7C15u;
    if (status.stx_mask & STATX_BTIME) {
        identity ^= ((uint64_t)status.stx_btime.tv_sec * 1000000000u + status.stx_btime.tv_nsec) * 0xC2B2AE3D27D4EB4Fu;
    }
    return identity == 0 ? 1 : (int64_t)identity;
}
