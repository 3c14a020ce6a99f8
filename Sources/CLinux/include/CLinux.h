#ifndef FOGBASE_CLINUX_H
#define FOGBASE_CLINUX_H

// What Swift's Glibc module hides behind _GNU_SOURCE or outside its module map.

#include <stdint.h>

/// Names the calling thread as tools like top and perf show it (15 bytes at most).
void fogbase_set_thread_name(const char *name);

#endif
