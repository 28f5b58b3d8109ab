/// What the tool's exit status says, after BSD's `sysexits.h` where that has a word for it.
package enum ExitStatus: Int32, Sendable {
  /// The end of the input, or of the reader of the output.
  case success = 0
  /// A bad line under `--strict`.
  case badLine = 1
  /// Bad options or a bad filter.
  case usage = 64
  /// An input that cannot be read.
  case noInput = 66
  /// A defect of the tool itself.
  case software = 70
  /// An output that cannot be written.
  case outputFailed = 74
  /// Stopped by SIGINT: 128 and the signal's number.
  case interrupted = 130
}

/// Why the tool stops early: a sentence for standard error, if there is something to say, and the status.
package struct Exit: Error, Hashable, Sendable {
  /// The status to exit with.
  package let status: ExitStatus
  /// The sentence, without the tool's name.
  package let message: String?

  /// An end with a status and perhaps a sentence.
  package init(_ status: ExitStatus, _ message: String? = nil) {
    (self.status, self.message) = (status, message)
  }

  /// Bad options: one clear message, status 64.
  package static func usage(_ message: String) -> Exit {
    Exit(.usage, message)
  }
}
