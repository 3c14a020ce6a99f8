/* The reference for writes: the server's own table, indexes and pragmas, and nothing else: no HTTP, no JSON, no rights.

   bare_loop write DATABASE NAME ROWS SECONDS [CACHE_KB [MMAP_BYTES]]
       inserts copies of the record NAME with new names, ids and sequences, ROWS of them per commit.
   bare_loop read DATABASE NAME SECONDS [CACHE_KB [MMAP_BYTES]]
       reads records of NAME's type by (zone, name), one prepared statement, within one transaction.

   DATABASE is a copy of a database that the server made. Columns are found by PRAGMA table_info, so that a change of
   the schema needs no change here; only `id`, `name`, `sequence`, `zone` and `type` are known by name.
   Prints one line of JSON. */
#include "bare_sqlite.h"
#include <pthread.h>
#include <sys/random.h>

enum { CHECKPOINT_BYTES = 64 << 20, MOST_COLUMNS = 64, MOST_NAMES = 8192 };

/* A time-ordered name as the server makes them: UUID version 7, whose random part counts on within a millisecond. */
static void next_name(char text[37]) {
    static uint64_t last_time, counter;
    static uint16_t head;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t time = (uint64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    if (time > last_time) {
        last_time = time;
        if (getrandom(&counter, sizeof counter, 0) != sizeof counter || getrandom(&head, sizeof head, 0) != sizeof head)
            fail("no random bytes");
        counter &= 0x0FFFFFFFFFFFFFFF;
    } else {
        counter++;
    }
    uint64_t low = (counter & 0x3FFFFFFFFFFFFFFF) | 0x8000000000000000;
    snprintf(text, 37, "%08x-%04x-7%03x-%04x-%012llx", (unsigned)(last_time >> 16), (unsigned)(last_time & 0xFFFF),
             head & 0xFFFu, (unsigned)(low >> 48), (unsigned long long)(low & 0xFFFFFFFFFFFF));
}

/* Names may be stored as text or as a blob. */
static sqlite3_stmt *find_template(const char *name) {
    sqlite3_stmt *statement = prepare("SELECT id FROM record WHERE name = ?1 OR name = CAST(?1 AS BLOB) LIMIT 1");
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_ROW) fail("no record is named %s", name);
    return statement;
}

/* Threads that each have one row to write, and wait until it is durable before they have the next: what group commit is
   for. They do nothing else, so this is the least that any server with so many clients can cost. */
#define MOST_PRODUCERS 256
struct producer {
    pthread_t thread;
    pthread_cond_t done;
    char name[37];
    int is_waiting;
};
static struct producer producers[MOST_PRODUCERS];
static int waiting[MOST_PRODUCERS], waiting_count, is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

static void *produce(void *which) {
    struct producer *self = &producers[(intptr_t)which];
    pthread_mutex_lock(&lock);
    while (!is_over) {
        next_name(self->name);
        self->is_waiting = 1;
        waiting[waiting_count++] = (int)(intptr_t)which;
        if (waiting_count == 1) pthread_cond_signal(&work);
        while (self->is_waiting && !is_over) pthread_cond_wait(&self->done, &lock);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Takes the rows that wait; their number. */
static int take_waiting(int *taken) {
    pthread_mutex_lock(&lock);
    while (waiting_count == 0) pthread_cond_wait(&work, &lock);
    int count = waiting_count;
    memcpy(taken, waiting, count * sizeof *taken);
    waiting_count = 0;
    pthread_mutex_unlock(&lock);
    return count;
}

static void answer(const int *taken, int count) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++) {
        producers[taken[i]].is_waiting = 0;
        pthread_cond_signal(&producers[taken[i]].done);
    }
    pthread_mutex_unlock(&lock);
}

/* Writes so many rows per commit or, with producers, whatever waits. */
static void write_rows(const char *template_name, long rows_per_commit, int producer_count, double seconds) {
    char columns[4096] = "", marks[512] = "";
    int count = 0, id = -1, name = -1, sequence = -1;
    sqlite3_stmt *info = prepare("PRAGMA table_info(record)");
    while (sqlite3_step(info) == SQLITE_ROW) {
        const char *column = (const char *)sqlite3_column_text(info, 1);
        if (count == MOST_COLUMNS) fail("the table has more than %d columns", MOST_COLUMNS);
        if (strcmp(column, "id") == 0) id = count;
        if (strcmp(column, "name") == 0) name = count;
        if (strcmp(column, "sequence") == 0) sequence = count;
        snprintf(columns + strlen(columns), sizeof columns - strlen(columns), "%s\"%s\"", count ? ", " : "", column);
        snprintf(marks + strlen(marks), sizeof marks - strlen(marks), "%s?%d", count ? ", " : "", count + 1);
        count++;
    }
    sqlite3_finalize(info);
    if (id < 0 || name < 0 || sequence < 0) fail("the table `record` lacks one of id, name, sequence");

    char sql[8192];
    sqlite3_stmt *template = find_template(template_name);
    snprintf(sql, sizeof sql, "SELECT %s FROM record WHERE id = %lld", columns,
             (long long)sqlite3_column_int64(template, 0));
    sqlite3_finalize(template);
    sqlite3_stmt *row = prepare(sql);
    check(sqlite3_step(row), sql);
    snprintf(sql, sizeof sql, "INSERT INTO record (%s) VALUES (%s)", columns, marks);
    sqlite3_stmt *insert = prepare(sql);
    int name_is_blob = sqlite3_column_type(row, name) == SQLITE_BLOB;
    for (int i = 0; i < count; i++) check(sqlite3_bind_value(insert, i + 1, sqlite3_column_value(row, i)), "bind");
    sqlite3_finalize(row);

    int64_t next_id = integer("SELECT max(id) FROM record");
    int64_t next_sequence = integer("SELECT max(sequence) FROM record");
    long page_size = (long)integer("PRAGMA page_size");
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
    long rows = 0, commits = 0, checkpoints = 0;
    int taken[MOST_PRODUCERS];
    double start = wall_seconds(), cpu = cpu_seconds(), now = start;
    for (intptr_t i = 0; i < producer_count; i++) {
        pthread_cond_init(&producers[i].done, NULL);
        if (pthread_create(&producers[i].thread, NULL, produce, (void *)i) != 0) fail("no thread");
    }
    while (now - start < seconds) {
        if (producer_count > 0) rows_per_commit = take_waiting(taken);
        check(sqlite3_step(begin), "BEGIN");
        sqlite3_reset(begin);
        for (long i = 0; i < rows_per_commit; i++) {
            char text[37];
            if (producer_count > 0) memcpy(text, producers[taken[i]].name, sizeof text);
            else next_name(text);
            sqlite3_bind_int64(insert, id + 1, ++next_id);
            sqlite3_bind_int64(insert, sequence + 1, ++next_sequence);
            if (name_is_blob) sqlite3_bind_blob(insert, name + 1, text, 36, SQLITE_TRANSIENT);
            else sqlite3_bind_text(insert, name + 1, text, 36, SQLITE_TRANSIENT);
            check(sqlite3_step(insert), "INSERT");
            sqlite3_reset(insert);
        }
        check(sqlite3_step(commit), "COMMIT");
        sqlite3_reset(commit);
        if (producer_count > 0) answer(taken, (int)rows_per_commit);
        rows += rows_per_commit;
        commits++;
        if (log_pages * page_size > CHECKPOINT_BYTES) {
            check(sqlite3_wal_checkpoint_v2(database, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL), "checkpoint");
            log_pages = 0;
            checkpoints++;
        }
        now = wall_seconds();
    }
    printf("{\"rows\":%ld,\"seconds\":%.6f,\"cpu_seconds\":%.6f,\"commits\":%ld,\"checkpoints\":%ld}\n", rows,
           now - start, cpu_seconds() - cpu, commits, checkpoints);
    pthread_mutex_lock(&lock);
    is_over = 1;
    for (int i = 0; i < producer_count; i++) pthread_cond_signal(&producers[i].done);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < producer_count; i++) pthread_join(producers[i].thread, NULL);
    sqlite3_finalize(insert);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
}

static void read_rows(const char *template_name, double seconds) {
    sqlite3_stmt *template = find_template(template_name);
    int64_t id = sqlite3_column_int64(template, 0);
    sqlite3_finalize(template);
    static sqlite3_value *zones[MOST_NAMES], *names[MOST_NAMES];
    sqlite3_stmt *all = prepare("SELECT zone, name FROM record WHERE type = (SELECT type FROM record WHERE id = ?1) "
                                "ORDER BY id LIMIT ?2");
    sqlite3_bind_int64(all, 1, id);
    sqlite3_bind_int64(all, 2, MOST_NAMES);
    int count = 0;
    while (sqlite3_step(all) == SQLITE_ROW) {
        zones[count] = sqlite3_value_dup(sqlite3_column_value(all, 0));
        names[count++] = sqlite3_value_dup(sqlite3_column_value(all, 1));
    }
    sqlite3_finalize(all);
    run("BEGIN");
    sqlite3_stmt *read = prepare("SELECT * FROM record WHERE zone = ?1 AND name = ?2 AND deleted = 0");
    int columns = sqlite3_column_count(read);
    long rows = 0, bytes = 0;
    double start = wall_seconds(), cpu = cpu_seconds(), now = start;
    while (now - start < seconds) {
        for (int i = 0; i < 256; i++, rows++) {
            int which = (int)(rows % count);
            sqlite3_bind_value(read, 1, zones[which]);
            sqlite3_bind_value(read, 2, names[which]);
            if (sqlite3_step(read) != SQLITE_ROW) fail("a record is gone");
            for (int c = 0; c < columns; c++) bytes += sqlite3_column_bytes(read, c);
            sqlite3_reset(read);
        }
        now = wall_seconds();
    }
    printf("{\"rows\":%ld,\"seconds\":%.6f,\"cpu_seconds\":%.6f,\"names\":%d,\"bytes\":%ld}\n", rows, now - start,
           cpu_seconds() - cpu, count, bytes);
    sqlite3_finalize(read);
    run("COMMIT");
    for (int i = 0; i < count; i++) {
        sqlite3_value_free(zones[i]);
        sqlite3_value_free(names[i]);
    }
}

int main(int argc, char **argv) {
    int writes = argc >= 6 && strcmp(argv[1], "write") == 0, groups = argc >= 6 && strcmp(argv[1], "group") == 0;
    if (!writes && !groups && !(argc >= 5 && strcmp(argv[1], "read") == 0))
        fail("use: bare_loop write DATABASE NAME ROWS SECONDS [CACHE_KB [MMAP_BYTES]] | "
             "group DATABASE NAME PRODUCERS SECONDS [CACHE_KB [MMAP_BYTES]] | "
             "read DATABASE NAME SECONDS [CACHE_KB [MMAP_BYTES]]");
    int next = writes || groups ? 6 : 5;
    long cache_kb = argc > next ? atol(argv[next]) : 8192;
    long long mmap_bytes = argc > next + 1 ? atoll(argv[next + 1]) : 2147418112;
    long number = writes || groups ? atol(argv[4]) : 0;
    if (groups && (number < 1 || number > MOST_PRODUCERS)) fail("1 to %d producers", MOST_PRODUCERS);
    open_database(argv[2], 0, cache_kb, mmap_bytes);
    if (groups) write_rows(argv[3], 0, (int)number, atof(argv[5]));
    else if (writes) write_rows(argv[3], number > 0 ? number : 1, 0, atof(argv[5]));
    else read_rows(argv[3], atof(argv[4]));
    return sqlite3_close(database) == SQLITE_OK ? 0 : 1;
}
