/* Finds the responses in what a server sends: their statuses and where they end. Not in chunks: Fogbase sends none. */
#ifndef ABUSE_RESPONSES_H
#define ABUSE_RESPONSES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct responses {
    char line[160];         /* the start of the present line of a head */
    uint16_t line_length;
    bool in_body;
    bool line_began;        /* the status line has been read */
    int status;             /* of the response that is being read */
    uint64_t left;          /* bytes of its body */
};

/* Called at the end of each response, interim ones included. */
typedef void (*response_end)(void *context, int status);

static void responses_finish(struct responses *self, response_end end, void *context) {
    int status = self->status;
    self->in_body = self->line_began = false;
    self->line_length = 0;
    self->left = 0;
    end(context, status);
}

static void responses_take_line(struct responses *self, response_end end, void *context) {
    self->line[self->line_length] = 0;
    if (!self->line_began) {
        self->line_began = true;
        self->status = strncmp(self->line, "HTTP/1.1 ", 9) == 0 ? atoi(self->line + 9) : -1;
    } else if (strncasecmp(self->line, "content-length:", 15) == 0) {
        self->left = strtoull(self->line + 15, NULL, 10);
    } else if (self->line_length == 0 || (self->line_length == 1 && self->line[0] == '\r')) {
        bool bodyless = self->status < 200 || self->status == 204 || self->status == 304;
        if (bodyless || self->left == 0) {
            responses_finish(self, end, context);
            return;
        }
        self->in_body = true;
    }
    self->line_length = 0;
}

static void responses_take(struct responses *self, const char *bytes, size_t count, response_end end, void *context) {
    size_t at = 0;
    while (at < count) {
        if (self->in_body) {
            uint64_t part = self->left < count - at ? self->left : count - at;
            self->left -= part;
            at += part;
            if (self->left == 0) responses_finish(self, end, context);
        } else if (bytes[at] == '\n') {
            at++;
            responses_take_line(self, end, context);
        } else {
            if (self->line_length < sizeof self->line - 1) self->line[self->line_length++] = bytes[at];
            at++;
        }
    }
}

#endif
