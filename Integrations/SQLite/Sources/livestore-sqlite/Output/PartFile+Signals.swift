import Dispatch
import Foundation
import LiveStoreSQLite

extension PartFile {
  /// Writes files, each of which has its name when all are complete; none is left behind after an error or a signal.
  ///
  /// - Parameter replacing: whether files that have the names are replaced.
  static func writing(_ targets: [URL], replacing: Bool = true, _ body: ([PartFile]) throws -> Void) throws {
    let parts = targets.map { PartFile(of: $0) }
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        for part in parts { part.remove() }
        exit(128 + number)
      }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    do {
      try body(parts)
      for part in parts { try part.complete(replacing: replacing) }
    } catch {
      for part in parts { part.remove() }
      throw error
    }
  }
}
