/* The reference for queries and for changes by condition: the server's own tables and statements, and nothing else.

   bare_query page DATABASE KEYS LIMIT SECONDS [CACHE_KB [MMAP_BYTES]]
       reads pages of so many records in the order of an index, each the first of a range of keys.
   bare_query count DATABASE KEYS SECONDS [CACHE_KB [MMAP_BYTES]]
       counts the entries of ranges of keys.
   bare_query delete DATABASE KEYS ROWS [CACHE_KB [MMAP_BYTES]]
       makes tombstones of the records of a range of keys and takes them out of all indexes of their type, ROWS of them
       per commit; what the index tables hold of them is looked up before the clock starts.

   KEYS is a file of lines `INDEX ZONE HEX`: all keys of table index_INDEX that begin with these bytes. They take turns.
   page and count may read the file of a running server. Prints one line of JSON. */
#include "bare_sqlite.h"

enum { MOST_RANGES = 16384, MOST_KEY = 1100, MOST_INDEXES = 64, CHECKPOINT_PAGES = 4096 };

struct range {
    int64_t index, zone;
    int size;
    unsigned char *lower, *upper;
};
static struct range ranges[MOST_RANGES];
static int range_count;

static void read_ranges(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail("%s cannot be read", path);
    char hex[2 * MOST_KEY + 1];
    long long index, zone;
    while (fscanf(file, "%lld %lld %2200s", &index, &zone, hex) == 3) {
        if (range_count == MOST_RANGES) fail("more than %d ranges", MOST_RANGES);
        struct range *range = &ranges[range_count++];
        *range = (struct range){index, zone, (int)strlen(hex) / 2, malloc(MOST_KEY), malloc(MOST_KEY)};
        for (int i = 0; i < range->size; i++) sscanf(hex + 2 * i, "%2hhx", &range->lower[i]);
        memcpy(range->upper, range->lower, range->size);
        range->upper[range->size - 1]++; /* the last byte ends a text or a head: it is never FF */
    }
    fclose(file);
    if (range_count == 0) fail("%s has no range", path);
}

static void bind_range(sqlite3_stmt *statement, const struct range *range) {
    sqlite3_bind_int64(statement, 1, range->zone);
    sqlite3_bind_blob(statement, 2, range->lower, range->size, SQLITE_STATIC);
    sqlite3_bind_blob(statement, 3, range->upper, range->size, SQLITE_STATIC);
}

static void read_pages(int limit, double seconds) {
    char sql[512];
    snprintf(sql, sizeof sql,
             "SELECT r.* FROM index_%lld i CROSS JOIN record r ON r.id = i.record "
             "WHERE i.zone = ?1 AND i.key >= ?2 AND i.key < ?3 ORDER BY i.key, i.record LIMIT ?4",
             (long long)ranges[0].index);
    run("BEGIN");
    sqlite3_stmt *page = prepare(sql);
    sqlite3_bind_int64(page, 4, limit);
    int columns = sqlite3_column_count(page);
    size_t room = 1 << 20, used = 0;
    char *answer = malloc(room);
    long pages = 0, rows = 0, bytes = 0;
    double start = wall_seconds(), cpu = cpu_seconds(), now = start;
    while (now - start < seconds) {
        for (int i = 0; i < 16; i++, pages++) {
            bind_range(page, &ranges[pages % range_count]);
            used = 0;
            while (sqlite3_step(page) == SQLITE_ROW) {
                /* All columns, numbers as text: as many bytes as an answer needs at least. */
                for (int column = 0; column < columns; column++) {
                    const char *text = (const char *)sqlite3_column_text(page, column);
                    size_t size = sqlite3_column_bytes(page, column);
                    while (used + size + 1 > room) answer = realloc(answer, room *= 2);
                    if (size) memcpy(answer + used, text, size);
                    used += size;
                    answer[used++] = ',';
                }
                rows++;
            }
            sqlite3_reset(page);
            bytes += used;
        }
        now = wall_seconds();
    }
    printf("{\"rows\":%ld,\"seconds\":%.6f,\"cpu_seconds\":%.6f,\"records\":%ld,\"bytes\":%ld}\n", pages, now - start,
           cpu_seconds() - cpu, rows, bytes);
    sqlite3_finalize(page);
    run("COMMIT");
    free(answer);
}

static void count_entries(double seconds) {
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM index_%lld WHERE zone = ?1 AND key >= ?2 AND key < ?3",
             (long long)ranges[0].index);
    sqlite3_stmt *count = prepare(sql);
    long counts = 0, entries = 0;
    double start = wall_seconds(), cpu = cpu_seconds(), now = start;
    while (now - start < seconds) {
        bind_range(count, &ranges[counts++ % range_count]);
        check(sqlite3_step(count), sql);
        entries += sqlite3_column_int64(count, 0);
        sqlite3_reset(count);
        now = wall_seconds();
    }
    printf("{\"rows\":%ld,\"seconds\":%.6f,\"cpu_seconds\":%.6f,\"entries\":%ld}\n", counts, now - start,
           cpu_seconds() - cpu, entries);
    sqlite3_finalize(count);
}

/* One record of a deletion, and what each index holds of it. */
struct entry {
    int size;
    unsigned char *key;
};

static int64_t *find_records(const struct range *range, long *count) {
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT record FROM index_%lld WHERE zone = ?1 AND key >= ?2 AND key < ?3",
             (long long)range->index);
    sqlite3_stmt *find = prepare(sql);
    bind_range(find, range);
    long room = 1024;
    int64_t *records = malloc(room * sizeof *records);
    for (*count = 0; sqlite3_step(find) == SQLITE_ROW; ++*count) {
        if (*count == room) records = realloc(records, (room *= 2) * sizeof *records);
        records[*count] = sqlite3_column_int64(find, 0);
    }
    sqlite3_finalize(find);
    return records;
}

static int compare(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* What an index holds of the records, in their order. */
static struct entry *entries_of(int64_t index, const struct range *range, const int64_t *records, long count) {
    int64_t *sorted = malloc(count * sizeof *sorted);
    memcpy(sorted, records, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    struct entry *by_id = calloc(count, sizeof *by_id), *found = calloc(count, sizeof *found);
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT record, key FROM index_%lld WHERE zone = ?1", (long long)index);
    sqlite3_stmt *all = prepare(sql);
    sqlite3_bind_int64(all, 1, range->zone);
    while (sqlite3_step(all) == SQLITE_ROW) {
        int64_t record = sqlite3_column_int64(all, 0);
        int64_t *place = bsearch(&record, sorted, count, sizeof *sorted, compare);
        if (!place) continue;
        struct entry *entry = &by_id[place - sorted];
        entry->size = sqlite3_column_bytes(all, 1);
        entry->key = memcpy(malloc(entry->size), sqlite3_column_blob(all, 1), entry->size);
    }
    sqlite3_finalize(all);
    for (long i = 0; i < count; i++)
        found[i] = by_id[(int64_t *)bsearch(&records[i], sorted, count, sizeof *sorted, compare) - sorted];
    free(sorted);
    free(by_id);
    return found;
}

static void delete_records(long rows_per_commit) {
    const struct range *range = &ranges[0];
    long count;
    int64_t *records = find_records(range, &count);
    if (count == 0) fail("nothing to delete");
    struct entry *entries[MOST_INDEXES];
    sqlite3_stmt *removals[MOST_INDEXES];
    int index_count = 0;
    char sql[256];
    snprintf(sql, sizeof sql,
             "SELECT id FROM index_definition WHERE state IN (0, 1) AND "
             "type = (SELECT type FROM record WHERE id = %lld)",
             (long long)records[0]);
    sqlite3_stmt *indexes = prepare(sql);
    while (sqlite3_step(indexes) == SQLITE_ROW && index_count < MOST_INDEXES) {
        int64_t index = sqlite3_column_int64(indexes, 0);
        entries[index_count] = entries_of(index, range, records, count);
        snprintf(sql, sizeof sql, "DELETE FROM index_%lld WHERE zone = ?1 AND key = ?2 AND record = ?3",
                 (long long)index);
        removals[index_count++] = prepare(sql);
    }
    sqlite3_finalize(indexes);
    free(records);
    sqlite3_stmt *bury = prepare("UPDATE record SET sequence = ?2, revision = revision + 1, modifier = ?3, "
                                 "modified = ?4, deleted = 1, layout = NULL, fields = NULL WHERE id = ?1");
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
    int64_t sequence = integer("SELECT max(sequence) FROM record"), modified = (int64_t)time(NULL) * 1000;
    long commits = 0, checkpoints = 0, checkpointed = 0;
    double start = wall_seconds(), cpu = cpu_seconds();
    records = find_records(range, &count);
    for (long i = 0; i < count;) {
        check(sqlite3_step(begin), "BEGIN");
        sqlite3_reset(begin);
        for (long last = i + rows_per_commit; i < count && i < last; i++) {
            for (int index = 0; index < index_count; index++) {
                struct entry *entry = &entries[index][i];
                if (!entry->key) continue;
                sqlite3_bind_int64(removals[index], 1, range->zone);
                sqlite3_bind_blob(removals[index], 2, entry->key, entry->size, SQLITE_STATIC);
                sqlite3_bind_int64(removals[index], 3, records[i]);
                check(sqlite3_step(removals[index]), "DELETE");
                sqlite3_reset(removals[index]);
            }
            sqlite3_bind_int64(bury, 1, records[i]);
            sqlite3_bind_int64(bury, 2, ++sequence);
            sqlite3_bind_int64(bury, 3, 1);
            sqlite3_bind_int64(bury, 4, modified);
            check(sqlite3_step(bury), "UPDATE");
            sqlite3_reset(bury);
        }
        check(sqlite3_step(commit), "COMMIT");
        sqlite3_reset(commit);
        commits++;
        if (log_pages - checkpointed > CHECKPOINT_PAGES || log_pages < checkpointed) {
            check(sqlite3_wal_checkpoint_v2(database, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL), "checkpoint");
            checkpointed = log_pages;
            checkpoints++;
        }
    }
    printf("{\"rows\":%ld,\"seconds\":%.6f,\"cpu_seconds\":%.6f,\"commits\":%ld,\"checkpoints\":%ld,\"indexes\":%d}\n",
           count, wall_seconds() - start, cpu_seconds() - cpu, commits, checkpoints, index_count);
    for (int index = 0; index < index_count; index++) sqlite3_finalize(removals[index]);
    sqlite3_finalize(bury);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    int is_page = strcmp(mode, "page") == 0, is_delete = strcmp(mode, "delete") == 0, next = is_page ? 6 : 5;
    if ((!is_page && !is_delete && strcmp(mode, "count") != 0) || argc < next)
        fail("use: bare_query page DATABASE KEYS LIMIT SECONDS [CACHE_KB [MMAP_BYTES]] | "
             "count DATABASE KEYS SECONDS [CACHE_KB [MMAP_BYTES]] | delete DATABASE KEYS ROWS [CACHE_KB [MMAP_BYTES]]");
    read_ranges(argv[3]);
    open_database(argv[2], !is_delete, argc > next ? atol(argv[next]) : is_delete ? 8192 : 1024,
                  argc > next + 1 ? atoll(argv[next + 1]) : 2147418112);
    if (is_page) read_pages(atoi(argv[4]), atof(argv[5]));
    else if (is_delete) delete_records(atol(argv[4]) > 0 ? atol(argv[4]) : 1);
    else count_entries(atof(argv[4]));
    return sqlite3_close(database) == SQLITE_OK ? 0 : 1;
}
