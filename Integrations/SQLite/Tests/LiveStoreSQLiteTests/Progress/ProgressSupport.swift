import Foundation
import LiveStore
import LiveStoreSQLite
import Synchronization
import Testing

/// An entity whose rows fill pages.
struct Page: Entity, Codable, Equatable {
  let id: Int
  var text: String
  var note: String?
  static let schema = Schema<Page> {
    \.text
    \.note
  }

  /// More bytes in all than SQLite keeps in memory.
  static let many = (0..<4_000).map { id in
    Page(id: id, text: "page \(id) " + String(repeating: "x", count: 1_000), note: "note \(id)")
  }
}

enum Shorter {
  /// The same without a property.
  struct Page: Entity, Codable, Equatable {
    let id: Int
    var text: String
    static let schema = Schema<Page> { \.text }
  }
}

/// An operation that reports its progress, in a folder.
typealias ReportingOperation =
  @Sendable (_ folder: Folder, _ progress: @escaping @Sendable (StoreFile.Progress) -> Void) async throws ->
  Void

/// What an operation reports.
struct ProgressReports {
  private(set) var all: [StoreFile.Progress] = []
  /// Whether the operation ended with a `CancellationError`.
  private(set) var isCancelled = false

  /// Runs an operation, of which each report is seen.
  ///
  /// - Parameter index: the report at which its task is cancelled; nil for none.
  init(of operation: @escaping ReportingOperation, in folder: Folder, cancelledAt index: Int? = nil)
    async throws
  {
    let shared = Shared()
    let (isSet, setter) = AsyncStream.makeStream(of: Void.self)
    let task = ProgressReporter.$interval.withValue(.zero) {
      Task {
        for await _ in isSet {}
        try await operation(folder) { progress in
          let count = shared.reports.withLock { reports in
            reports.append(progress)
            return reports.count
          }
          if count - 1 == index { shared.running.withLock { $0 }?.cancel() }
        }
      }
    }
    shared.running.withLock { $0 = task }
    setter.finish()
    do {
      try await task.value
    } catch is CancellationError {
      isCancelled = true
    }
    all = shared.reports.withLock { $0 }
  }

  private final class Shared: Sendable {
    let reports = Mutex<[StoreFile.Progress]>([])
    let running = Mutex<Task<Void, any Error>?>(nil)
  }

  /// The reports of each phase, in order.
  var phases: [(phase: StoreFile.Progress.Phase, reports: [StoreFile.Progress])] {
    var phases: [(phase: StoreFile.Progress.Phase, reports: [StoreFile.Progress])] = []
    for report in all {
      if phases.last?.phase == report.phase {
        phases[phases.count - 1].reports.append(report)
      } else {
        phases.append((report.phase, [report]))
      }
    }
    return phases
  }

  /// Expects phases, in each of which the amount increases from 0 to the total.
  func expect(_ names: [StoreFile.Progress.Phase], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(phases.map(\.phase) == names, sourceLocation: sourceLocation)
    for (phase, reports) in phases {
      let amounts = reports.map(\.done)
      #expect(
        amounts.first == 0 && amounts == amounts.sorted(), "\(phase): \(amounts)",
        sourceLocation: sourceLocation)
      #expect(
        Set(reports.map(\.total)).count == 1 && Set(reports.map(\.unit)).count == 1,
        sourceLocation: sourceLocation)
      if let total = reports.last?.total {
        #expect(amounts.last == total && total > 0, "\(phase): \(amounts)", sourceLocation: sourceLocation)
      }
    }
  }

  /// Where operations are cancelled: at the first report of each phase, at one in its middle, and at its last.
  var places: [Int] {
    var (places, before): ([Int], Int) = ([], 0)
    for (_, reports) in phases {
      places += Set([0, reports.count / 2, reports.count - 1]).map { before + $0 }
      before += reports.count
    }
    return places.sorted()
  }
}

extension Folder {
  /// What each file has.
  var contents: [String: Data] {
    get throws {
      let files = try names.map { name in (name, try Data(contentsOf: url.appendingPathComponent(name))) }
      return Dictionary(uniqueKeysWithValues: files)
    }
  }

  /// A folder with the same files.
  func copy() throws -> Folder {
    let copy = try Folder()
    for (name, data) in try contents { try data.write(to: copy.url.appendingPathComponent(name)) }
    return copy
  }
}
