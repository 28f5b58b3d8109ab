#include <sqlite3.h>

// What is said to a connection by functions with variable arguments, which Swift does not call.

/// Has a connection run no triggers and read no views, and change its own tables by SQL alone.
static inline int csqlite_restrict(sqlite3 *database) {
  int result = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  return result;
}
