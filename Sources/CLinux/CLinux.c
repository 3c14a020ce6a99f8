#define _GNU_SOURCE
#include "CLinux.h"

#include <pthread.h>

void fogbase_set_thread_name(const char *name) {
    pthread_setname_np(pthread_self(), name);
}
