#ifndef FOGBASE_CLINUX_H
#define FOGBASE_CLINUX_H

// What Swift's Glibc module hides behind _GNU_SOURCE or outside its module map, and calls that are variadic or macros.

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/// Names the calling thread as tools like top and perf show it (15 bytes at most).
void fogbase_set_thread_name(const char *name);

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
int fogbase_accept(int listener, struct sockaddr_storage *address, socklen_t *length);
/// socket() with SOCK_STREAM, SOCK_NONBLOCK and SOCK_CLOEXEC.
int fogbase_stream_socket(int family);

/// How many processors this process may run on; at least 1.
int fogbase_cpu_count(void);

/// EPOLLIN | EPOLLRDHUP | EPOLLET, and EPOLLOUT as well if `writes`; macros of a type that Swift does not take over.
uint32_t fogbase_stream_events(int writes);
/// EPOLLIN | EPOLLEXCLUSIVE, level triggered.
uint32_t fogbase_listener_events(void);

#endif
