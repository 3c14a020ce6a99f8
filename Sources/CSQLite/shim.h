#ifndef FOGBASE_CSQLITE_SHIM_H
#define FOGBASE_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <stddef.h>

// Wrappers for variadic functions, which Swift cannot call.

/// Turns SQLite's global memory counters on or off. They cost a lock on every allocation.
static inline int fogbase_sqlite_config_memstatus(int on) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, on);
}

/// Selects multi-thread mode: one thread per connection at a time, no mutexes inside SQLite.
static inline int fogbase_sqlite_config_multithread(void) {
    return sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
}

/// Calls sqlite3_db_config for options that take (int, int *).
static inline int fogbase_sqlite_db_config(sqlite3 *db, int option, int on) {
    int result = 0;
    return sqlite3_db_config(db, option, on, &result);
}

/// Sets whether closing this connection leaves the WAL as it is (1), or checkpoints and deletes it (0). Only the writer
/// is allowed to checkpoint.
static inline int fogbase_sqlite_no_checkpoint_on_close(sqlite3 *db, int on) {
    int result = 0;
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, &result);
}

/// Returns the WAL index that all connections share (SQLite's "WAL-Index File Format", §2.1). It is valid while this
/// connection is open. NULL before the connection's first read and for files without a WAL.
///
/// ```
/// offset  bytes  field
/// 8       4      iChange: changes with every commit
/// 16      4      mxFrame: number of committed frames in the WAL
/// 20      4      nPage: size of the database in pages
/// ```
static inline const volatile void *fogbase_sqlite_log_index(sqlite3 *db) {
    sqlite3_file *file = NULL;
    volatile void *region = NULL;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file == NULL) return NULL;
    if (file->pMethods == NULL || file->pMethods->iVersion < 2 || file->pMethods->xShmMap == NULL) return NULL;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &region) != SQLITE_OK) return NULL;
    return region;
}

/// Returns the header's `iChange`, which changes at the moment a commit becomes visible.
static inline unsigned int fogbase_sqlite_log_change(const volatile void *index) {
    return __atomic_load_n((const volatile unsigned int *)index + 2, __ATOMIC_ACQUIRE);
}

/// Returns the header's `mxFrame`, the number of committed frames. Zero if the next write restarts the WAL.
static inline unsigned int fogbase_sqlite_log_frames(const volatile void *index) {
    return __atomic_load_n((const volatile unsigned int *)index + 4, __ATOMIC_ACQUIRE);
}

/// Returns the header's `nPage`, the number of database pages after the last commit. Valid only if the WAL has frames.
static inline unsigned int fogbase_sqlite_log_pages(const volatile void *index) {
    return __atomic_load_n((const volatile unsigned int *)index + 5, __ATOMIC_ACQUIRE);
}

#endif
