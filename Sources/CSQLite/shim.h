#ifndef FOGBASE_CSQLITE_SHIM_H
#define FOGBASE_CSQLITE_SHIM_H

#include <sqlite3.h>

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

/// Sets whether closing this connection checkpoints the log: only the writer may.
static inline int fogbase_sqlite_no_checkpoint_on_close(sqlite3 *db, int on) {
    int result = 0;
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, &result);
}

#endif
