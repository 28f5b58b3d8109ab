import Foundation

/// The three files that every process has, unless its caller closed them.
package enum StandardFiles {
  /// Opens a file in the place of each that is closed, so that no file opened later takes its number and is read or
  /// written by mistake. Using one of these fails as if it were closed, since it is open for the opposite only.
  package static func reserve() {
    for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(number, F_GETFD) < 0 {
      // `open` returns the lowest free number, and all lower ones are in use.
      _ = open("/dev/null", mode)
    }
  }
}
