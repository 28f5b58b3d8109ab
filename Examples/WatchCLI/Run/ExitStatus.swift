package import LiveStore

/// What the tool's exit status says, after BSD's `sysexits.h` where that has a word for it.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case success = 0
  case badLine = 1
  case notMet = 2
  case commandFailed = 3
  case usage = 64
  case badInput = 65
  case noInput = 66
  case software = 70
  case outputFailed = 74
  // As of `timeout`.
  case timedOut = 124
  // 128 and the number of the signal.
  case hungUp = 129
  case interrupted = 130
  case terminated = 143
}

extension ExitStatus {
  /// What the status means, in a few words.
  package var meaning: String {
    switch self {
    case .success:
      "end of input or of the output's reader, or --until, --until-empty or --until-count was met"
    case .badLine: "bad line under --strict"
    case .notMet: "end of input before --until, --until-empty or --until-count was met"
    case .commandFailed: "a command of --exec failed"
    case .usage: "bad options or filter"
    case .badInput: "input of bad lines only"
    case .noInput: "input not readable"
    case .software: "defect of the tool"
    case .outputFailed: "output not writable"
    case .timedOut: "end of the time of --timeout"
    case .hungUp: "terminal closed"
    case .interrupted: "interrupted"
    case .terminated: "terminated"
    }
  }
}

/// Why the tool stops early: a sentence for standard error, if there is something to say, and the status.
package struct Exit: Error, Hashable, Sendable {
  /// The status to exit with.
  package let status: ExitStatus
  /// The sentence, without the tool's name.
  package let message: String?
  /// Lines that show what the sentence is about.
  package let details: [String]

  /// An end with a status and perhaps a sentence.
  package init(_ status: ExitStatus, _ message: String? = nil, details: [String] = []) {
    (self.status, self.message, self.details) = (status, message, details)
  }

  /// An error of the store: a filter that takes too long is a bad one.
  package init(_ error: StoreError) {
    self.init(error.code == .filterTooExpensive ? .usage : .software, error.message)
  }

  /// Bad options: one clear message, status 64.
  package static func usage(_ message: String) -> Exit {
    Exit(.usage, message)
  }
}

extension Exit {
  /// The same end; if a signal asked for it, with what there was by then.
  package func summarized(_ summary: @autoclosure () -> String) -> Exit {
    switch status {
    case .interrupted: Exit(status, "interrupted: \(summary())")
    case .terminated: Exit(status, "terminated: \(summary())")
    case .timedOut: Exit(status, "the time is over: \(summary())")
    case .hungUp: Exit(status, "terminal closed: \(summary())")
    default: self
    }
  }

  /// The same end with further lines.
  package func adding(_ lines: [String]) -> Exit {
    Exit(status, message, details: details + lines)
  }
}
