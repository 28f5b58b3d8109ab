#include <sqlite3.h>

// What Swift cannot call: functions with variable arguments, and the methods of SQLite's files.

/// Has a connection run no triggers and read no views, and change its own tables by SQL alone.
static inline int csqlite_restrict(sqlite3 *database) {
  int result = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  return result;
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
