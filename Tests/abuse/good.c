/* The good client: sends its messages in turn at a steady rate and logs the outcome of each.
 *
 *     good PORT MESSAGES RATE LANES OUTPUT
 *
 * Each lane is a thread with one request at a time. Even lanes keep their connection; odd lanes open a new one for each
 * request. A request has a scheduled time, and its latency counts from there, so a request that waits for a slow
 * response is late too. Each line of OUTPUT is "seconds-on-the-monotonic-clock lane message microseconds outcome". The
 * outcome is ok or the error. It runs until it is killed. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "responses.h"
#include "messages.h"

enum { TIMEOUT_SECONDS = 10 };

static struct messages messages;
static int port;
static double interval;
static int lanes;
static double start;
static FILE *output;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void sleep_until(double when) {
    struct timespec time = {(time_t)when, (long)((when - (double)(time_t)when) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
}

static int open_connection(void) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    struct timeval limit = {TIMEOUT_SECONDS, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connect(descriptor, (struct sockaddr *)&peer, sizeof peer) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

static void note_status(void *context, int status) {
    *(int *)context = status;
}

/* One exchange; returns what went wrong, or NULL. */
static const char *exchange(int descriptor, const struct message *message, char *text, size_t size) {
    size_t sent = 0;
    while (sent < message->length) {
        ssize_t count = send(descriptor, message->bytes + sent, message->length - sent, MSG_NOSIGNAL);
        if (count < 0) return errno == EAGAIN ? "send-timeout" : "send-failed";
        sent += (size_t)count;
    }
    struct responses responses = {0};
    int status = 0;
    char buffer[65536];
    while (status == 0) {
        ssize_t count = recv(descriptor, buffer, sizeof buffer, 0);
        if (count == 0) return "closed";
        if (count < 0) return errno == EAGAIN ? "timeout" : errno == ECONNRESET ? "reset" : "receive-failed";
        responses_take(&responses, buffer, (size_t)count, note_status, &status);
    }
    if (status == message->status) return NULL;
    snprintf(text, size, "status-%d", status);
    return text;
}

static void *run_lane(void *argument) {
    size_t lane = (size_t)argument;
    bool fresh = lane % 2;
    int descriptor = -1;
    for (size_t turn = 0;; turn++) {
        double due = start + interval * ((double)turn + (double)lane / lanes);
        sleep_until(due);
        size_t chosen = (turn + lane / 2) % messages.count;
        char text[32];
        const char *problem = NULL;
        if (descriptor < 0) descriptor = open_connection();
        if (descriptor < 0) problem = "connect-failed";
        else problem = exchange(descriptor, &messages.all[chosen], text, sizeof text);
        double took = now() - due;
        fprintf(output, "%.6f %zu %zu %.0f %s\n", due, lane, chosen, took * 1e6, problem ? problem : "ok");
        if ((fresh || problem) && descriptor >= 0) {
            close(descriptor);
            descriptor = -1;
        }
    }
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 6) return 2;
    port = atoi(arguments[1]);
    messages = read_messages(arguments[2]);
    lanes = atoi(arguments[4]);
    interval = lanes / atof(arguments[3]);
    output = fopen(arguments[5], "w");
    if (!output || messages.count == 0) fail(arguments[5]);
    setvbuf(output, NULL, _IOLBF, 0);
    start = now() + 0.05;
    pthread_t thread;
    for (size_t lane = 1; lane < (size_t)lanes; lane++) {
        if (pthread_create(&thread, NULL, run_lane, (void *)lane) != 0) fail("pthread_create");
    }
    run_lane(0);
}
