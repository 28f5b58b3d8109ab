/// A line that is not a document, and the reason.
package struct BadLine: Hashable, Sendable, CustomStringConvertible {
  /// The file as given on the command line.
  package let file: String
  /// The line, counted from 1.
  package let line: Int
  /// What is wrong with it; of names and values in it that are very long, the beginning.
  package let reason: String

  private static let longest = 1_000

  /// A bad line of a file.
  package init(file: String, line: Int, reason: String) {
    (self.file, self.line) = (file, line)
    let scalars = reason.unicodeScalars
    self.reason = scalars.count > Self.longest ? String(scalars.prefix(Self.longest)) + "…" : reason
  }

  /// `FILE:LINE: reason`, as compilers write it.
  package var description: String {
    "\(file):\(line): \(reason)"
  }
}
