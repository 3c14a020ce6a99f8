#ifndef FOGBASE_CCRYPTO_SHIM_H
#define FOGBASE_CCRYPTO_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <stdint.h>

// An OSSL_PARAM keeps the pointers to its name and value. Swift would hand over temporaries that are gone when the
// list is read, so the lists are made here. Each function returns 1 on success, 0 on failure.

/// A pointer that is never NULL: OpenSSL takes NULL for "not given", which differs from "empty".
static inline void *fogbase_present(const void *bytes) {
    return bytes ? (void *)bytes : (void *)"";
}

/// A context with the key set up, ready to be duplicated for each message; NULL on failure.
static inline EVP_MAC_CTX *fogbase_hmac_sha256_keyed(EVP_MAC *mac, const void *key, size_t key_count) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
    if (context && !EVP_MAC_init(context, (const unsigned char *)fogbase_present(key), key_count, parameters)) {
        EVP_MAC_CTX_free(context);
        context = NULL;
    }
    return context;
}

/// RFC 5869, extract and expand.
static inline int fogbase_hkdf_sha256(
    EVP_KDF *kdf, const void *key, size_t key_count, const void *salt, size_t salt_count, const void *info,
    size_t info_count, unsigned char *output, size_t output_count) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, fogbase_present(key), key_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, fogbase_present(salt), salt_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, fogbase_present(info), info_count),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
    int done = context && EVP_KDF_derive(context, output, output_count, parameters) > 0;
    EVP_KDF_CTX_free(context);
    return done;
}

/// RFC 9106, version 0x13. The parameter names are spelled out, since headers before 3.2 do not have them.
static inline int fogbase_argon2id(
    EVP_KDF *kdf, const void *password, size_t password_count, const void *salt, size_t salt_count,
    uint32_t memory_kib, uint32_t passes, uint32_t lanes, unsigned char *output, size_t output_count) {
    uint32_t threads = 1;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string("pass", fogbase_present(password), password_count),
        OSSL_PARAM_construct_octet_string("salt", fogbase_present(salt), salt_count),
        OSSL_PARAM_construct_uint32("memcost", &memory_kib),
        OSSL_PARAM_construct_uint32("iter", &passes),
        OSSL_PARAM_construct_uint32("lanes", &lanes),
        OSSL_PARAM_construct_uint32("threads", &threads),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
    int done = context && EVP_KDF_derive(context, output, output_count, parameters) > 0;
    EVP_KDF_CTX_free(context);
    return done;
}

#endif
