#ifndef FAILING_CALLS_H
#define FAILING_CALLS_H

// Calls to the system that fail when a test asks for it, with the error number that the system would give.
//
// The functions of the C library that open, read, write, sync, cut, lock, map, rename, link and remove files, and those
// that ask for their status, are defined here once more. The dynamic linker gives those of the program to every library,
// so that SQLite, Foundation and the code under test all call them. Each passes its call on, unless the test watches the
// folder that the file is in, and has armed a failure.
//
// A VFS (`faulty_vfs.h`) sees the calls of SQLite alone, and says nothing of error numbers. It models what a disk has
// after a loss of power, which this does not.
//
// There is one state for the process, and any thread may call. It works on Linux, in programs that are linked without a
// sanitizer: those have functions of these names themselves.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of calls, as a set.
enum {
  /// Opens a file that is there.
  FAILING_CALLS_OPEN = 1 << 0,
  /// Opens one that is not there, to make it.
  FAILING_CALLS_MAKE = 1 << 1,
  FAILING_CALLS_READ = 1 << 2,
  FAILING_CALLS_WRITE = 1 << 3,
  /// Of a file or a folder.
  FAILING_CALLS_SYNC = 1 << 4,
  FAILING_CALLS_TRUNCATE = 1 << 5,
  /// Takes a lock; to give one up never fails.
  FAILING_CALLS_LOCK = 1 << 6,
  FAILING_CALLS_REMOVE = 1 << 7,
  /// Renames, or makes a second name.
  FAILING_CALLS_RENAME = 1 << 8,
  /// Maps shared memory.
  FAILING_CALLS_MAP = 1 << 9,
  /// Asks whether there is a file, and what it is.
  FAILING_CALLS_STATUS = 1 << 10,
};

/// Whether calls can fail in this program.
bool failing_calls_are_available(void);

/// Watches the files in a folder, and the folder itself, from now on; NULL for none. Nothing is armed, and all counts are 0.
void failing_calls_watch(const char *folder);

/// Arms: the n-th call of some kinds fails, counting from 1 and from now; if `stays`, all later ones of them, too.
///
/// Once a call has failed with `ENOSPC`, the disk also says that it has no room.
///
/// With an error of 0 a call that reads or writes several bytes takes about half of them, and no other call counts.
void failing_calls_fail(int64_t n, unsigned kinds, int error, bool stays);

/// Nothing is armed any longer. The counts stay.
void failing_calls_disarm(void);

/// From now on no call counts or fails, until it is called again.
void failing_calls_pause(bool is_paused);

/// How many calls of some kinds were made since a failure was last armed, those that failed included.
int64_t failing_calls_count(unsigned kinds);

/// How many of them failed.
int64_t failing_calls_failed(void);

#ifdef __cplusplus
}
#endif

#endif
