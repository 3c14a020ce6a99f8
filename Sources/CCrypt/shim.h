#ifndef FOGBASE_CCRYPT_SHIM_H
#define FOGBASE_CCRYPT_SHIM_H

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

/// Hashes a password by a setting of crypt(5), such as `$2b$10$` and 22 characters of salt. Writes the hash with a NUL
/// at its end.
///
/// Returns its length; 0 if there is too little memory, -1 if libcrypt lacks the method or the output is too small.
static inline long fogbase_crypt(const char *password, const char *setting, char *output, size_t output_count) {
    // 32 KiB: too much for the stack of a thread.
    struct crypt_data *data = calloc(1, sizeof *data);
    if (!data) return 0;
    const char *hash = crypt_r(password, setting, data);
    // A hash that failed begins with an asterisk.
    size_t length = hash && hash[0] != '*' ? strlen(hash) : 0;
    long written = -1;
    if (length > 0 && length < output_count) {
        memcpy(output, hash, length + 1);
        written = (long)length;
    }
    // It has the password and the key schedule.
    explicit_bzero(data, sizeof *data);
    free(data);
    return written;
}

#endif
