/* The reference for uploads: bytes from a socket are hashed, written, synced and named by their hash, and nothing else:
   no event loop, no rights, no database.

   bare_upload DIRECTORY
       prints the port that it listens on, then serves until it is killed. A connection has a thread; a request is a
       head with a Content-Length and the content. */
#include "bare.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

/* The server's read size, and its bytes per start of writeback. */
enum { BUFFER = 256 << 10, FLUSH = 8 << 20 };

static int directory;
static atomic_long next_name;

static void put(EVP_MD_CTX *digest, int file, const char *data, size_t count) {
    EVP_DigestUpdate(digest, data, count);
    while (count > 0) {
        ssize_t written = write(file, data, count);
        if (written < 0) fail("write: %s", strerror(errno));
        data += written, count -= (size_t)written;
    }
}

static void finish(EVP_MD_CTX *digest, int file, const char *name) {
    unsigned char hash[32];
    char final[80];
    EVP_DigestFinal_ex(digest, hash, NULL);
    for (int i = 0; i < 32; i++) snprintf(final + 2 * i, 3, "%02x", hash[i]);
    if (fsync(file) != 0 || renameat(directory, name, directory, final) != 0 || fsync(directory) != 0)
        fail("%s: %s", name, strerror(errno));
    close(file);
}

/* Takes one request; whether there was one. */
static int serve_one(int connection, char *buffer, EVP_MD_CTX *digest) {
    size_t have = 0;
    char *end = NULL;
    while (!end) {
        if (have == BUFFER) return 0;
        ssize_t got = recv(connection, buffer + have, BUFFER - have, 0);
        if (got <= 0) return 0;
        end = memmem(buffer, have + (size_t)got, "\r\n\r\n", 4);
        have += (size_t)got;
    }
    *end = 0;
    const char *length = strstr(buffer, "Content-Length: ");
    if (!length) return 0;
    long long left = atoll(length + 16), unflushed = 0, flushed = 0;
    char name[32];
    snprintf(name, sizeof name, "part-%ld", atomic_fetch_add(&next_name, 1));
    int file = openat(directory, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0) fail("%s: %s", name, strerror(errno));
    EVP_DigestInit_ex(digest, EVP_sha256(), NULL);
    size_t count = have - (size_t)(end + 4 - buffer);
    const char *data = end + 4;
    for (;;) {
        put(digest, file, data, count);
        left -= (long long)count, unflushed += (long long)count;
        if (unflushed >= FLUSH) {
            sync_file_range(file, flushed, unflushed, SYNC_FILE_RANGE_WRITE);
            flushed += unflushed, unflushed = 0;
        }
        if (left <= 0) break;
        ssize_t got = recv(connection, buffer, left < BUFFER ? (size_t)left : BUFFER, 0);
        if (got <= 0) return 0;
        data = buffer, count = (size_t)got;
    }
    finish(digest, file, name);
    static const char answer[] = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}";
    return send(connection, answer, sizeof answer - 1, MSG_NOSIGNAL) > 0;
}

static void *serve(void *which) {
    int connection = (int)(intptr_t)which, on = 1;
    char *buffer = malloc(BUFFER);
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    if (!buffer || !digest) fail("no memory");
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    while (serve_one(connection, buffer, digest)) continue;
    EVP_MD_CTX_free(digest);
    free(buffer);
    close(connection);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 2) fail("use: bare_upload DIRECTORY");
    directory = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) fail("%s: %s", argv[1], strerror(errno));
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 128) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        fail("listen: %s", strerror(errno));
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        pthread_t thread;
        if (connection < 0) continue;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection) != 0) fail("no thread");
        pthread_detach(thread);
    }
}
