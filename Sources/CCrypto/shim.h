#ifndef FOGBASE_CCRYPTO_SHIM_H
#define FOGBASE_CCRYPTO_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <stdint.h>
#include <string.h>

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

/// A key on P-256 from a SubjectPublicKeyInfo in DER without bytes after it; NULL for anything else. d2i_PUBKEY rejects
/// points that are not on the curve. A curve given by its parameters instead of its name is rejected (RFC 5480 §2.1.1).
static inline EVP_PKEY *fogbase_p256_key(const unsigned char *info, size_t info_count) {
    const unsigned char *end = info;
    EVP_PKEY *key = d2i_PUBKEY(NULL, &end, (long)info_count);
    char group[32];
    size_t length = 0;
    int named = key && end == info + info_count && EVP_PKEY_is_a(key, "EC")
        && EVP_PKEY_get_group_name(key, group, sizeof group, &length) && strcmp(group, "prime256v1") == 0;
    if (!named) {
        EVP_PKEY_free(key);
        return NULL;
    }
    return key;
}

/// Writes the one form of a key on P-256 that has its point uncompressed. Returns its length; 0 on failure.
static inline size_t fogbase_p256_canonical(
    const unsigned char *info, size_t info_count, unsigned char *output, size_t output_count) {
    EVP_PKEY *key = fogbase_p256_key(info, info_count);
    size_t written = 0;
    if (key
        && EVP_PKEY_set_utf8_string_param(
            key, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, OSSL_PKEY_EC_POINT_CONVERSION_FORMAT_UNCOMPRESSED)) {
        int length = i2d_PUBKEY(key, NULL);
        if (length > 0 && (size_t)length <= output_count) {
            unsigned char *place = output;
            written = i2d_PUBKEY(key, &place) == length ? (size_t)length : 0;
        }
    }
    EVP_PKEY_free(key);
    return written;
}

/// Verifies an ECDSA signature in DER over SHA-256 of the message. Returns 1 only if it is valid.
static inline int fogbase_p256_verify_der(
    EVP_PKEY *key, const unsigned char *signature, size_t signature_count, const unsigned char *message,
    size_t message_count) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int valid = context && EVP_DigestVerifyInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) == 1
        && EVP_DigestVerify(
            context, signature, signature_count, (const unsigned char *)fogbase_present(message), message_count) == 1;
    EVP_MD_CTX_free(context);
    return valid;
}

/// Verifies an ECDSA signature with a key on P-256: in DER, or the numbers r and s of 32 bytes each. Returns 1 only if
/// it is valid.
static inline int fogbase_p256_verify(
    const unsigned char *info, size_t info_count, const unsigned char *signature, size_t signature_count,
    const unsigned char *message, size_t message_count) {
    EVP_PKEY *key = fogbase_p256_key(info, info_count);
    if (!key) return 0;
    int valid = fogbase_p256_verify_der(key, signature, signature_count, message, message_count);
    if (!valid && signature_count == 64) {
        ECDSA_SIG *numbers = ECDSA_SIG_new();
        BIGNUM *r = BN_bin2bn(signature, 32, NULL);
        BIGNUM *s = BN_bin2bn(signature + 32, 32, NULL);
        // On success the signature owns the numbers.
        if (numbers && r && s && ECDSA_SIG_set0(numbers, r, s)) {
            unsigned char der[80];
            unsigned char *place = der;
            int length = i2d_ECDSA_SIG(numbers, NULL);
            if (length > 0 && (size_t)length <= sizeof der && i2d_ECDSA_SIG(numbers, &place) == length) {
                valid = fogbase_p256_verify_der(key, der, (size_t)length, message, message_count);
            }
        } else {
            BN_free(r);
            BN_free(s);
        }
        ECDSA_SIG_free(numbers);
    }
    EVP_PKEY_free(key);
    return valid;
}

/// Returns no passphrase: a command must not ask for one.
static inline int fogbase_no_passphrase(char *buffer, int size, int is_writing, void *argument) {
    (void)buffer, (void)size, (void)is_writing, (void)argument;
    return -1;
}

/// Signs a message with a private key on P-256 in PEM, by ECDSA over SHA-256. Writes the signature in DER.
///
/// Returns its length; 0 if the text is no private key, -1 if its curve is another one or signing fails.
static inline int fogbase_p256_sign(
    const void *pem, size_t pem_count, const unsigned char *message, size_t message_count, unsigned char *output,
    size_t output_count) {
    BIO *text = BIO_new_mem_buf(pem, (int)pem_count);
    EVP_PKEY *key = text ? PEM_read_bio_PrivateKey(text, NULL, fogbase_no_passphrase, NULL) : NULL;
    BIO_free(text);
    if (!key) return 0;
    char group[32];
    size_t length = 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t written = output_count;
    int signed_ = EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, group, sizeof group, &length)
        && strcmp(group, "prime256v1") == 0 && context
        && EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) == 1
        && EVP_DigestSign(
            context, output, &written, (const unsigned char *)fogbase_present(message), message_count) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return signed_ ? (int)written : -1;
}

#endif
