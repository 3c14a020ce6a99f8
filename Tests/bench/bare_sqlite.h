/* What the bare programs on SQLite share: a connection with the server's pragmas. */
#include "bare.h"
#include <sqlite3.h>

static sqlite3 *database;
static long log_pages;

static void check(int code, const char *what) {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) fail("%s: %s", what, sqlite3_errmsg(database));
}

static void run(const char *sql) { check(sqlite3_exec(database, sql, NULL, NULL, NULL), sql); }

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), sql);
    return statement;
}

static int64_t integer(const char *sql) {
    sqlite3_stmt *statement = prepare(sql);
    check(sqlite3_step(statement), sql);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static int count_pages(void *unused, sqlite3 *connection, const char *name, int pages) {
    (void)unused, (void)connection, (void)name;
    log_pages = pages;
    return SQLITE_OK;
}

/* A connection that only reads may share the file with a running server. */
static void open_database(const char *path, int only_reads, long cache_kb, long long mmap_bytes) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    int mode = only_reads ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    check(sqlite3_open_v2(path, &database, mode | SQLITE_OPEN_NOMUTEX, NULL), path);
    char sql[128];
    if (!only_reads) {
        run("PRAGMA journal_mode = WAL");
        run("PRAGMA synchronous = FULL");
    }
    run("PRAGMA temp_store = MEMORY");
    snprintf(sql, sizeof sql, "PRAGMA cache_size = -%ld", cache_kb);
    run(sql);
    snprintf(sql, sizeof sql, "PRAGMA mmap_size = %lld", mmap_bytes);
    run(sql);
    run("PRAGMA wal_autocheckpoint = 0");
    sqlite3_wal_hook(database, count_pages, NULL);
}
