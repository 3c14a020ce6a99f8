/* A file of messages: each is a line "STATUS LENGTH", then that many bytes. */
#ifndef ABUSE_MESSAGES_H
#define ABUSE_MESSAGES_H

#include <stdio.h>
#include <stdlib.h>

struct message {
    int status;     /* what the good client expects; attackers do not look */
    size_t length;
    char *bytes;
};

struct messages {
    size_t count;
    struct message *all;
};

static void fail(const char *what) {
    perror(what);
    exit(2);
}

static struct messages read_messages(const char *path) {
    struct messages found = {0, NULL};
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    struct message one;
    while (fscanf(file, "%d %zu", &one.status, &one.length) == 2) {
        fgetc(file);
        one.bytes = malloc(one.length + 1);
        found.all = realloc(found.all, (found.count + 1) * sizeof one);
        if (!one.bytes || !found.all) fail("malloc");
        if (fread(one.bytes, 1, one.length, file) != one.length) fail("a message is cut off");
        found.all[found.count++] = one;
    }
    fclose(file);
    return found;
}

#endif
