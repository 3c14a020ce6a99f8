// Syncs and writes that fail. POWERCUT_FAULTS names a file of the struct below, which the library and faults.py both
// map: so a failure begins and ends at any moment, while the process runs.

#pragma once

#include <stdint.h>

struct faults {
    int32_t sync_error;    // the errno of syncs that fail; 0: none does
    int32_t sync_left;     // how many still fail; below 0: all from now on
    int32_t write_error;   // of writes and allocations
    int32_t write_left;
    int32_t write_share;   // of 1000 writes that meet the name, so many fail
    uint32_t failed_syncs;  // counted here
    uint32_t failed_writes;
    int32_t is_hidden;     // failing syncs answer success, as to a program that does not look: for tests of the tests
    char sync_name[64];    // a part of the paths concerned, or with a `$` behind it their end; empty: all
    char write_name[64];
};

_Static_assert(sizeof(struct faults) == 160, "faults.py writes 160 bytes");

/// Whether this write is to fail; `errno` is set then.
int faults_write(int descriptor);

/// Whether this sync is to fail; `errno` is set then.
int faults_sync(int descriptor);

/// Whether the program learns of syncs that fail.
int faults_are_told(void);
