import Foundation
import LiveStoreSQLite
import Synchronization

extension PartFile {
  /// Writes files, each of which has its name when all are complete; none is left behind after an error or a signal.
  ///
  /// A signal only says that the writing is to end: what writes could make a file again that another thread has removed.
  /// - Parameters:
  ///   - replacing: whether files that have the names are replaced.
  ///   - interrupt: ends what the body waits for.
  ///   - body: writes the files; may end early, and throw anything, after a signal.
  static func writing(
    _ targets: [URL], replacing: Bool = true, interrupt: @escaping @Sendable () -> Void,
    _ body: (_ parts: [PartFile], _ hasEnded: () -> Bool) throws -> Void
  ) throws {
    let parts = targets.map { PartFile(of: $0) }
    let received = Received()
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        // A second one does not wait.
        if received.number.exchange(number, ordering: .relaxed) != 0 { exit(128 + number) }
        interrupt()
      }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    let result = Result {
      try body(parts) { received.number.load(ordering: .relaxed) != 0 }
      if received.number.load(ordering: .relaxed) != 0 { return false }
      for part in parts { try part.complete(replacing: replacing) }
      return true
    }
    // A signal that comes after they are complete is too late.
    if case .success(true) = result { return }
    for part in parts { part.remove() }
    let number = received.number.load(ordering: .relaxed)
    if number != 0 { exit(128 + number) }
    _ = try result.get()
  }

  /// The signal that came; 0 for none.
  private final class Received: Sendable {
    let number = Atomic<Int32>(0)
  }
}
