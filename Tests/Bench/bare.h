/* What the bare programs share: a connection with the server's pragmas, and clocks. */
#define _GNU_SOURCE
#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static sqlite3 *database;
static long log_pages;

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    exit(1);
}

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

static double wall_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6 + usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6;
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
