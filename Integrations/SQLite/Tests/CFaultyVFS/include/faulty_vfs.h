#ifndef FAULTY_VFS_H
#define FAULTY_VFS_H

// A VFS for tests: it loses power and fails calls when a test asks for it.
//
// It wraps the VFS that was the default before and becomes the default itself, so that a library which names no VFS
// uses it. Only files under one folder are treated; all others go to the wrapped VFS directly. Every write reaches
// the real file at once, as if it were the page cache; beside it the VFS keeps, in memory, what a disk would hold
// after a power loss.
//
// The model
//
// Contents: each file has a durable image, its content at the last successful xSync, and the ordered list of writes
// and truncations since. A power loss keeps the image and any part of the list: each change is kept, dropped, or
// (writes only) torn at a multiple of 512 bytes in the file, with the part before or after that place kept. This
// stands for a page cache and a drive that write back in any order, in whole sectors. Bytes around a write never
// change, as SQLITE_IOCAP_POWERSAFE_OVERWRITE promises and SQLite assumes by default. Drives that lie about syncs,
// bit rot and garbage in half-written sectors are not modelled.
//
// Names: each path has a durable state (absent, or a certain file) and the ordered list of creations and deletions
// since. A power loss keeps a first part of the list, so a file that was deleted can come back with what it had, and
// a file that was created can be gone. The list becomes durable when
//   - the file is synced: strictly one has to sync the directory too, which the unix VFS does only for journals and
//     write-ahead logs; the usual Linux file systems keep the name of a new file that was synced;
//   - the directory is synced, for all names in it: by xDelete with syncDir, and by the first sync of a journal or
//     write-ahead log opened for creation, as in the unix VFS.
// SQLite deletes its rollback journal with syncDir only under PRAGMA synchronous = EXTRA.
//
// A failed sync: the changes it should have made durable stay uncertain even after a later sync succeeds, until the
// same bytes are written again and synced. Linux does this: after a failed fsync the pages count as clean.
//
// A full disk: writes fail after half their bytes reached the file; nothing else fails.
//
// What is first seen on disk, when a file is opened or deleted, counts as durable. A file that other code replaces or
// removes is noticed at the next open; a change that other code makes inside a file is not.
//
// Power loss in a running process
//
// With the power lost, each call that touches a file under the folder fails with SQLITE_IOERR; unlocking and closing
// work. faulty_vfs_restart then writes what the disk would hold into new files in the place of the old ones and
// removes the shared memory of write-ahead logs. Connections from before may be closed before or after that, or never:
// the files they have open are no longer in the folder and each call on them goes on failing.
//
// To be known
//   - Syncs do not reach the real disk, so tests run fast; they do not protect the folder from a real power loss.
//   - Mapped memory is off (io methods of version 2), and so are chunk sizes and size hints: they would bypass xWrite.
//   - Of the wrapped VFS's device characteristics only those that the model grants remain: no atomic writes, no safe
//     appends, no sequential writes.
//   - Locks and shared memory pass through, and so do files without a name (temporary files) or deleted on closing.
//   - Opening a file never fails and is not counted, except that it fails with the power lost.
//   - All functions may be called from any thread. There is one state for the process: one test at a time.
//
// SQLite's own test suite has a VFS in the same spirit, "crash" in its src/test6.c, which holds writes back until a
// sync and, at a crash, writes, drops or garbles each. No code is taken from it.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a power loss leaves of the changes that were not synced.
typedef enum {
  /// None of them.
  FAULTY_VFS_LOSS_UNSYNCED,
  /// The first ones, in the order in which they were made across all files; the last of these mostly torn.
  FAULTY_VFS_LOSS_PREFIX,
  /// Any of them, each kept, dropped or torn.
  FAULTY_VFS_LOSS_SUBSET,
} faulty_vfs_loss;

/// How a call fails.
typedef enum {
  /// SQLITE_IOERR_WRITE, _FSYNC, _TRUNCATE or _DELETE; nothing reaches the file.
  FAULTY_VFS_FAILURE_IO,
  /// SQLITE_FULL after half the bytes were written; only writes fail.
  FAULTY_VFS_FAILURE_FULL,
} faulty_vfs_failure;

/// How many calls that change files were made since a failure or power loss was last armed, those that failed and the
/// one that lost power included.
typedef struct {
  int64_t writes;
  int64_t syncs;
  int64_t truncations;
  int64_t deletions;
  /// How many of them failed on demand; the one that lost power does not count.
  int64_t failed;
} faulty_vfs_calls_made;

/// What became of the changes that were not synced, in the files that are left.
typedef struct {
  int64_t kept;
  int64_t torn;
  int64_t dropped;
} faulty_vfs_remains;

/// Makes the VFS the default of the process, treats the files under a folder from now on, and forgets everything
/// before; files opened before fail from now on. The folder must exist. Returns 0 or an error number.
int faulty_vfs_install(const char *folder);

/// Arms: the power goes in the middle of the n-th call that changes a file, counting from 1 and from now.
void faulty_vfs_lose_power_at(int64_t call);

void faulty_vfs_lose_power_now(void);

bool faulty_vfs_has_lost_power(void);

/// Writes what the disk holds after the power loss, and goes on normally with nothing armed. If the power was not
/// lost, it is now. Returns 0 or an error number.
int faulty_vfs_restart(faulty_vfs_loss loss, uint64_t seed, faulty_vfs_remains *remains);

/// Arms: the n-th call that changes a file fails, counting from 1 and from now; or the first write from it on, if the
/// disk is full. If `stays`, all later ones fail too.
void faulty_vfs_fail_at(int64_t call, faulty_vfs_failure failure, bool stays);

/// Nothing is armed any longer. The numbers of calls stay.
void faulty_vfs_disarm(void);

faulty_vfs_calls_made faulty_vfs_calls(void);

// How many temporary files were opened, under any folder, since the process began.
int64_t faulty_vfs_temporary_files(void);

#ifdef __cplusplus
}
#endif

#endif
