#define _GNU_SOURCE
#include "CTLS.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// A context is an SSL_CTX.
static SSL_CTX *inner(fogbase_tls_context *context) {
    return (SSL_CTX *)context;
}

struct fogbase_tls_session {
    SSL *ssl;
    int descriptor;
    struct fogbase_tls_input input;
    /// Whether the last `input` callback had nothing to read.
    int is_starved;
    /// Whether the peer has closed the connection.
    int has_ended;
    int has_failed;
    /// Whether `send` is called with MSG_MORE.
    int more_follows;
    /// How many records without data have arrived since the last one with data.
    int barren_records;
};

/// How many records without data, such as key updates, a peer may send in a row. Each costs as much as a request.
static const int max_barren_records = 32;

static const size_t max_record_bytes = 16384;

// MARK: - The descriptor

// libssl's own BIO for sockets would call `recv` until it returns EAGAIN: once more for each request.

static int read_descriptor(BIO *bio, char *buffer, int count) {
    fogbase_tls_session *session = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    while (session->input.may_read) {
        ssize_t received = recv(session->descriptor, buffer, (size_t)count, 0);
        if (received > 0) {
            if (received < count && session->input.ends_short) session->input.may_read = 0;
            return (int)received;
        }
        if (received == 0) {
            session->has_ended = 1;
            return 0;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return -1;
        session->input.may_read = 0;
    }
    session->is_starved = 1;
    BIO_set_retry_read(bio);
    return -1;
}

static int write_descriptor(BIO *bio, const char *bytes, int count) {
    fogbase_tls_session *session = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    int flags = MSG_NOSIGNAL | (session->more_follows ? MSG_MORE : 0);
    for (;;) {
        ssize_t sent = send(session->descriptor, bytes, (size_t)count, flags);
        if (sent >= 0) return (int)sent;
        if (errno == EINTR) continue;
        if (errno == EAGAIN) BIO_set_retry_write(bio);
        return -1;
    }
}

static long control_descriptor(BIO *bio, int command, long number, void *pointer) {
    (void)number, (void)pointer;
    switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_EOF: return ((fogbase_tls_session *)BIO_get_data(bio))->has_ended;
    default: return 0;
    }
}

static BIO_METHOD *descriptor_methods;
static CRYPTO_ONCE descriptor_methods_once = CRYPTO_ONCE_STATIC_INIT;

static void make_descriptor_methods(void) {
    descriptor_methods = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "fogbase descriptor");
    if (!descriptor_methods) return;
    BIO_meth_set_read(descriptor_methods, read_descriptor);
    BIO_meth_set_write(descriptor_methods, write_descriptor);
    BIO_meth_set_ctrl(descriptor_methods, control_descriptor);
}

// MARK: - Contexts

/// Chooses http/1.1 (RFC 7301). A client that offers only other protocols gets the alert no_application_protocol.
static int choose_protocol(
    SSL *ssl, const unsigned char **chosen, unsigned char *chosen_count, const unsigned char *offered,
    unsigned int offered_count, void *argument) {
    (void)ssl, (void)argument;
    static const unsigned char ours[] = "\x08http/1.1";
    int result = SSL_select_next_proto(
        (unsigned char **)chosen, chosen_count, ours, sizeof ours - 1, offered, offered_count);
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Mozilla's "intermediate" configuration 5.7, without DHE: its handshakes cost the server several times as much.
static int set_up(SSL_CTX *context) {
    // Records without data return to the caller, which counts them.
    SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
    SSL_CTX_set_mode(
        context,
        SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS
            // The chain is what the file has. libssl would look for issuers in each handshake.
            | SSL_MODE_NO_AUTO_CHAIN);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // One `recv` for a record instead of one for its head and one for the rest.
    SSL_CTX_set_read_ahead(context, 1);
    // Sessions are in the clients' tickets, so they take no memory here. The key of the tickets is the context's own.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    // libssl before 3.5 does not know the first group.
    int groups = SSL_CTX_set1_groups_list(context, "X25519MLKEM768:X25519:P-256:P-384") == 1
        || SSL_CTX_set1_groups_list(context, "X25519:P-256:P-384") == 1;
    ERR_clear_error();
    return groups && SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
        && SSL_CTX_set_cipher_list(
            context,
            "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
            "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305") == 1;
}

/// Notes that a passphrase is required, and has none.
static int no_passphrase(char *buffer, int size, int is_writing, void *was_asked) {
    (void)buffer, (void)size, (void)is_writing;
    *(int *)was_asked = 1;
    return -1;
}

static enum fogbase_tls_problem read_key(const void *text, size_t count, EVP_PKEY **key) {
    // libssl has no error of its own for a text without a key.
    static const char mark[] = "PRIVATE KEY-----";
    if (!memmem(text, count, mark, sizeof mark - 1)) return FOGBASE_TLS_NO_KEY;
    BIO *bio = BIO_new_mem_buf(text, (int)count);
    if (!bio) return FOGBASE_TLS_UNAVAILABLE;
    int was_asked = 0;
    *key = PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, &was_asked);
    BIO_free(bio);
    if (*key) return FOGBASE_TLS_NO_PROBLEM;
    return was_asked ? FOGBASE_TLS_ENCRYPTED_KEY : FOGBASE_TLS_BAD_KEY;
}

static int64_t seconds(const ASN1_TIME *time) {
    struct tm parts;
    return ASN1_TIME_to_tm(time, &parts) ? (int64_t)timegm(&parts) : 0;
}

/// Adds the first certificate of a text as the server's own, which must belong to `key`, and the others as issuers.
static enum fogbase_tls_problem use_certificates(
    SSL_CTX *context, const void *text, size_t count, EVP_PKEY *key, struct fogbase_tls_validity *validity) {
    BIO *bio = BIO_new_mem_buf(text, (int)count);
    if (!bio) return FOGBASE_TLS_UNAVAILABLE;
    enum fogbase_tls_problem problem = FOGBASE_TLS_NO_PROBLEM;
    int certificates = 0;
    while (!problem) {
        X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
        if (!certificate) {
            unsigned long error = ERR_peek_last_error();
            int is_end = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
            if (!is_end) problem = FOGBASE_TLS_BAD_CERTIFICATE;
            break;
        }
        certificates++;
        if (certificates > 1) {
            // The context owns an issuer that it takes.
            if (SSL_CTX_add0_chain_cert(context, certificate) == 1) continue;
            problem = FOGBASE_TLS_REJECTED;
        } else if (X509_check_private_key(certificate, key) != 1) {
            problem = FOGBASE_TLS_OTHER_KEY;
        } else if (SSL_CTX_use_certificate(context, certificate) != 1 || SSL_CTX_use_PrivateKey(context, key) != 1) {
            problem = FOGBASE_TLS_REJECTED;
        } else {
            validity->begin = seconds(X509_get0_notBefore(certificate));
            validity->end = seconds(X509_get0_notAfter(certificate));
        }
        X509_free(certificate);
    }
    BIO_free(bio);
    return problem || certificates > 0 ? problem : FOGBASE_TLS_NO_CERTIFICATE;
}

fogbase_tls_context *fogbase_tls_server(
    const void *certificates, size_t certificates_count, const void *key, size_t key_count,
    struct fogbase_tls_validity *validity, enum fogbase_tls_problem *problem, const char **reason) {
    ERR_clear_error();
    *reason = NULL;
    *problem = FOGBASE_TLS_UNAVAILABLE;
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context || !set_up(context)) {
        SSL_CTX_free(context);
        return NULL;
    }
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    EVP_PKEY *private_key = NULL;
    *problem = read_key(key, key_count, &private_key);
    if (!*problem) {
        ERR_clear_error();
        *problem = use_certificates(context, certificates, certificates_count, private_key, validity);
    }
    EVP_PKEY_free(private_key);
    if (*problem) {
        if (*problem == FOGBASE_TLS_REJECTED) *reason = ERR_reason_error_string(ERR_peek_last_error());
        SSL_CTX_free(context);
        context = NULL;
    }
    ERR_clear_error();
    return (fogbase_tls_context *)context;
}

fogbase_tls_context *fogbase_tls_client(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    static const unsigned char protocols[] = "\x08http/1.1";
    if (context && set_up(context) && SSL_CTX_set_alpn_protos(context, protocols, sizeof protocols - 1) == 0) {
        SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
        return (fogbase_tls_context *)context;
    }
    SSL_CTX_free(context);
    return NULL;
}

void fogbase_tls_context_free(fogbase_tls_context *context) {
    SSL_CTX_free(inner(context));
}

// MARK: - Sessions

fogbase_tls_session *fogbase_tls_open(fogbase_tls_context *context, int descriptor, int is_server) {
    if (!CRYPTO_THREAD_run_once(&descriptor_methods_once, make_descriptor_methods) || !descriptor_methods) return NULL;
    fogbase_tls_session *session = calloc(1, sizeof *session);
    SSL *ssl = SSL_new(inner(context));
    BIO *bio = BIO_new(descriptor_methods);
    if (!session || !ssl || !bio) {
        free(session);
        SSL_free(ssl);
        BIO_free(bio);
        return NULL;
    }
    session->ssl = ssl;
    session->descriptor = descriptor;
    BIO_set_data(bio, session);
    BIO_set_init(bio, 1);
    // The SSL owns the one reference of a BIO that reads and writes.
    SSL_set_bio(ssl, bio, bio);
    if (is_server) SSL_set_accept_state(ssl); else SSL_set_connect_state(ssl);
    return session;
}

void fogbase_tls_free(fogbase_tls_session *session) {
    if (!session) return;
    SSL_free(session->ssl);
    free(session);
}

/// Before a call of libssl that reads. libssl tells its failures by the thread's queue of errors, which must be empty.
static void begin(fogbase_tls_session *session, const struct fogbase_tls_input *input) {
    ERR_clear_error();
    session->input = *input;
    session->is_starved = 0;
}

/// Translates the result of a call that was not successful.
static long result(fogbase_tls_session *session, int code) {
    switch (SSL_get_error(session->ssl, code)) {
    case SSL_ERROR_WANT_READ: return FOGBASE_TLS_WANTS_READ;
    case SSL_ERROR_WANT_WRITE: return FOGBASE_TLS_WANTS_WRITE;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default:
        session->has_failed = 1;
        ERR_clear_error();
        return FOGBASE_TLS_FAILED;
    }
}

long fogbase_tls_handshake(fogbase_tls_session *session, struct fogbase_tls_input *input) {
    if (session->has_failed) return FOGBASE_TLS_FAILED;
    begin(session, input);
    int code = SSL_do_handshake(session->ssl);
    input->may_read = session->input.may_read;
    if (code != 1) return code == 0 ? (session->has_failed = 1, FOGBASE_TLS_FAILED) : result(session, code);
    // The first request may have arrived with the end of the handshake.
    if (SSL_has_pending(session->ssl)) input->may_read = 1;
    return 1;
}

long fogbase_tls_read(fogbase_tls_session *session, void *buffer, size_t count, struct fogbase_tls_input *input) {
    if (session->has_failed) return FOGBASE_TLS_FAILED;
    begin(session, input);
    int room = count > INT_MAX ? INT_MAX : (int)count;
    for (;;) {
        int read = SSL_read(session->ssl, buffer, room);
        if (read > 0) {
            session->barren_records = 0;
            input->may_read = session->input.may_read || SSL_has_pending(session->ssl);
            return read;
        }
        long outcome = result(session, read);
        if (outcome != FOGBASE_TLS_WANTS_READ || session->is_starved) {
            input->may_read = session->input.may_read;
            // A peer that closes without an alert ends its stream too: HTTP says where its messages end.
            return outcome == FOGBASE_TLS_FAILED && session->has_ended ? 0 : outcome;
        }
        if (++session->barren_records > max_barren_records) {
            session->has_failed = 1;
            return FOGBASE_TLS_FAILED;
        }
    }
}

long fogbase_tls_write(fogbase_tls_session *session, const void *bytes, size_t count, int more_follows) {
    if (session->has_failed) return FOGBASE_TLS_FAILED;
    ERR_clear_error();
    size_t written = 0;
    while (written < count) {
        size_t left = count - written;
        session->more_follows = more_follows || left > max_record_bytes;
        // One record at a time (SSL_MODE_ENABLE_PARTIAL_WRITE).
        int code = SSL_write(session->ssl, (const char *)bytes + written, left > INT_MAX ? INT_MAX : (int)left);
        if (code > 0) {
            written += (size_t)code;
            continue;
        }
        if (result(session, code) == FOGBASE_TLS_WANTS_WRITE) return written > 0 ? (long)written : FOGBASE_TLS_WANTS_WRITE;
        session->has_failed = 1;
        return FOGBASE_TLS_FAILED;
    }
    return (long)written;
}

void fogbase_tls_finish(fogbase_tls_session *session) {
    SSL *ssl = session->ssl;
    // A second call would read, to wait for the peer's alert.
    if (session->has_failed || !SSL_is_init_finished(ssl) || SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN) return;
    ERR_clear_error();
    session->more_follows = 0;
    SSL_shutdown(ssl);
    ERR_clear_error();
}

int fogbase_tls_was_resumed(const fogbase_tls_session *session) {
    return SSL_session_reused(session->ssl);
}
