#include <sqlite3.h>
#include <time.h>

// What Swift cannot call: functions with variable arguments, and the methods of SQLite's files.

/// Has a connection run no triggers and read no views and virtual tables, and change its own tables by SQL alone.
static inline int csqlite_restrict(sqlite3 *database) {
  int result = sqlite3_drop_modules(database, 0);
  if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  return result;
}

/// The processor time that a thread may have taken by then, in nanoseconds, and whether it has taken more.
struct csqlite_deadline {
  sqlite3 *database;
  sqlite3_int64 end;
  int is_over;
};

static inline sqlite3_int64 csqlite_thread_time(void) {
  struct timespec time;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) ? 0 : time.tv_sec * (sqlite3_int64)1000000000 + time.tv_nsec;
}

static int csqlite_is_over(void *context) {
  struct csqlite_deadline *deadline = context;
  // Loading the schema ends with loading statistics, by statements of SQLite's own: they would compute what another has declared in
  // the place of a column, in one step. SQLite goes on without statistics. Its statements have no text meanwhile; those that
  // read the schema have five columns, and those that declare what it has none.
  for (sqlite3_stmt *statement = sqlite3_next_stmt(deadline->database, 0); statement;
       statement = sqlite3_next_stmt(deadline->database, statement)) {
    int columns = sqlite3_column_count(statement);
    if (!sqlite3_sql(statement) && (columns == 2 || columns == 3)) return 1;
  }
  if (csqlite_thread_time() > deadline->end) deadline->is_over = 1;
  return deadline->is_over;
}

/// Loads the schema, once, which a file may have made endless, as by trees that lead to one page again and again, without statistics.
///
/// Returns SQLITE_INTERRUPT if that takes more than so many nanoseconds of processor time, and SQLITE_TOOBIG if a text has
/// more than so many bytes, or a declaration more than 256 KB: the time and memory that one takes grow with its square.
static inline int csqlite_load_schema(sqlite3 *database, sqlite3_int64 nanoseconds, int maximum_length) {
  // This recovers a log, which takes as long as the log is large.
  int result = sqlite3_exec(database, "PRAGMA data_version", 0, 0, 0);
  if (result != SQLITE_OK) return result;
  struct csqlite_deadline deadline = {database, csqlite_thread_time() + nanoseconds, 0};
  int length = sqlite3_limit(database, SQLITE_LIMIT_LENGTH, maximum_length);
  int sql_length = sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, 1 << 18);
  // At each step that may end a statement: one may parse a text of the whole length, and one may be the first of statistics.
  sqlite3_progress_handler(database, 1, csqlite_is_over, &deadline);
  result = sqlite3_exec(database, "SELECT count(*) FROM sqlite_master NOT INDEXED", 0, 0, 0);
  sqlite3_progress_handler(database, 0, 0, 0);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, length);
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, sql_length);
  return deadline.is_over ? SQLITE_INTERRUPT : result;
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
