/* The attacker: thousands of connections from several addresses, driven by one thread. See `attacker --help`. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "responses.h"
#include "messages.h"

static const char *const HELP =
    "attacker [FLAGS] PORT MESSAGES\n"
    "  --connections N   open at once (64)\n"
    "  --sources S       from the addresses 127.0.1.1 … 127.0.1.S (1)\n"
    "  --open-rate R     connections opened per second at most (0: at once)\n"
    "  --seconds T       how long (5)\n"
    "  --step B          bytes that are sent at once (0: all that the socket takes)\n"
    "  --pause MS        between two steps (0)\n"
    "  --after X         when a message is sent: wait, close, reset, half (close for writing), again (the next one as\n"
    "                    soon as fewer than --window are unanswered), endless (send the last message for ever)\n"
    "  --window K        for again (1)\n"
    "  --read X          all, none, drip (a byte a second), deaf (none, and sends on whatever the server says) (all)\n"
    "  --once            a connection that has ended is not replaced\n"
    "  --sink            against nothing: a process of its own that accepts, throws away and says 200 to each piece\n";

enum after { WAIT, CLOSE, RESET, HALF, AGAIN, ENDLESS };
enum read_mode { READ_ALL, READ_NONE, READ_DRIP, READ_DEAF };

struct options {
    int port, connections, sources, open_rate, window;
    double seconds, pause;
    size_t step;
    enum after after;
    enum read_mode read;
    bool once, sink;
} options = {.connections = 64, .sources = 1, .window = 1, .seconds = 5};

struct connection {
    int descriptor; /* -1: none */
    uint32_t interest;
    bool connected, done, half;
    bool needs_message; /* the next in turn, once it may send again */
    size_t message, offset;
    int outstanding;
    int status; /* of the last response */
    long answered;
    double opened, next_write, next_read, retry;
    struct responses responses;
};

static struct messages messages;
static bool *tried; /* of each message, whether a byte of it was sent */
static struct connection *connections;
static int poller, endless_message;
static double clock_now, allowed_opens;
static size_t turn;

static struct {
    long opened, refused, responses, responses_by_status[1000], ends_by_status[1000], most_responses;
    long closed, reset, ours, unanswered;
    unsigned long long sent, received;
    double *lifetimes;
    size_t lifetime_count, lifetime_room;
} totals;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void watch(struct connection *self, uint32_t interest) {
    if (self->interest == interest) return;
    struct epoll_event event = {.events = interest, .data.ptr = self};
    epoll_ctl(poller, EPOLL_CTL_MOD, self->descriptor, &event);
    self->interest = interest;
}

static void open_one(struct connection *self, size_t number) {
    int one = 1, small = 4096;
    memset(self, 0, sizeof *self);
    self->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (self->descriptor < 0) fail("socket");
    if (options.read != READ_ALL) setsockopt(self->descriptor, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    setsockopt(self->descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(self->descriptor, SOL_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    struct sockaddr_in own = {.sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(0x7F000101u + (uint32_t)(number % (size_t)options.sources))};
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options.port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(self->descriptor, (struct sockaddr *)&own, sizeof own) != 0) fail("bind");
    self->opened = clock_now;
    self->message = turn++ % messages.count;
    if (connect(self->descriptor, (struct sockaddr *)&peer, sizeof peer) != 0 && errno != EINPROGRESS) {
        totals.refused++;
        close(self->descriptor);
        self->descriptor = -1;
        self->retry = clock_now + 0.1;
        return;
    }
    totals.opened++;
    self->interest = EPOLLOUT | (options.read == READ_DEAF ? 0 : EPOLLRDHUP) | (options.read == READ_ALL ? EPOLLIN : 0);
    struct epoll_event event = {.events = self->interest, .data.ptr = self};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, self->descriptor, &event) != 0) fail("epoll_ctl");
}

enum end { BY_CLOSE, BY_RESET, BY_US };

static void end_one(struct connection *self, enum end how) {
    if (self->descriptor < 0) return;
    if (how == BY_US) {
        totals.ours++;
    } else {
        *(how == BY_CLOSE ? &totals.closed : &totals.reset) += 1;
        if (self->answered == 0) totals.unanswered++;
        totals.ends_by_status[self->status > 0 && self->status < 1000 ? self->status : 0]++;
        if (totals.lifetime_count == totals.lifetime_room) {
            totals.lifetime_room = totals.lifetime_room * 2 + 1024;
            totals.lifetimes = realloc(totals.lifetimes, totals.lifetime_room * sizeof(double));
            if (!totals.lifetimes) fail("realloc");
        }
        totals.lifetimes[totals.lifetime_count++] = now() - self->opened;
    }
    if (self->answered > totals.most_responses) totals.most_responses = self->answered;
    if (options.after == RESET && how == BY_US) {
        struct linger none = {1, 0};
        setsockopt(self->descriptor, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    }
    close(self->descriptor);
    self->descriptor = -1;
    self->retry = clock_now;
}

static void note_response(void *context, int status) {
    struct connection *self = context;
    totals.responses++;
    totals.responses_by_status[status > 0 && status < 1000 ? status : 0]++;
    self->status = status;
    if (status >= 200) {
        self->answered++;
        if (self->outstanding > 0) self->outstanding--;
    }
}

/* Reads what has come, at most `most` bytes; false once the connection has ended. */
static bool receive(struct connection *self, size_t most) {
    static char buffer[256 << 10];
    for (int piece = 0; piece < 4; piece++) {
        ssize_t count = recv(self->descriptor, buffer, most < sizeof buffer ? most : sizeof buffer, 0);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        if (count <= 0) {
            end_one(self, count == 0 ? BY_CLOSE : BY_RESET);
            return false;
        }
        totals.received += (unsigned long long)count;
        responses_take(&self->responses, buffer, (size_t)count, note_response, self);
        if (options.sink) self->outstanding = 0;
        if ((size_t)count < sizeof buffer) return true;
    }
    return true;
}

/* Decides what follows a whole message; false once the connection has ended. */
static bool message_sent(struct connection *self) {
    self->offset = 0;
    switch (options.after) {
    case CLOSE: case RESET:
        end_one(self, BY_US);
        return false;
    case HALF:
        shutdown(self->descriptor, SHUT_WR);
        self->done = self->half = true;
        break;
    case WAIT: self->done = true; break;
    case ENDLESS: self->message = (size_t)endless_message; break;
    case AGAIN:
        self->outstanding++;
        self->needs_message = true;
        break;
    }
    return true;
}

static bool may_send(const struct connection *self) {
    if (self->descriptor < 0 || self->done) return false;
    return options.after != AGAIN || self->offset > 0 || self->outstanding < options.window;
}

/* Sends what is due. */
static void transmit(struct connection *self) {
    size_t turn_left = 256 << 10;
    while (may_send(self) && turn_left > 0) {
        if (self->next_write > clock_now) {
            watch(self, self->interest & ~(uint32_t)EPOLLOUT);
            return;
        }
        if (self->needs_message) self->message = turn++ % messages.count;
        self->needs_message = false;
        const struct message *message = &messages.all[self->message];
        size_t count = message->length - self->offset;
        if (options.step && count > options.step) count = options.step;
        if (count > turn_left) count = turn_left;
        if (count > 0) {
            ssize_t sent = send(self->descriptor, message->bytes + self->offset, count, MSG_NOSIGNAL);
            if (sent < 0 && errno == EAGAIN) {
                watch(self, self->interest | EPOLLOUT);
                return;
            }
            if (sent < 0) {
                /* A response may still lie there; a stalled reader does not want to know it. */
                self->done = true;
                if (options.read != READ_ALL || receive(self, SIZE_MAX)) end_one(self, BY_RESET);
                return;
            }
            totals.sent += (unsigned long long)sent;
            tried[self->message] = true;
            self->offset += (size_t)sent;
            turn_left -= (size_t)sent;
            if (options.pause > 0) self->next_write = clock_now + options.pause;
        }
        if (self->offset == message->length && !message_sent(self)) return;
    }
    if (may_send(self)) watch(self, self->interest | EPOLLOUT);
    else if (self->descriptor >= 0) watch(self, self->interest & ~(uint32_t)EPOLLOUT);
}

static void handle(struct connection *self, uint32_t events) {
    if (self->descriptor < 0) return;
    if (!self->connected) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(self->descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error) {
            totals.refused++;
            totals.opened--;
            close(self->descriptor);
            self->descriptor = -1;
            self->retry = clock_now + 0.1;
            return;
        }
        self->connected = true;
    }
    if (events & EPOLLIN && options.read == READ_ALL && !receive(self, SIZE_MAX)) return;
    if (events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) {
        /* The server has said that it is over. Who reads reads to the end first. */
        if (options.read == READ_ALL && !(events & EPOLLERR)) {
            if (events & EPOLLIN) return;
            if (!receive(self, SIZE_MAX)) return;
        }
        if (events & EPOLLERR || options.read != READ_ALL) {
            end_one(self, events & EPOLLERR ? BY_RESET : BY_CLOSE);
            return;
        }
    }
    transmit(self);
}

/* What needs a clock: steps that are due, drips, connections to open. */
static void tick(double end) {
    for (int number = 0; number < options.connections; number++) {
        struct connection *self = &connections[number];
        if (self->descriptor < 0) {
            bool again = !options.once || self->opened == 0;
            if (again && clock_now < end && clock_now >= self->retry && (!options.open_rate || allowed_opens >= 1)) {
                allowed_opens -= 1;
                open_one(self, (size_t)number);
            }
            continue;
        }
        if (!self->connected) continue;
        if (options.read == READ_DRIP && clock_now >= self->next_read) {
            self->next_read = clock_now + 1;
            if (!receive(self, 1)) continue;
        }
        if (options.pause > 0 && clock_now >= self->next_write) transmit(self);
    }
}

static void run(void) {
    double begin = now(), end = begin + options.seconds, last = begin;
    static struct epoll_event events[1024];
    clock_now = begin;
    while (clock_now < end) {
        allowed_opens += (clock_now - last) * options.open_rate;
        if (allowed_opens > 256) allowed_opens = 256;
        last = clock_now;
        tick(end);
        int count = epoll_wait(poller, events, 1024, 5);
        clock_now = now();
        for (int index = 0; index < count; index++) handle(events[index].data.ptr, events[index].events);
    }
}

/* The server that is none. */
static void sink(int listener) {
    static const char OK[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    static char buffer[256 << 10];
    static struct epoll_event events[1024];
    int queue = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(queue, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int count = epoll_wait(queue, events, 1024, -1);
        for (int index = 0; index < count; index++) {
            int descriptor = events[index].data.fd;
            if (descriptor == listener) {
                int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
                if (accepted < 0) continue;
                event.data.fd = accepted;
                epoll_ctl(queue, EPOLL_CTL_ADD, accepted, &event);
            } else if (recv(descriptor, buffer, sizeof buffer, 0) <= 0
                       || send(descriptor, OK, sizeof OK - 1, MSG_NOSIGNAL) < 0) {
                close(descriptor);
            }
        }
    }
}

static pid_t start_sink(void) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof own;
    if (bind(listener, (struct sockaddr *)&own, size) != 0 || listen(listener, 4096) != 0) fail("listen");
    getsockname(listener, (struct sockaddr *)&own, &size);
    options.port = ntohs(own.sin_port);
    pid_t child = fork();
    if (child == 0) {
        sink(listener);
        _exit(0);
    }
    close(listener);
    return child;
}

static int compare(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

static void print_statuses(const char *name, const long *counts) {
    const char *comma = "";
    printf("\"%s\":{", name);
    for (int status = 0; status < 1000; status++) {
        if (!counts[status]) continue;
        printf("%s\"%d\":%ld", comma, status, counts[status]);
        comma = ",";
    }
    printf("},");
}

static void report(void) {
    long open = 0;
    double oldest = 0;
    for (int number = 0; number < options.connections; number++) {
        if (connections[number].descriptor < 0) continue;
        open++;
        double age = clock_now - connections[number].opened;
        if (age > oldest) oldest = age;
        if (connections[number].answered > totals.most_responses) totals.most_responses = connections[number].answered;
    }
    size_t untried = 0;
    for (size_t number = 0; number < messages.count; number++) untried += messages.all[number].length && !tried[number];
    qsort(totals.lifetimes, totals.lifetime_count, sizeof(double), compare);
    size_t count = totals.lifetime_count;
    printf("{");
    print_statuses("responses", totals.responses_by_status);
    print_statuses("ends", totals.ends_by_status);
    printf("\"opened\":%ld,\"refused\":%ld,\"closed\":%ld,\"reset\":%ld,\"ours\":%ld,\"unanswered\":%ld,\"open\":%ld,"
           "\"oldest\":%.3f,\"shortest\":%.3f,\"middle\":%.3f,\"longest\":%.3f,\"most_responses\":%ld,"
           "\"sent\":%llu,\"received\":%llu,\"untried\":%zu}\n",
           totals.opened, totals.refused, totals.closed, totals.reset, totals.ours, totals.unanswered, open, oldest,
           count ? totals.lifetimes[0] : 0, count ? totals.lifetimes[count / 2] : 0,
           count ? totals.lifetimes[count - 1] : 0, totals.most_responses, totals.sent, totals.received,
           untried);
}

static int choice(const char *text, const char *const *names) {
    for (int index = 0; names[index]; index++) {
        if (strcmp(text, names[index]) == 0) return index;
    }
    fprintf(stderr, "%s is no choice\n%s", text, HELP);
    exit(2);
}

static void read_options(int count, char **arguments) {
    static const struct option flags[] = {
        {"connections", 1, 0, 'c'}, {"sources", 1, 0, 's'}, {"open-rate", 1, 0, 'o'}, {"seconds", 1, 0, 't'},
        {"step", 1, 0, 'b'}, {"pause", 1, 0, 'p'}, {"after", 1, 0, 'a'}, {"window", 1, 0, 'w'}, {"read", 1, 0, 'r'},
        {"once", 0, 0, '1'}, {"sink", 0, 0, 'n'}, {0, 0, 0, 0}};
    static const char *const afters[] = {"wait", "close", "reset", "half", "again", "endless", NULL};
    static const char *const reads[] = {"all", "none", "drip", "deaf", NULL};
    int flag;
    while ((flag = getopt_long(count, arguments, "", flags, NULL)) != -1) {
        switch (flag) {
        case 'c': options.connections = atoi(optarg); break;
        case 's': options.sources = atoi(optarg); break;
        case 'o': options.open_rate = atoi(optarg); break;
        case 't': options.seconds = atof(optarg); break;
        case 'b': options.step = (size_t)atol(optarg); break;
        case 'p': options.pause = atof(optarg) / 1000; break;
        case 'a': options.after = (enum after)choice(optarg, afters); break;
        case 'w': options.window = atoi(optarg); break;
        case 'r': options.read = (enum read_mode)choice(optarg, reads); break;
        case '1': options.once = true; break;
        case 'n': options.sink = true; break;
        default: fputs(HELP, stderr); exit(2);
        }
    }
    if (count - optind != 2) {
        fputs(HELP, stderr);
        exit(2);
    }
    options.port = atoi(arguments[optind]);
    messages = read_messages(arguments[optind + 1]);
    endless_message = (int)messages.count - 1;
    if (options.after == ENDLESS && messages.count > 1) messages.count--;
}

int main(int count, char **arguments) {
    read_options(count, arguments);
    connections = calloc((size_t)options.connections, sizeof *connections);
    tried = calloc(messages.count + 1, sizeof *tried);
    if (!connections || !tried || messages.count == 0) fail("nothing to do");
    for (int number = 0; number < options.connections; number++) connections[number].descriptor = -1;
    pid_t child = options.sink ? start_sink() : 0;
    poller = epoll_create1(EPOLL_CLOEXEC);
    run();
    if (child) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    report();
    return 0;
}
