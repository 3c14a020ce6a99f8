#ifndef FOGBASE_CSQLITE_SHIM_H
#define FOGBASE_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <stddef.h>

// sqlite3_config is variadic, which Swift cannot call.

/// Turns SQLite's global memory counters off: they cost a lock on every allocation.
static inline int fogbase_sqlite_config_memstatus(int on) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, on);
}

/// One thread per connection, no mutexes inside SQLite.
static inline int fogbase_sqlite_config_multithread(void) {
    return sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
}

/// sqlite3_db_config with the (int, int *) argument pair that all the switches of interest take.
static inline int fogbase_sqlite_db_config(sqlite3 *db, int option, int on) {
    int result = 0;
    return sqlite3_db_config(db, option, on, &result);
}

/// Sets whether closing this connection leaves the log as it is, or checkpoints it and takes it away: only the writer may.
static inline int fogbase_sqlite_no_checkpoint_on_close(sqlite3 *db, int on) {
    int result = 0;
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, &result);
}

/// The index of the log that all connections share (SQLite's "WAL-Index File Format", §2.1), as long as this connection is
/// open; NULL before its first read, and for files without a log.
static inline const volatile void *fogbase_sqlite_log_index(sqlite3 *db) {
    sqlite3_file *file = NULL;
    volatile void *region = NULL;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file == NULL) return NULL;
    if (file->pMethods == NULL || file->pMethods->iVersion < 2 || file->pMethods->xShmMap == NULL) return NULL;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &region) != SQLITE_OK) return NULL;
    return region;
}

/// A number that changes in the moment in which a commit becomes visible: the header's `iChange`.
static inline unsigned int fogbase_sqlite_log_change(const volatile void *index) {
    return __atomic_load_n((const volatile unsigned int *)index + 2, __ATOMIC_ACQUIRE);
}

/// The committed frames of the log: the header's `mxFrame`. Zero for a log that restarts with the next write.
static inline unsigned int fogbase_sqlite_log_frames(const volatile void *index) {
    return __atomic_load_n((const volatile unsigned int *)index + 4, __ATOMIC_ACQUIRE);
}

/// The pages of the database after the last commit: the header's `nPage`. Good while there are frames.
static inline unsigned int fogbase_sqlite_log_pages(const volatile void *index) {
    return __atomic_load_n((const volatile unsigned int *)index + 5, __ATOMIC_ACQUIRE);
}

#endif
