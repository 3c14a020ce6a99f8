// Preloaded into the server: it pauses where SQLite gives back the write lock of the log, when a commit is in the file
// for all to see and the server has not yet said so to its readers. What takes microseconds then takes long enough to
// be met.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

enum { WRITE_LOCK = 120 };  // WAL_WRITE_LOCK, the first of the locks in the -shm file (sqlite.org/walformat.html)

typedef int Call(int, int, ...);

static int paused(const char *name, int file, int command, void *argument) {
    const struct flock *lock = argument;
    if (command == F_SETLK && lock != NULL && lock->l_type == F_UNLCK && lock->l_start == WRITE_LOCK) usleep(20000);
    return ((Call *)dlsym(RTLD_NEXT, name))(file, command, argument);
}

int fcntl(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return paused("fcntl", file, command, argument);
}

int fcntl64(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return paused("fcntl64", file, command, argument);
}
