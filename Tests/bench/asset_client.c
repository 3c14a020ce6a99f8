/* The client of asset scenarios, cheap enough to leave the processor to the server: an upload is sendfile from one
   file, a download is thrown away in the kernel.

   asset_client upload PORT CONNECTIONS SECONDS REQUESTS BYTES PATH TOKEN FILE
       posts BYTES of FILE to PATH, each time with other first bytes, so that no content is known to the server.
   asset_client download PORT CONNECTIONS SECONDS REQUESTS BYTES PATH
       gets PATH, whose content must have BYTES.

   Begins no request after SECONDS and none after REQUESTS of them; 0 is no bound. Each connection is kept alive and has
   a thread. Prints one line of JSON, and below it the last answer that was not as wished, else the last upload's. */
#include "bare.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 1024, MOST_TIMES = 1 << 20, PREFIX = 32, MOST_HEAD = 64 << 10 };

static int is_upload, port, source = -1;
static long long bytes, source_bytes;
static long requests;
static double seconds, began;
static const char *path, *token;
static atomic_long begun, done, errors;
static uint64_t run_number;
static double times[MOST_TIMES];
static char last_answer[MOST_HEAD], wrong_answer[MOST_HEAD];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int open_connection(void) {
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct timeval patience = {.tv_sec = 120};
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) fail("connect: %s", strerror(errno));
    return connection;
}

static int send_all(int connection, const char *data, size_t count, int flags) {
    while (count > 0) {
        ssize_t sent = send(connection, data, count, flags | MSG_NOSIGNAL);
        if (sent <= 0) return 0;
        data += sent, count -= (size_t)sent;
    }
    return 1;
}

/* The request; whether all of it was sent. A server that refuses may answer and close before its end. */
static int send_request(int connection, long number) {
    char head[4096];
    if (!is_upload) {
        int count = snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", path);
        return send_all(connection, head, (size_t)count, 0);
    }
    int count = snprintf(head, sizeof head,
                         "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"
                         "Content-Type: application/octet-stream\r\nContent-Length: %lld\r\n\r\n",
                         path, token, bytes);
    count += snprintf(head + count, sizeof head - (size_t)count, "%016llx%016lx", (unsigned long long)run_number,
                      (unsigned long)number);
    if (!send_all(connection, head, (size_t)count, MSG_MORE)) return 0;
    off_t offset = (off_t)(number * bytes % (source_bytes - bytes + 1)) + PREFIX;
    for (long long left = bytes - PREFIX; left > 0;) {
        ssize_t sent = sendfile(connection, source, &offset, (size_t)left);
        if (sent <= 0) return 0;
        left -= sent;
    }
    return 1;
}

/* The value of a field, or NULL; `head` ends with an empty line. */
static const char *field(const char *head, const char *name) {
    size_t length = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line && line[2]; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, name, length) == 0 && line[2 + length] == ':') return line + 3 + length;
    return NULL;
}

static void keep(char *answer, const char *head, const char *body, long long count) {
    pthread_mutex_lock(&lock);
    if (answer == wrong_answer) snprintf(answer, MOST_HEAD, "%.*s", (int)strcspn(head, "\r\n"), head);
    else answer[0] = 0;
    snprintf(answer + strlen(answer), MOST_HEAD - strlen(answer), "%s%.*s", answer[0] ? " " : "", (int)count, body);
    pthread_mutex_unlock(&lock);
}

/* Reads one answer; whether it was as wished. Then the connection can be used again. */
static int read_answer(int connection) {
    static __thread char head[MOST_HEAD + 1];
    size_t have = 0;
    char *end = NULL;
    while (!end) {
        /* Of a download only a little more than the head is copied. */
        size_t room = is_upload ? MOST_HEAD - have : 1024;
        if (have + room > MOST_HEAD) return 0;
        ssize_t got = recv(connection, head + have, room, 0);
        if (got <= 0) return 0;
        have += (size_t)got;
        head[have] = 0;
        end = strstr(head, "\r\n\r\n");
    }
    char *body = end + 4;
    long long in_body = (long long)(head + have - body);
    int status = atoi(head + strcspn(head, " "));
    end[2] = 0;
    const char *length_text = field(head, "content-length");
    long long length = length_text ? atoll(length_text) : -1;
    if (!is_upload && status == 200 && length == bytes) {
        for (long long left = length - in_body; left > 0;) {
            /* TCP throws so many bytes away: no page is touched. */
            ssize_t got = recv(connection, NULL, (size_t)(left < 1 << 20 ? left : 1 << 20), MSG_TRUNC | MSG_WAITALL);
            if (got <= 0) return 0;
            left -= got;
        }
        return 1;
    }
    while (in_body < length && have < MOST_HEAD) {
        ssize_t got = recv(connection, head + have, MOST_HEAD - have, 0);
        if (got <= 0) break;
        have += (size_t)got, in_body += got;
    }
    int is_good = is_upload && status == 201 && in_body == length;
    keep(is_good ? last_answer : wrong_answer, head, body, in_body);
    return is_good;
}

static void *use_connection(void *unused) {
    (void)unused;
    int connection = open_connection();
    for (;;) {
        long number = atomic_fetch_add(&begun, 1);
        if (requests > 0 && number >= requests) break;
        if (seconds > 0 && wall_seconds() - began >= seconds) break;
        double start = wall_seconds();
        int was_sent = send_request(connection, number);
        int is_good = read_answer(connection) && was_sent;
        if (is_good) {
            long which = atomic_fetch_add(&done, 1);
            if (which < MOST_TIMES) times[which] = wall_seconds() - start;
            continue;
        }
        close(connection);
        /* A server that refuses everything is not asked a million times. */
        if (atomic_fetch_add(&errors, 1) >= 20) return NULL;
        connection = open_connection();
    }
    close(connection);
    return NULL;
}

static int compare(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

int main(int argc, char **argv) {
    is_upload = argc == 10 && strcmp(argv[1], "upload") == 0;
    if (!is_upload && !(argc == 8 && strcmp(argv[1], "download") == 0))
        fail("use: asset_client upload PORT CONNECTIONS SECONDS REQUESTS BYTES PATH TOKEN FILE | "
             "download PORT CONNECTIONS SECONDS REQUESTS BYTES PATH");
    port = atoi(argv[2]);
    long connections = atol(argv[3]);
    seconds = atof(argv[4]), requests = atol(argv[5]), bytes = atoll(argv[6]), path = argv[7];
    if (connections < 1 || connections > MOST_CONNECTIONS) fail("1 to %d connections", MOST_CONNECTIONS);
    if (is_upload) {
        token = argv[8];
        source = open(argv[9], O_RDONLY | O_CLOEXEC);
        if (source < 0) fail("%s: %s", argv[9], strerror(errno));
        source_bytes = lseek(source, 0, SEEK_END);
        if (bytes < PREFIX || bytes > source_bytes) fail("%d to %lld bytes", PREFIX, source_bytes);
        if (getrandom(&run_number, sizeof run_number, 0) != sizeof run_number) fail("no random bytes");
    }
    signal(SIGPIPE, SIG_IGN);
    pthread_t threads[MOST_CONNECTIONS];
    began = wall_seconds();
    for (long i = 0; i < connections; i++)
        if (pthread_create(&threads[i], NULL, use_connection, NULL) != 0) fail("no thread");
    for (long i = 0; i < connections; i++) pthread_join(threads[i], NULL);
    double passed = wall_seconds() - began;
    long count = done, timed = count < MOST_TIMES ? count : MOST_TIMES;
    qsort(times, (size_t)timed, sizeof *times, compare);
    printf("{\"requests\":%ld,\"errors\":%ld,\"seconds\":%.6f,\"cpu_seconds\":%.6f", count, (long)errors, passed,
           cpu_seconds());
    if (timed > 0)
        printf(",\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f", times[timed / 2] * 1e3, times[timed * 99 / 100] * 1e3,
               times[timed - 1] * 1e3);
    printf("}\n%s\n", wrong_answer[0] ? wrong_answer : last_answer);
    return 0;
}
