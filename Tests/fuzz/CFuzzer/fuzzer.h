#pragma once

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's loop ("Using libFuzzer as a library" in its documentation): calls back with input after input.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
