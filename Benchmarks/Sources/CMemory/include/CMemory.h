#pragma once
#include <stddef.h>

/// Bytes that this process has allocated and not freed; 0 where the C library cannot say.
size_t live_bytes(void);
