#ifndef FOGBASE_CTLS_H
#define FOGBASE_CTLS_H

// TLS by libssl, over descriptors that this process owns. libssl is configured by macros and callbacks, which Swift does
// not import, so all of it is behind these functions. This header includes only headers of the compiler, for the reason
// that CLinux.h gives.

#include <stddef.h>
#include <stdint.h>

/// What all sessions of one side share: its certificate and key, and the permitted versions and ciphers. Threads may
/// share it.
typedef struct fogbase_tls_context fogbase_tls_context;

/// One connection. One thread at a time uses it.
typedef struct fogbase_tls_session fogbase_tls_session;

enum fogbase_tls_problem {
    FOGBASE_TLS_NO_PROBLEM,
    /// The text has no certificate in PEM.
    FOGBASE_TLS_NO_CERTIFICATE,
    /// A certificate of the text is damaged.
    FOGBASE_TLS_BAD_CERTIFICATE,
    /// The text has no private key in PEM.
    FOGBASE_TLS_NO_KEY,
    /// The private key is protected by a passphrase.
    FOGBASE_TLS_ENCRYPTED_KEY,
    /// The private key is damaged.
    FOGBASE_TLS_BAD_KEY,
    /// The private key belongs to another certificate than the first one.
    FOGBASE_TLS_OTHER_KEY,
    /// libssl rejects them, for example because the key is too short.
    FOGBASE_TLS_REJECTED,
    /// Memory is exhausted, or libssl is damaged.
    FOGBASE_TLS_UNAVAILABLE,
};

/// When the server's certificate is valid, in seconds since 1970.
struct fogbase_tls_validity {
    int64_t begin;
    int64_t end;
};

/// Creates the context of a server from PEM texts: its certificate, followed by those of the issuers, and its private
/// key. Returns NULL with `problem`, and for FOGBASE_TLS_REJECTED with libssl's own `reason`, a static text.
fogbase_tls_context *fogbase_tls_server(
    const void *certificates, size_t certificates_count, const void *key, size_t key_count,
    struct fogbase_tls_validity *validity, enum fogbase_tls_problem *problem, const char **reason);

/// Creates the context of a client that accepts every certificate. Returns NULL if memory is exhausted.
fogbase_tls_context *fogbase_tls_client(void);

/// Releases a context. Its sessions keep what they need.
void fogbase_tls_context_free(fogbase_tls_context *context);

/// Creates the session of a connected descriptor, which the session does not own. Returns NULL if memory is exhausted.
fogbase_tls_session *fogbase_tls_open(fogbase_tls_context *context, int descriptor, int is_server);

/// Releases a session. The descriptor must still be open or never be used again.
void fogbase_tls_free(fogbase_tls_session *session);

/// Results of the functions below.
enum {
    FOGBASE_TLS_WANTS_READ = -1,
    FOGBASE_TLS_WANTS_WRITE = -2,
    FOGBASE_TLS_FAILED = -3,
};

/// What a session knows about the input of its descriptor.
struct fogbase_tls_input {
    /// In: whether `recv` may be called. Out: whether there may be more to read, in the kernel or in the session.
    int may_read;
    /// Whether a `recv` that fills less than its buffer has emptied the kernel's queue. Not so for a blocking descriptor,
    /// and after the end of the stream has been signaled.
    int ends_short;
};

/// Continues the handshake. Returns 1 when it is complete.
long fogbase_tls_handshake(fogbase_tls_session *session, struct fogbase_tls_input *input);

/// Reads decrypted bytes. Returns their number, or 0 at the end of the stream.
long fogbase_tls_read(fogbase_tls_session *session, void *buffer, size_t count, struct fogbase_tls_input *input);

/// Encrypts and writes bytes. Returns how many were written. After FOGBASE_TLS_WANTS_WRITE, and after fewer than `count`
/// bytes, the next call must begin with the same remaining bytes and have at least as many.
///
/// With `more_follows`, the last packet waits for the bytes of the next call.
long fogbase_tls_write(fogbase_tls_session *session, const void *bytes, size_t count, int more_follows);

/// Tells the peer that no more bytes follow, if it can be written without waiting. Does nothing before the end of the
/// handshake and after a failure.
void fogbase_tls_finish(fogbase_tls_session *session);

/// Whether the session continues an earlier one of the client, without a signature.
int fogbase_tls_was_resumed(const fogbase_tls_session *session);

#endif
