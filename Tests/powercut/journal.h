// The journal of what one process does to the files below one directory, and the tables that say which descriptor is
// which of them. powercut.c fills it; journal.py reads it.
//
// An entry is a header of 32 bytes, then the first path, the second path, the data. Paths are relative to the
// directory. Entries have the order in which the operations took effect: one lock is held around each operation and its
// entry. A sync takes long, so it has two entries, and covers the entries before the first of them.

#pragma once

#include <stdint.h>
#include <sys/stat.h>
#include <sys/uio.h>

enum kind {
    STARTED = 1,  // a process begins; objects of an earlier one have lost their numbers
    NAMED,        // `object` is what the first path names now
    CREATED,      // `object` is a new file at the first path, or without a name if that is empty
    DIRECTORY,    // `object` is a new directory at the first path
    WRITTEN,      // the data, at `offset`
    SIZED,        // ftruncate to `offset`
    ALLOCATED,    // fallocate of `number` bytes from `offset`: the file is at least that long
    ZEROED,       // `number` bytes from `offset` are zero, the size stays
    RENAMED,      // the first path became the second
    LINKED,       // `object` is also at the second path
    UNLINKED,
    RMDIR,
    SYNCING,      // a sync of `object` begins (0: of everything)
    SYNCED,       // that one, whose entry is at byte `offset`, has succeeded
    MAPPED,       // `object` may now be changed through memory, which is not seen here
    BLIND,        // something that this library does not follow; the first path says what
    FAILED,       // the sync whose entry is at byte `offset` has failed: what it should have covered may be lost
};

struct entry {
    uint8_t kind;
    uint8_t unused[3];
    uint32_t object;
    uint64_t offset;
    uint64_t number;
    uint32_t bytes;
    uint16_t first;
    uint16_t second;
};

_Static_assert(sizeof(struct entry) == 32, "journal.py reads 32 bytes");

/// Whether this process is watched: not a child of the watched one, and only with POWERCUT_DIRECTORY and POWERCUT_LOG.
int journal_active(void);

void journal_lock(void);
void journal_unlock(void);

/// Appends an entry, with the lock held, and returns its position in bytes.
uint64_t journal_append(enum kind kind, uint32_t object, uint64_t offset, uint64_t number, const char *first,
                        const char *second, const struct iovec *data, int count, size_t bytes);

/// The part of an absolute or relative path below the directory (without a leading slash, "" for the directory itself),
/// in `buffer` of PATH_MAX bytes; NULL for a path outside. `at` is a directory's descriptor or AT_FDCWD.
const char *journal_path(int at, const char *path, char *buffer);

/// The number of an inode, given by this process; 0 for one that was not met yet.
uint32_t journal_object(const struct stat *status);

/// A fresh number for an inode that was made just now: the system gives those of deleted files again.
uint32_t journal_new_object(const struct stat *status);

/// What a descriptor refers to; 0 for anything outside the directory. Its user may ask without the lock.
uint32_t journal_descriptor(int descriptor);
void journal_set_descriptor(int descriptor, uint32_t object, int synchronous);

/// Whether writes to the descriptor are durable when they return (O_SYNC, O_DSYNC).
int journal_is_synchronous(int descriptor);
