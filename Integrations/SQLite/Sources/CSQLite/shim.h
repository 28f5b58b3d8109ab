#include <sqlite3.h>

// What Swift cannot call: functions with variable arguments, and the methods of SQLite's files.

/// Has a connection run no triggers and read no views, and change its own tables by SQL alone.
static inline int csqlite_restrict(sqlite3 *database) {
  int result = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  return result;
}

/// Counts down, and ends what a connection runs when nothing is left.
static int csqlite_count_down(void *rest) { return --*(sqlite3_int64 *)rest < 0; }

/// Loads the schema of a connection, whose trees a file may have made endless by leading to one page again and again.
///
/// Returns SQLITE_INTERRUPT if that takes more than so many thousand steps of the virtual machine, and SQLITE_BUSY if the
/// file is locked. Other errors come again with the next statement.
static inline int csqlite_load_schema(sqlite3 *database, sqlite3_int64 thousands) {
  sqlite3_int64 rest = thousands;
  sqlite3_progress_handler(database, 1000, csqlite_count_down, &rest);
  int result = sqlite3_exec(database, "SELECT count(*) FROM sqlite_master", 0, 0, 0);
  sqlite3_progress_handler(database, 0, 0, 0);
  // The statistics of tables are loaded with it, and their errors are not told.
  return rest < 0 ? SQLITE_INTERRUPT : result == SQLITE_BUSY ? SQLITE_BUSY : SQLITE_OK;
}

/// Reads bytes of the file of a connection, as they are there, past its log.
static inline int csqlite_read(sqlite3 *database, unsigned char *bytes, int count, sqlite3_int64 offset) {
  sqlite3_file *file = 0;
  int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (result != SQLITE_OK) return result;
  return file && file->pMethods ? file->pMethods->xRead(file, bytes, count, offset) : SQLITE_CANTOPEN;
}

/// Reads the first bytes of a file, as they are there, whatever they are.
static inline int csqlite_read_beginning(const char *path, unsigned char *bytes, int count) {
  sqlite3 *database = 0;
  int result = sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, 0);
  if (result == SQLITE_OK) result = csqlite_read(database, bytes, count, 0);
  sqlite3_close(database);
  return result;
}
