#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The same system call numbers on every architecture. The C library's headers may be older than the kernel.
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static int limit(int resource, uint64_t soft, uint64_t hard) {
    struct rlimit value = { .rlim_cur = soft, .rlim_max = hard };
    // At most the hard limit of this process: only a privileged process can raise a limit.
    struct rlimit own;
    if (getrlimit(resource, &own) == 0) {
        if (value.rlim_max > own.rlim_max) value.rlim_max = own.rlim_max;
        if (value.rlim_cur > value.rlim_max) value.rlim_cur = value.rlim_max;
    }
    return setrlimit(resource, &value);
}

static void close_from(unsigned first) {
    if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
    // Fallback before Linux 5.9. The server opens its descriptors with close-on-exec, so this is a second line of
    // defense.
    struct rlimit files = { .rlim_cur = 1024 };
    getrlimit(RLIMIT_NOFILE, &files);
    unsigned end = files.rlim_cur < 65536 ? (unsigned)files.rlim_cur : 65536;
    for (unsigned descriptor = first; descriptor < end; descriptor++) close((int)descriptor);
}

/// Sets up the child between vfork and exec, and calls exec. It makes only system calls: the child shares the memory of
/// a process whose other threads keep running and may hold any lock.
///
/// Returns only after a failure: the errno of the call that failed.
static int become(const struct fogbase_program *program, int input, int output, pid_t parent) {
    if (setpgid(0, 0) != 0) return errno;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
    // If the parent has exited before the line above, the kernel sends no signal.
    if (getppid() != parent) return ESRCH;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;

    // exec resets caught signals, but ignored signals (SIGPIPE in a server) would stay ignored. Signals stay blocked
    // until all are reset, because a signal handler of the server must not run here. The calls fail for the two signals
    // that the C library reserves.
    struct sigaction usual = { .sa_handler = SIG_DFL };
    for (int number = 1; number < NSIG; number++) sigaction(number, &usual, NULL);

    umask(077);
    if (chdir(program->directory) != 0) return errno;
    if (dup2(input, 0) < 0 || dup2(output, 1) < 0) return errno;
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, 2) < 0) return errno;
    close_from(3);

    if (limit(RLIMIT_CORE, 0, 0) != 0) return errno;
    if (limit(RLIMIT_CPU, program->cpu_seconds, program->cpu_seconds + 1) != 0) return errno;
    if (limit(RLIMIT_AS, program->memory_bytes, program->memory_bytes) != 0) return errno;
    if (limit(RLIMIT_FSIZE, program->file_bytes, program->file_bytes) != 0) return errno;
    if (limit(RLIMIT_NOFILE, program->descriptors, program->descriptors) != 0) return errno;
    // Best effort: a container can deny it, and the program runs correctly at any priority.
    setpriority(PRIO_PROCESS, 0, program->niceness);

    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) return errno;
    execve(program->path, program->arguments, program->environment);
    return errno;
}

int fogbase_start_program(const struct fogbase_program *program, int *process) {
    // Numbers above 2: dup2 to the same number would do nothing, and the descriptor would keep close-on-exec.
    int input = fcntl(program->input, F_DUPFD_CLOEXEC, 3);
    if (input < 0) return errno;
    int output = fcntl(program->output, F_DUPFD_CLOEXEC, 3);
    if (output < 0) {
        int code = errno;
        close(input);
        return code;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid();
    // Shared memory: the child writes it.
    volatile int failure = 0;
    pid_t child = vfork();
    if (child == 0) {
        failure = become(program, input, output, parent);
        _exit(127);
    }
    int code = child < 0 ? errno : failure;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(input);
    close(output);
    if (child > 0 && code != 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    } else if (child > 0) {
        *process = child;
    }
    return code;
}

/// Returns 1 if the child has ended, 0 if it runs, -1 if there is no such child. Does not reap it.
static int has_ended(int process, int options) {
    siginfo_t info = { .si_pid = 0 };
    int code;
    do {
        code = waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT | options);
    } while (code < 0 && errno == EINTR);
    return code < 0 ? -1 : info.si_pid == process;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int fogbase_await_program(int process, int milliseconds) {
    if (milliseconds < 0) return has_ended(process, 0);
    int64_t end = now() + milliseconds;
    struct pollfd wait = { .fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN };
    int ended;
    while (1) {
        ended = has_ended(process, WNOHANG);
        int64_t left = end - now();
        if (ended != 0 || left <= 0) break;
        // Without a pidfd (before Linux 5.3, or denied by a sandbox) check every 5 ms. poll ignores negative
        // descriptors.
        poll(&wait, 1, (int)(wait.fd < 0 && left > 5 ? 5 : left));
    }
    if (wait.fd >= 0) close(wait.fd);
    return ended;
}

int fogbase_reap_program(int process) {
    int status;
    pid_t code;
    do {
        code = waitpid(process, &status, 0);
    } while (code < 0 && errno == EINTR);
    if (code < 0) return -1;
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

int fogbase_memory_file(const char *name) {
    return memfd_create(name, MFD_CLOEXEC);
}
