#define _GNU_SOURCE
#include "failing_calls.h"

// Says which C library it is.
#include <limits.h>
#include <stddef.h>

// What it does is described in the header.

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(HAS_SANITIZER)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// ---- The state.

#define KINDS 11
#define MOST_FILES (1 << 16)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/// Read before the mutex is taken, so that calls of other tests cost nothing.
static atomic_bool is_watching;
/// Which of the open files are watched.
static atomic_bool watched[MOST_FILES];

static struct {
  char *folder;
  size_t length;
  bool is_paused;
  int64_t counts[KINDS];
  int64_t failed;
  /// How many calls are left until one fails; 0: not armed.
  int64_t rest;
  unsigned kinds;
  int error;
  bool stays;
} state;

/// How a call goes on.
enum verdict { SUCCEEDS, FAILS, IS_SHORT };

static enum verdict decide_locked(unsigned kind, size_t bytes) {
  if (state.is_paused) return SUCCEEDS;
  // Half of a byte is none.
  const bool is_candidate = (state.kinds & kind) != 0 && (state.error != 0 || bytes > 1);
  if (state.kinds == 0 || state.error != 0 || bytes > 1) state.counts[__builtin_ctz(kind)] += 1;
  if (!is_candidate || state.rest == 0) return SUCCEEDS;
  state.rest -= 1;
  if (state.rest > 0) return SUCCEEDS;
  state.failed += 1;
  if (state.stays) state.rest = 1;
  return state.error == 0 ? IS_SHORT : FAILS;
}

/// Counts a call and decides about it; sets `errno` if it fails.
static enum verdict decide(unsigned kind, size_t bytes) {
  pthread_mutex_lock(&mutex);
  const enum verdict verdict = decide_locked(kind, bytes);
  const int error = state.error;
  pthread_mutex_unlock(&mutex);
  if (verdict == FAILS) errno = error;
  return verdict;
}

static bool is_path_watched(const char *path) {
  if (!atomic_load(&is_watching) || path == NULL) return false;
  pthread_mutex_lock(&mutex);
  const bool is_inside = state.folder != NULL && strncmp(path, state.folder, state.length) == 0 &&
                         (path[state.length] == '/' || path[state.length] == 0);
  pthread_mutex_unlock(&mutex);
  return is_inside;
}

static bool is_file_watched(int file) {
  return atomic_load(&is_watching) && file >= 0 && file < MOST_FILES && atomic_load(&watched[file]);
}

static bool path_fails(unsigned kind, const char *path) {
  return is_path_watched(path) && decide(kind, 0) == FAILS;
}

static bool file_fails(unsigned kind, int file) { return is_file_watched(file) && decide(kind, 0) == FAILS; }

// ---- The functions of the C library, which come behind those of the program.

#define SYSTEM(name)                                                    \
  static __typeof__(&name) system_##name(void) {                        \
    static _Atomic(__typeof__(&name)) function;                         \
    __typeof__(&name) found = atomic_load(&function);                   \
    if (found == NULL) {                                                \
      found = (__typeof__(&name))dlsym(RTLD_NEXT, #name);               \
      if (found == NULL) abort();                                       \
      atomic_store(&function, found);                                   \
    }                                                                   \
    return found;                                                       \
  }

SYSTEM(open)
SYSTEM(open64)
SYSTEM(close)
SYSTEM(read)
SYSTEM(pread)
SYSTEM(pread64)
SYSTEM(write)
SYSTEM(pwrite)
SYSTEM(pwrite64)
SYSTEM(fsync)
SYSTEM(fdatasync)
SYSTEM(ftruncate)
SYSTEM(ftruncate64)
SYSTEM(flock)
SYSTEM(fcntl)
SYSTEM(fcntl64)
SYSTEM(unlink)
SYSTEM(rename)
SYSTEM(link)
SYSTEM(mmap)
SYSTEM(mmap64)
SYSTEM(stat)
SYSTEM(stat64)
SYSTEM(lstat)
SYSTEM(lstat64)
SYSTEM(fstat)
SYSTEM(fstat64)
SYSTEM(access)
SYSTEM(statvfs)
SYSTEM(statvfs64)

// ---- Opening and closing.

static int opened(int file) {
  if (file >= 0 && file < MOST_FILES) atomic_store(&watched[file], true);
  return file;
}

/// Whether opening a file fails that is watched.
static bool opening_fails(const char *path, int flags) {
  struct stat status;
  const int error = errno;
  const bool makes = (flags & O_CREAT) != 0 && system_lstat()(path, &status) != 0;
  errno = error;
  return decide(makes ? FAILING_CALLS_MAKE : FAILING_CALLS_OPEN, 0) == FAILS;
}

#define OPEN(name)                                                      \
  int name(const char *path, int flags, ...) {                          \
    va_list arguments;                                                  \
    va_start(arguments, flags);                                         \
    const bool has_mode = (flags & (O_CREAT | O_TMPFILE)) != 0;         \
    const mode_t mode = has_mode ? va_arg(arguments, mode_t) : 0;       \
    va_end(arguments);                                                  \
    if (!is_path_watched(path)) return system_##name()(path, flags, mode); \
    if (opening_fails(path, flags)) return -1;                          \
    return opened(system_##name()(path, flags, mode));                  \
  }

OPEN(open)
OPEN(open64)

int close(int file) {
  if (file >= 0 && file < MOST_FILES) atomic_store(&watched[file], false);
  return system_close()(file);
}

// ---- Reading and writing.

/// How many bytes a call takes; -1 if it fails.
static ssize_t taken(unsigned kind, int file, size_t count) {
  if (!is_file_watched(file)) return (ssize_t)count;
  switch (decide(kind, count)) {
    case FAILS:
      return -1;
    case IS_SHORT:
      return (ssize_t)(count / 2);
    case SUCCEEDS:
      break;
  }
  return (ssize_t)count;
}

ssize_t read(int file, void *bytes, size_t count) {
  const ssize_t part = taken(FAILING_CALLS_READ, file, count);
  return part < 0 ? -1 : system_read()(file, bytes, (size_t)part);
}

ssize_t write(int file, const void *bytes, size_t count) {
  const ssize_t part = taken(FAILING_CALLS_WRITE, file, count);
  return part < 0 ? -1 : system_write()(file, bytes, (size_t)part);
}

#define PREAD(name, offset_type)                                              \
  ssize_t name(int file, void *bytes, size_t count, offset_type offset) {     \
    const ssize_t part = taken(FAILING_CALLS_READ, file, count);              \
    return part < 0 ? -1 : system_##name()(file, bytes, (size_t)part, offset); \
  }

PREAD(pread, off_t)
PREAD(pread64, off64_t)

#define PWRITE(name, offset_type)                                                 \
  ssize_t name(int file, const void *bytes, size_t count, offset_type offset) {   \
    const ssize_t part = taken(FAILING_CALLS_WRITE, file, count);                 \
    return part < 0 ? -1 : system_##name()(file, bytes, (size_t)part, offset);    \
  }

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

// ---- The others.

int fsync(int file) { return file_fails(FAILING_CALLS_SYNC, file) ? -1 : system_fsync()(file); }

int fdatasync(int file) { return file_fails(FAILING_CALLS_SYNC, file) ? -1 : system_fdatasync()(file); }

int ftruncate(int file, off_t length) {
  return file_fails(FAILING_CALLS_TRUNCATE, file) ? -1 : system_ftruncate()(file, length);
}

int ftruncate64(int file, off64_t length) {
  return file_fails(FAILING_CALLS_TRUNCATE, file) ? -1 : system_ftruncate64()(file, length);
}

int flock(int file, int operation) {
  const bool locks = (operation & LOCK_UN) == 0;
  return locks && file_fails(FAILING_CALLS_LOCK, file) ? -1 : system_flock()(file, operation);
}

#define FCNTL(name, lock_type)                                                          \
  int name(int file, int command, ...) {                                                \
    va_list arguments;                                                                  \
    va_start(arguments, command);                                                       \
    void *argument = va_arg(arguments, void *);                                         \
    va_end(arguments);                                                                  \
    const bool locks = (command == F_SETLK || command == F_SETLKW) &&                   \
                       ((const struct lock_type *)argument)->l_type != F_UNLCK;         \
    if (locks && file_fails(FAILING_CALLS_LOCK, file)) return -1;                       \
    return system_##name()(file, command, argument);                                    \
  }

FCNTL(fcntl, flock)
FCNTL(fcntl64, flock64)

int unlink(const char *path) { return path_fails(FAILING_CALLS_REMOVE, path) ? -1 : system_unlink()(path); }

int rename(const char *path, const char *other) {
  return path_fails(FAILING_CALLS_RENAME, path) ? -1 : system_rename()(path, other);
}

int link(const char *path, const char *other) {
  return path_fails(FAILING_CALLS_RENAME, path) ? -1 : system_link()(path, other);
}

#define MMAP(name, offset_type)                                                                   \
  void *name(void *address, size_t length, int protection, int flags, int file, offset_type offset) { \
    if (file_fails(FAILING_CALLS_MAP, file)) return MAP_FAILED;                                   \
    return system_##name()(address, length, protection, flags, file, offset);                     \
  }

MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

#define STAT(name, type)                                                                   \
  int name(const char *path, struct type *status) {                                        \
    return path_fails(FAILING_CALLS_STATUS, path) ? -1 : system_##name()(path, status);    \
  }

STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)

#define FSTAT(name, type)                                                                  \
  int name(int file, struct type *status) {                                                \
    return file_fails(FAILING_CALLS_STATUS, file) ? -1 : system_##name()(file, status);    \
  }

FSTAT(fstat, stat)
FSTAT(fstat64, stat64)

int access(const char *path, int mode) {
  return path_fails(FAILING_CALLS_STATUS, path) ? -1 : system_access()(path, mode);
}

/// Whether a disk is full because calls fail that write: it has no room either.
static bool is_full(const char *path) {
  if (!is_path_watched(path)) return false;
  pthread_mutex_lock(&mutex);
  const bool is_full = state.error == ENOSPC && state.failed > 0 && !state.is_paused;
  pthread_mutex_unlock(&mutex);
  return is_full;
}

#define STATVFS(name)                                          \
  int name(const char *path, struct name *status) {            \
    const int result = system_##name()(path, status);          \
    if (result == 0 && is_full(path)) status->f_bavail = 0;    \
    return result;                                             \
  }

STATVFS(statvfs)
STATVFS(statvfs64)

// ---- What tests call.

bool failing_calls_are_available(void) { return true; }

static void forget_counts(void) {
  memset(state.counts, 0, sizeof state.counts);
  state.failed = 0;
}

static void disarm(void) { state.rest = 0; }

void failing_calls_watch(const char *folder) {
  pthread_mutex_lock(&mutex);
  free(state.folder);
  state.folder = folder == NULL ? NULL : strdup(folder);
  state.length = folder == NULL ? 0 : strlen(folder);
  state.is_paused = false;
  state.kinds = 0;
  disarm();
  forget_counts();
  atomic_store(&is_watching, folder != NULL);
  pthread_mutex_unlock(&mutex);
}

void failing_calls_fail(int64_t n, unsigned kinds, int error, bool stays) {
  pthread_mutex_lock(&mutex);
  forget_counts();
  state.rest = n;
  state.kinds = kinds;
  state.error = error;
  state.stays = stays;
  pthread_mutex_unlock(&mutex);
}

void failing_calls_disarm(void) {
  pthread_mutex_lock(&mutex);
  disarm();
  pthread_mutex_unlock(&mutex);
}

void failing_calls_pause(bool is_paused) {
  pthread_mutex_lock(&mutex);
  state.is_paused = is_paused;
  pthread_mutex_unlock(&mutex);
}

int64_t failing_calls_count(unsigned kinds) {
  int64_t count = 0;
  pthread_mutex_lock(&mutex);
  for (int kind = 0; kind < KINDS; kind += 1)
    if ((kinds & 1u << kind) != 0) count += state.counts[kind];
  pthread_mutex_unlock(&mutex);
  return count;
}

int64_t failing_calls_failed(void) {
  pthread_mutex_lock(&mutex);
  const int64_t count = state.failed;
  pthread_mutex_unlock(&mutex);
  return count;
}

#else

bool failing_calls_are_available(void) { return false; }

void failing_calls_watch(const char *folder) { (void)folder; }

void failing_calls_fail(int64_t n, unsigned kinds, int error, bool stays) {
  (void)n, (void)kinds, (void)error, (void)stays;
}

void failing_calls_disarm(void) {}

void failing_calls_pause(bool is_paused) { (void)is_paused; }

int64_t failing_calls_count(unsigned kinds) {
  (void)kinds;
  return 0;
}

int64_t failing_calls_failed(void) { return 0; }

#endif
