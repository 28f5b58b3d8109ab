import Foundation
import LiveStore
import LiveStoreSQLite

/// Why the tool ends early: a sentence for standard error, if there is something to say, and the exit status.
package struct ToolFailure: Error, Equatable {
  package let status: Int32
  package var message: String?
  /// Lines that show what the sentence is about.
  package var details: [String] = []

  /// Wrong options, or a wrong filter.
  static func usage(_ message: String) -> ToolFailure { ToolFailure(status: EX_USAGE, message: message) }
  /// A file that cannot be read.
  static func input(_ message: String) -> ToolFailure { ToolFailure(status: EX_NOINPUT, message: message) }
  /// Damage was found.
  static let damaged = ToolFailure(status: EXIT_FAILURE)
  /// The reader of the output has enough.
  static let closedOutput = ToolFailure(status: EXIT_SUCCESS)

  /// A signal asked for the end.
  static func signal(_ number: Int32) -> ToolFailure { ToolFailure(status: 128 + number) }
}

extension ToolFailure {
  /// The end that an error means; nil if it is one of the parser of arguments.
  init?(_ error: any Error) {
    switch error {
    case let failure as ToolFailure: self = failure
    case let error as StoreFileError where error.code == .wrongKey:
      self = .input(
        "\(error.message) A key is named by --key-file or LIVESTORE_KEY; see livestore-sqlite help query.")
    case let error as StoreFileError:
      self.init(status: error.code == .damaged ? EXIT_FAILURE : EX_NOINPUT, message: error.message)
    case let error as FileChangedError: self = .input(error.localizedDescription)
    case let error as FileTargetError:
      self.init(status: EX_CANTCREAT, message: error.localizedDescription)
    case let error as FileGoneError: self = .input(error.localizedDescription)
    case let error as StoreError where error.code == StoreError.invalidFilter:
      // The filter is shown below the sentence.
      let lines = error.message.unicodeScalars.split(separator: "\n").map { String($0) }
      self.init(status: EX_USAGE, message: lines.first, details: Array(lines.dropFirst()))
    case let error as StoreError where error.code == .filterTooExpensive: self = .usage(error.message)
    case let error as StoreError: self.init(status: EX_SOFTWARE, message: error.message)
    case let error as CocoaError: self = .input(error.localizedDescription)
    default: return nil
    }
  }
}
