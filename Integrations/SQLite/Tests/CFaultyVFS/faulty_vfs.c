#include "faulty_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The model is described in the header.

#define SECTOR 512

// ---- Memory. A test has no use for going on without it.

static void *checked(void *memory) {
  if (memory == NULL) {
    fputs("faulty_vfs: out of memory\n", stderr);
    abort();
  }
  return memory;
}

// ---- Images: bytes that grow.

struct image {
  unsigned char *bytes;
  size_t length;
  size_t capacity;
};

/// Cuts or extends with zeros.
static void image_resize(struct image *image, size_t length) {
  if (length > image->capacity) {
    image->capacity = length + length / 2;
    image->bytes = checked(realloc(image->bytes, image->capacity));
  }
  if (length > image->length) memset(image->bytes + image->length, 0, length - image->length);
  image->length = length;
}

static void image_write(struct image *image, size_t offset, const unsigned char *bytes, size_t count) {
  if (count == 0) return;
  if (offset + count > image->length) image_resize(image, offset + count);
  memcpy(image->bytes + offset, bytes, count);
}

// ---- Contents: what a file holds for certain, and the changes since.

enum change_state {
  UNSYNCED,
  /// Certain, but behind a change that is not, so that it cannot be part of the image yet.
  SYNCED,
  /// A sync of it failed: no later sync makes it durable.
  STRANDED,
};

struct change {
  struct change *next;
  /// Its place in the order of all changes, of contents and of names.
  uint64_t number;
  enum change_state state;
  bool is_truncation;
  /// Of a truncation, the new length.
  size_t offset;
  size_t count;
  unsigned char bytes[];
};

struct content {
  int uses;
  /// How many of the uses are open files.
  int open_files;
  ino_t inode;
  struct image durable;
  struct change *first;
  struct change **end;
};

static struct content *content_create(void) {
  struct content *content = checked(calloc(1, sizeof *content));
  content->end = &content->first;
  return content;
}

static void content_drop_first(struct content *content) {
  struct change *change = content->first;
  content->first = change->next;
  if (content->first == NULL) content->end = &content->first;
  free(change);
}

static struct content *content_retain(struct content *content) {
  if (content != NULL) content->uses += 1;
  return content;
}

static void content_release(struct content *content) {
  if (content == NULL) return;
  content->uses -= 1;
  if (content->uses > 0) return;
  while (content->first != NULL) content_drop_first(content);
  free(content->durable.bytes);
  free(content);
}

static void content_add(struct content *content, uint64_t number, bool is_truncation, size_t offset, size_t count,
                        const void *bytes) {
  struct change *change = checked(malloc(sizeof *change + count));
  *change = (struct change){
      .number = number, .state = UNSYNCED, .is_truncation = is_truncation, .offset = offset, .count = count};
  if (count > 0) memcpy(change->bytes, bytes, count);
  *content->end = change;
  content->end = &change->next;
}

static void change_apply(const struct change *change, struct image *image) {
  if (change->is_truncation)
    image_resize(image, change->offset);
  else
    image_write(image, change->offset, change->bytes, change->count);
}

static void content_sync(struct content *content) {
  for (struct change *change = content->first; change != NULL; change = change->next)
    if (change->state == UNSYNCED) change->state = SYNCED;
  while (content->first != NULL && content->first->state == SYNCED) {
    change_apply(content->first, &content->durable);
    content_drop_first(content);
  }
}

static void content_strand(struct content *content) {
  for (struct change *change = content->first; change != NULL; change = change->next)
    if (change->state == UNSYNCED) change->state = STRANDED;
}

// ---- Names: what a path stands for, for certain, and the creations and deletions since.

struct step {
  struct step *next;
  uint64_t number;
  /// NULL: deleted.
  struct content *content;
};

struct name {
  struct name *next;
  char *path;
  /// Whether it was opened as a main database, which may have shared memory beside it.
  bool is_database;
  /// NULL: absent.
  struct content *durable;
  struct step *first;
  struct step **end;
};

static struct content *name_current(const struct name *name) {
  struct content *content = name->durable;
  for (const struct step *step = name->first; step != NULL; step = step->next) content = step->content;
  return content;
}

static void name_add(struct name *name, uint64_t number, struct content *content) {
  struct step *step = checked(malloc(sizeof *step));
  *step = (struct step){.number = number, .content = content_retain(content)};
  *name->end = step;
  name->end = &step->next;
}

/// Makes a content, or absence, what the path stands for, for certain.
static void name_settle(struct name *name, struct content *content) {
  content_retain(content);
  content_release(name->durable);
  name->durable = content;
  while (name->first != NULL) {
    struct step *step = name->first;
    name->first = step->next;
    content_release(step->content);
    free(step);
  }
  name->end = &name->first;
}

static bool names_share_directory(const struct name *one, const struct name *other) {
  const size_t length = (size_t)(strrchr(one->path, '/') - one->path) + 1;
  return strncmp(one->path, other->path, length) == 0 && strchr(other->path + length, '/') == NULL;
}

// ---- The state.

enum call { WRITE, SYNC, TRUNCATION, DELETION, CALL_KINDS };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct {
  sqlite3_vfs *wrapped;
  char *folder;
  size_t folder_length;
  /// A number for the time between two restarts; files opened in an earlier one fail.
  uint64_t life;
  bool has_lost_power;
  struct name *names;
  struct name **names_end;
  uint64_t next_number;
  int64_t temporary_files;

  int64_t total;
  int64_t calls[CALL_KINDS];
  int64_t failed;
  /// As values of `total`; 0: not armed.
  int64_t lose_power_at;
  int64_t fail_at;
  faulty_vfs_failure failure;
  bool failure_stays;
} state = {.names_end = &state.names};

static void enter(void) { pthread_mutex_lock(&mutex); }

static void leave(void) { pthread_mutex_unlock(&mutex); }

static bool is_treated(const char *path) {
  return path != NULL && state.folder != NULL && strncmp(path, state.folder, state.folder_length) == 0 &&
         path[state.folder_length] == '/';
}

static void forget_calls(void) {
  memset(state.calls, 0, sizeof state.calls);
  state.failed = 0;
}

static void disarm(void) {
  state.lose_power_at = 0;
  state.fail_at = 0;
}

/// Forgets all files and begins a new life.
static void begin_life(void) {
  while (state.names != NULL) {
    struct name *name = state.names;
    state.names = name->next;
    name_settle(name, NULL);
    free(name->path);
    free(name);
  }
  state.names_end = &state.names;
  state.life += 1;
  state.has_lost_power = false;
  disarm();
  forget_calls();
}

static void sync_directory(const struct name *within) {
  for (struct name *name = state.names; name != NULL; name = name->next)
    if (names_share_directory(within, name)) name_settle(name, name_current(name));
}

/// Reads a whole file.
static int read_image(const char *path, struct image *image) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  ssize_t count;
  do {
    unsigned char buffer[16384];
    count = read(file, buffer, sizeof buffer);
    if (count > 0) image_write(image, image->length, buffer, (size_t)count);
  } while (count > 0 || (count < 0 && errno == EINTR));
  const int error = count < 0 ? errno : 0;
  close(file);
  return error;
}

/// Whether a content, with all its changes, has certain bytes.
static bool content_equals(const struct content *content, const struct image *expected) {
  struct image image = {0};
  image_write(&image, 0, content->durable.bytes, content->durable.length);
  for (const struct change *change = content->first; change != NULL; change = change->next)
    change_apply(change, &image);
  const bool is_equal = image.length == expected->length &&
                        (image.length == 0 || memcmp(image.bytes, expected->bytes, image.length) == 0);
  free(image.bytes);
  return is_equal;
}

/// The name for a path, brought up to date with what is on disk. NULL if that cannot be read.
static struct name *find_name(const char *path) {
  struct name *name = state.names;
  while (name != NULL && strcmp(name->path, path) != 0) name = name->next;

  struct stat status;
  const bool exists = stat(path, &status) == 0;
  struct content *current = name == NULL ? NULL : name_current(name);
  const bool is_open =
      exists && current != NULL && current->open_files > 0 && current->inode == status.st_ino;
  struct content *found = NULL;
  // Closing a file frees the locks that the process has on it, so one that is open must not be read here.
  if (exists && !is_open) {
    found = content_create();
    found->inode = status.st_ino;
    const int error = read_image(path, &found->durable);
    const bool is_known = current != NULL && current->open_files == 0 && content_equals(current, &found->durable);
    if (error != 0 || is_known) {
      content_release(found);
      found = NULL;
    }
    if (error != 0) return NULL;
    if (is_known) current->inode = status.st_ino;
  }
  if (name == NULL) {
    name = checked(calloc(1, sizeof *name));
    name->path = checked(strdup(path));
    name->end = &name->first;
    *state.names_end = name;
    state.names_end = &name->next;
  }
  if (found != NULL)
    name_settle(name, found);
  else if (!exists && current != NULL)
    name_add(name, state.next_number++, NULL);
  return name;
}

enum verdict { SUCCEEDS, IS_DEAD, LOSES_POWER, FAILS };

/// Counts a call that changes a file and decides about it.
static enum verdict decide(enum call call, uint64_t life) {
  if (state.has_lost_power || life != state.life) return IS_DEAD;
  state.total += 1;
  state.calls[call] += 1;
  if (state.lose_power_at > 0 && state.total >= state.lose_power_at) {
    state.has_lost_power = true;
    return LOSES_POWER;
  }
  if (state.fail_at > 0 && state.total >= state.fail_at &&
      (state.failure == FAULTY_VFS_FAILURE_IO || call == WRITE)) {
    if (!state.failure_stays) state.fail_at = 0;
    state.failed += 1;
    return FAILS;
  }
  return SUCCEEDS;
}

// ---- Files.

struct handle {
  sqlite3_file base;
  uint64_t life;
  /// Whether the next sync is one of the directory too.
  bool syncs_directory;
  /// Valid in its life only.
  struct name *name;
  struct content *content;
};

#define HANDLE_SIZE ((sizeof(struct handle) + 7) & ~(size_t)7)

/// The file of the wrapped VFS lies behind the handle.
static sqlite3_file *wrapped_file(sqlite3_file *file) { return (sqlite3_file *)((char *)file + HANDLE_SIZE); }

static bool is_dead(sqlite3_file *file) {
  enter();
  const bool is_dead = state.has_lost_power || ((struct handle *)file)->life != state.life;
  leave();
  return is_dead;
}

static int file_close(sqlite3_file *file) {
  struct handle *handle = (struct handle *)file;
  sqlite3_file *wrapped = wrapped_file(file);
  enter();
  const int result = wrapped->pMethods->xClose(wrapped);
  handle->content->open_files -= 1;
  content_release(handle->content);
  handle->content = NULL;
  leave();
  return result;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  if (is_dead(file)) return SQLITE_IOERR;
  sqlite3_file *wrapped = wrapped_file(file);
  return wrapped->pMethods->xRead(wrapped, bytes, count, offset);
}

static int write_locked(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  struct handle *handle = (struct handle *)file;
  sqlite3_file *wrapped = wrapped_file(file);
  int result = SQLITE_OK;
  switch (decide(WRITE, handle->life)) {
    case IS_DEAD:
      return SQLITE_IOERR;
    case LOSES_POWER:
      result = SQLITE_IOERR;
      break;
    case FAILS:
      if (state.failure == FAULTY_VFS_FAILURE_IO) return SQLITE_IOERR_WRITE;
      result = SQLITE_FULL;
      count /= 2;
      break;
    case SUCCEEDS:
      break;
  }
  if (count > 0 && result != SQLITE_IOERR) {
    const int written = wrapped->pMethods->xWrite(wrapped, bytes, count, offset);
    if (written != SQLITE_OK) return written;
  }
  if (count > 0)
    content_add(handle->content, state.next_number++, false, (size_t)offset, (size_t)count, bytes);
  return result;
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  enter();
  const int result = write_locked(file, bytes, count, offset);
  leave();
  return result;
}

static int truncate_locked(sqlite3_file *file, sqlite3_int64 length) {
  struct handle *handle = (struct handle *)file;
  sqlite3_file *wrapped = wrapped_file(file);
  int result = SQLITE_OK;
  switch (decide(TRUNCATION, handle->life)) {
    case IS_DEAD:
      return SQLITE_IOERR;
    case FAILS:
      return SQLITE_IOERR_TRUNCATE;
    case LOSES_POWER:
      result = SQLITE_IOERR;
      break;
    case SUCCEEDS:
      result = wrapped->pMethods->xTruncate(wrapped, length);
      if (result != SQLITE_OK) return result;
  }
  content_add(handle->content, state.next_number++, true, (size_t)length, 0, NULL);
  return result;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 length) {
  enter();
  const int result = truncate_locked(file, length);
  leave();
  return result;
}

static int sync_locked(sqlite3_file *file) {
  struct handle *handle = (struct handle *)file;
  switch (decide(SYNC, handle->life)) {
    case IS_DEAD:
    case LOSES_POWER:
      return SQLITE_IOERR;
    case FAILS:
      content_strand(handle->content);
      return SQLITE_IOERR_FSYNC;
    case SUCCEEDS:
      break;
  }
  content_sync(handle->content);
  if (name_current(handle->name) == handle->content) name_settle(handle->name, handle->content);
  if (handle->syncs_directory) sync_directory(handle->name);
  handle->syncs_directory = false;
  return SQLITE_OK;
}

static int file_sync(sqlite3_file *file, int flags) {
  (void)flags;
  enter();
  const int result = sync_locked(file);
  leave();
  return result;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  if (is_dead(file)) return SQLITE_IOERR;
  sqlite3_file *wrapped = wrapped_file(file);
  return wrapped->pMethods->xFileSize(wrapped, size);
}

static int file_lock(sqlite3_file *file, int level) {
  if (is_dead(file)) return SQLITE_IOERR;
  sqlite3_file *wrapped = wrapped_file(file);
  return wrapped->pMethods->xLock(wrapped, level);
}

static int file_unlock(sqlite3_file *file, int level) {
  sqlite3_file *wrapped = wrapped_file(file);
  return wrapped->pMethods->xUnlock(wrapped, level);
}

static int file_check_reserved_lock(sqlite3_file *file, int *is_reserved) {
  if (is_dead(file)) return SQLITE_IOERR;
  sqlite3_file *wrapped = wrapped_file(file);
  return wrapped->pMethods->xCheckReservedLock(wrapped, is_reserved);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  sqlite3_file *wrapped = wrapped_file(file);
  switch (operation) {
    case SQLITE_FCNTL_SIZE_HINT:
    case SQLITE_FCNTL_CHUNK_SIZE:
      return SQLITE_OK;
    case SQLITE_FCNTL_MMAP_SIZE:
      *(sqlite3_int64 *)argument = 0;
      return SQLITE_OK;
    default:
      return wrapped->pMethods->xFileControl(wrapped, operation, argument);
  }
}

static int file_sector_size(sqlite3_file *file) {
  sqlite3_file *wrapped = wrapped_file(file);
  return wrapped->pMethods->xSectorSize(wrapped);
}

static int file_device_characteristics(sqlite3_file *file) {
  sqlite3_file *wrapped = wrapped_file(file);
  const int granted =
      SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN | SQLITE_IOCAP_IMMUTABLE;
  return wrapped->pMethods->xDeviceCharacteristics(wrapped) & granted;
}

static int file_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
  if (is_dead(file)) return SQLITE_IOERR;
  sqlite3_file *wrapped = wrapped_file(file);
  return wrapped->pMethods->xShmMap(wrapped, region, size, extend, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  if ((flags & SQLITE_SHM_LOCK) != 0 && is_dead(file)) return SQLITE_IOERR;
  sqlite3_file *wrapped = wrapped_file(file);
  return wrapped->pMethods->xShmLock(wrapped, offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) {
  sqlite3_file *wrapped = wrapped_file(file);
  wrapped->pMethods->xShmBarrier(wrapped);
}

static int file_shm_unmap(sqlite3_file *file, int deletes) {
  sqlite3_file *wrapped = wrapped_file(file);
  // After a restart the path of the shared memory belongs to others.
  return wrapped->pMethods->xShmUnmap(wrapped, is_dead(file) ? 0 : deletes);
}

static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_device_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

// ---- The VFS.

static int open_locked(const char *path, sqlite3_file *file, int flags, int *flags_out) {
  struct handle *handle = (struct handle *)file;
  sqlite3_file *wrapped = wrapped_file(file);
  if (state.has_lost_power) return SQLITE_IOERR;
  struct name *name = find_name(path);
  if (name == NULL) return SQLITE_CANTOPEN;

  wrapped->pMethods = NULL;
  const int result = state.wrapped->xOpen(state.wrapped, path, wrapped, flags, flags_out);
  if (result != SQLITE_OK) {
    if (wrapped->pMethods != NULL) wrapped->pMethods->xClose(wrapped);
    return result;
  }
  struct content *content = name_current(name);
  if (content == NULL) {
    struct stat status;
    content = content_create();
    content->inode = stat(path, &status) == 0 ? status.st_ino : 0;
    name_add(name, state.next_number++, content);
  }
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) name->is_database = true;
  const int journals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
  handle->life = state.life;
  handle->syncs_directory = (flags & SQLITE_OPEN_CREATE) != 0 && (flags & journals) != 0;
  handle->name = name;
  handle->content = content_retain(content);
  content->open_files += 1;
  file->pMethods = &file_methods;
  return SQLITE_OK;
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *flags_out) {
  (void)vfs;
  enter();
  file->pMethods = NULL;
  if (path == NULL || (flags & SQLITE_OPEN_DELETEONCLOSE) != 0) state.temporary_files += 1;
  // A file that is not treated is one of the wrapped VFS alone.
  const int result = is_treated(path) && (flags & SQLITE_OPEN_DELETEONCLOSE) == 0
                         ? open_locked(path, file, flags, flags_out)
                         : state.wrapped->xOpen(state.wrapped, path, file, flags, flags_out);
  leave();
  return result;
}

static int delete_locked(const char *path, int sync) {
  if (!is_treated(path)) return state.wrapped->xDelete(state.wrapped, path, sync);
  if (state.has_lost_power) return SQLITE_IOERR;
  // With nothing to delete the call changes nothing.
  if (access(path, F_OK) != 0) return state.wrapped->xDelete(state.wrapped, path, 0);
  struct name *name = find_name(path);
  if (name == NULL) return SQLITE_IOERR_DELETE;
  int result = SQLITE_OK;
  switch (decide(DELETION, state.life)) {
    case FAILS:
      return SQLITE_IOERR_DELETE;
    case IS_DEAD:
      return SQLITE_IOERR;
    case LOSES_POWER:
      result = SQLITE_IOERR;
      break;
    case SUCCEEDS:
      result = state.wrapped->xDelete(state.wrapped, path, 0);
      if (result != SQLITE_OK) return result;
  }
  name_add(name, state.next_number++, NULL);
  if (sync && result == SQLITE_OK) sync_directory(name);
  return result;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync) {
  (void)vfs;
  enter();
  const int result = delete_locked(path, sync);
  leave();
  return result;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *is_so) {
  (void)vfs;
  enter();
  const int result = state.has_lost_power && is_treated(path)
                         ? SQLITE_IOERR
                         : state.wrapped->xAccess(state.wrapped, path, flags, is_so);
  leave();
  return result;
}

// The rest knows nothing of files under the folder. `wrapped` never changes once the VFS is registered.

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *path, int size, char *full) {
  (void)vfs;
  return state.wrapped->xFullPathname(state.wrapped, path, size, full);
}

static void *vfs_dl_open(sqlite3_vfs *vfs, const char *path) {
  (void)vfs;
  return state.wrapped->xDlOpen(state.wrapped, path);
}

static void vfs_dl_error(sqlite3_vfs *vfs, int size, char *message) {
  (void)vfs;
  state.wrapped->xDlError(state.wrapped, size, message);
}

static void (*vfs_dl_sym(sqlite3_vfs *vfs, void *library, const char *symbol))(void) {
  (void)vfs;
  return state.wrapped->xDlSym(state.wrapped, library, symbol);
}

static void vfs_dl_close(sqlite3_vfs *vfs, void *library) {
  (void)vfs;
  state.wrapped->xDlClose(state.wrapped, library);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  (void)vfs;
  return state.wrapped->xRandomness(state.wrapped, count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return state.wrapped->xSleep(state.wrapped, microseconds);
}

static int vfs_current_time(sqlite3_vfs *vfs, double *time) {
  (void)vfs;
  return state.wrapped->xCurrentTime(state.wrapped, time);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *message) {
  (void)vfs;
  return state.wrapped->xGetLastError(state.wrapped, size, message);
}

static int vfs_current_time_integer(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  (void)vfs;
  return state.wrapped->xCurrentTimeInt64(state.wrapped, time);
}

static int vfs_set_system_call(sqlite3_vfs *vfs, const char *name, sqlite3_syscall_ptr function) {
  (void)vfs;
  return state.wrapped->xSetSystemCall(state.wrapped, name, function);
}

static sqlite3_syscall_ptr vfs_system_call(sqlite3_vfs *vfs, const char *name) {
  (void)vfs;
  return state.wrapped->xGetSystemCall(state.wrapped, name);
}

static const char *vfs_next_system_call(sqlite3_vfs *vfs, const char *name) {
  (void)vfs;
  return state.wrapped->xNextSystemCall(state.wrapped, name);
}

static sqlite3_vfs faulty_vfs = {
    .zName = "faulty",
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_pathname,
    .xDlOpen = vfs_dl_open,
    .xDlError = vfs_dl_error,
    .xDlSym = vfs_dl_sym,
    .xDlClose = vfs_dl_close,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_current_time,
    .xGetLastError = vfs_last_error,
    .xCurrentTimeInt64 = vfs_current_time_integer,
    .xSetSystemCall = vfs_set_system_call,
    .xGetSystemCall = vfs_system_call,
    .xNextSystemCall = vfs_next_system_call,
};

// ---- Restarting.

/// Sebastiano Vigna's SplitMix64, in the public domain.
static uint64_t next_random(uint64_t *random) {
  *random += 0x9E3779B97F4A7C15;
  uint64_t mixed = *random;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

static uint64_t random_below(uint64_t *random, uint64_t bound) { return next_random(random) % bound; }

struct plan {
  faulty_vfs_loss loss;
  uint64_t random;
  /// In a prefix: what comes before is kept and the change itself is torn.
  uint64_t cut;
  /// In a subset: how many of eight changes are kept.
  uint64_t share;
  faulty_vfs_remains remains;
};

static int compare_numbers(const void *one, const void *other) {
  const uint64_t first = *(const uint64_t *)one;
  const uint64_t second = *(const uint64_t *)other;
  return (first > second) - (first < second);
}

/// Writes the numbers of the uncertain changes of a content, unless `numbers` is NULL, and returns how many there are.
static size_t uncertain_changes(const struct content *content, uint64_t *numbers) {
  size_t count = 0;
  if (content == NULL) return 0;
  for (const struct change *change = content->first; change != NULL; change = change->next) {
    if (change->state == SYNCED) continue;
    if (numbers != NULL) numbers[count] = change->number;
    count += 1;
  }
  return count;
}

/// The same for all names and their contents.
static size_t all_uncertain_changes(uint64_t *numbers) {
  size_t count = 0;
  for (const struct name *name = state.names; name != NULL; name = name->next) {
    count += uncertain_changes(name->durable, numbers == NULL ? NULL : numbers + count);
    for (const struct step *step = name->first; step != NULL; step = step->next) {
      if (numbers != NULL) numbers[count] = step->number;
      count += 1;
      count += uncertain_changes(step->content, numbers == NULL ? NULL : numbers + count);
    }
  }
  return count;
}

static struct plan plan_create(faulty_vfs_loss loss, uint64_t seed) {
  struct plan plan = {.loss = loss, .random = seed};
  if (loss == FAULTY_VFS_LOSS_PREFIX) {
    const size_t count = all_uncertain_changes(NULL);
    uint64_t *numbers = checked(malloc((count + 1) * sizeof *numbers));
    all_uncertain_changes(numbers);
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    numbers[count] = UINT64_MAX;
    plan.cut = numbers[random_below(&plan.random, count + 1)];
    free(numbers);
  } else if (loss == FAULTY_VFS_LOSS_SUBSET) {
    // Nearly nothing or nearly everything is as instructive as the half.
    const uint64_t shares[] = {1, 4, 7};
    plan.share = shares[random_below(&plan.random, 3)];
  }
  return plan;
}

/// What a name stands for after the restart.
static struct content *surviving_content(const struct name *name, struct plan *plan) {
  size_t count = 0;
  for (const struct step *step = name->first; step != NULL; step = step->next)
    if (plan->loss == FAULTY_VFS_LOSS_SUBSET || (plan->loss == FAULTY_VFS_LOSS_PREFIX && step->number < plan->cut))
      count += 1;
  if (plan->loss == FAULTY_VFS_LOSS_SUBSET) count = random_below(&plan->random, count + 1);

  struct content *content = name->durable;
  const struct step *step = name->first;
  for (size_t index = 0; index < count; index += 1) {
    content = step->content;
    step = step->next;
  }
  return content;
}

/// Applies one part of a write, divided at a random boundary of sectors. Returns false, and does nothing, if the write
/// lies within one sector.
static bool apply_torn(const struct change *change, struct image *image, struct plan *plan) {
  if (change->is_truncation || change->count == 0) return false;
  const size_t end = change->offset + change->count;
  const size_t first = change->offset / SECTOR + 1;
  const size_t last = (end - 1) / SECTOR;
  if (first > last) return false;
  const size_t boundary = (first + random_below(&plan->random, last - first + 1)) * SECTOR;
  if (plan->loss == FAULTY_VFS_LOSS_PREFIX || random_below(&plan->random, 2) == 0)
    image_write(image, change->offset, change->bytes, boundary - change->offset);
  else
    image_write(image, boundary, change->bytes + (boundary - change->offset), end - boundary);
  return true;
}

static void apply_uncertain(const struct change *change, struct image *image, struct plan *plan) {
  bool is_kept = false;
  bool is_torn = false;
  if (plan->loss == FAULTY_VFS_LOSS_PREFIX) {
    is_kept = change->number < plan->cut;
    // At times it does not begin.
    is_torn = change->number == plan->cut && random_below(&plan->random, 4) > 0;
  } else if (plan->loss == FAULTY_VFS_LOSS_SUBSET) {
    is_torn = random_below(&plan->random, 5) == 0;
    is_kept = random_below(&plan->random, 8) < plan->share;
  }
  if (is_torn && apply_torn(change, image, plan)) {
    plan->remains.torn += 1;
  } else if (is_kept) {
    change_apply(change, image);
    plan->remains.kept += 1;
  } else {
    plan->remains.dropped += 1;
  }
}

static struct image surviving_image(const struct content *content, struct plan *plan) {
  struct image image = {0};
  image_write(&image, 0, content->durable.bytes, content->durable.length);
  for (const struct change *change = content->first; change != NULL; change = change->next) {
    if (change->state == SYNCED)
      change_apply(change, &image);
    else
      apply_uncertain(change, &image, plan);
  }
  return image;
}

/// Puts a new file in the place of what is at a path, so that files that are still open keep what they have.
static int replace_file(const char *path, const struct image *image) {
  const size_t size = strlen(path) + sizeof ".restart";
  char *temporary = checked(malloc(size));
  snprintf(temporary, size, "%s.restart", path);
  int error = 0;
  const int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) error = errno;
  size_t offset = 0;
  while (error == 0 && offset < image->length) {
    const ssize_t count = write(file, image->bytes + offset, image->length - offset);
    if (count >= 0)
      offset += (size_t)count;
    else if (errno != EINTR)
      error = errno;
  }
  if (file >= 0 && close(file) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary, path) != 0) error = errno;
  if (error != 0) unlink(temporary);
  free(temporary);
  return error;
}

static int remove_file(const char *path, const char *suffix) {
  const size_t size = strlen(path) + strlen(suffix) + 1;
  char *full = checked(malloc(size));
  snprintf(full, size, "%s%s", path, suffix);
  const int error = unlink(full) == 0 || errno == ENOENT ? 0 : errno;
  free(full);
  return error;
}

static int restart_locked(struct plan *plan) {
  for (const struct name *name = state.names; name != NULL; name = name->next) {
    const struct content *content = surviving_content(name, plan);
    int error = 0;
    if (content == NULL) {
      error = remove_file(name->path, "");
    } else {
      struct image image = surviving_image(content, plan);
      error = replace_file(name->path, &image);
      free(image.bytes);
    }
    if (error == 0 && name->is_database) error = remove_file(name->path, "-shm");
    if (error != 0) return error;
  }
  begin_life();
  return 0;
}

// ---- What tests call.

static int register_locked(void) {
  if (state.wrapped != NULL) return 0;
  state.wrapped = sqlite3_vfs_find(NULL);
  if (state.wrapped == NULL) return ENOSYS;
  faulty_vfs.iVersion = state.wrapped->iVersion < 3 ? state.wrapped->iVersion : 3;
  faulty_vfs.mxPathname = state.wrapped->mxPathname;
  faulty_vfs.szOsFile = (int)HANDLE_SIZE + state.wrapped->szOsFile;
  if (sqlite3_vfs_register(&faulty_vfs, 1) == SQLITE_OK) return 0;
  state.wrapped = NULL;
  return ENOSYS;
}

int faulty_vfs_install(const char *folder) {
  char *path = realpath(folder, NULL);
  if (path == NULL) return errno;
  enter();
  const int error = register_locked();
  if (error == 0) {
    begin_life();
    free(state.folder);
    state.folder = path;
    state.folder_length = strlen(path);
  } else {
    free(path);
  }
  leave();
  return error;
}

void faulty_vfs_lose_power_at(int64_t call) {
  enter();
  forget_calls();
  state.lose_power_at = state.total + call;
  leave();
}

void faulty_vfs_lose_power_now(void) {
  enter();
  state.has_lost_power = true;
  leave();
}

bool faulty_vfs_has_lost_power(void) {
  enter();
  const bool has_lost_power = state.has_lost_power;
  leave();
  return has_lost_power;
}

int faulty_vfs_restart(faulty_vfs_loss loss, uint64_t seed, faulty_vfs_remains *remains) {
  enter();
  state.has_lost_power = true;
  struct plan plan = plan_create(loss, seed);
  const int error = restart_locked(&plan);
  leave();
  if (remains != NULL) *remains = plan.remains;
  return error;
}

void faulty_vfs_fail_at(int64_t call, faulty_vfs_failure failure, bool stays) {
  enter();
  forget_calls();
  state.fail_at = state.total + call;
  state.failure = failure;
  state.failure_stays = stays;
  leave();
}

void faulty_vfs_disarm(void) {
  enter();
  disarm();
  leave();
}

int64_t faulty_vfs_temporary_files(void) {
  enter();
  const int64_t count = state.temporary_files;
  leave();
  return count;
}

faulty_vfs_calls_made faulty_vfs_calls(void) {
  enter();
  const faulty_vfs_calls_made calls = {
      .writes = state.calls[WRITE],
      .syncs = state.calls[SYNC],
      .truncations = state.calls[TRUNCATION],
      .deletions = state.calls[DELETION],
      .failed = state.failed,
  };
  leave();
  return calls;
}
