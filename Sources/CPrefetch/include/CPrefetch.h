#ifndef LIVESTORE_CPREFETCH_H
#define LIVESTORE_CPREFETCH_H

#include <stddef.h>

/// Asks the processor to read memory into its caches, line by line, without waiting for it.
///
/// A hint: it has no effect on the program, whatever the address. Swift has no instruction for it.
static inline void prefetch_memory(const void *start, size_t byte_count) {
  for (size_t offset = 0; offset < byte_count; offset += 64) __builtin_prefetch((const char *)start + offset);
}

#endif
