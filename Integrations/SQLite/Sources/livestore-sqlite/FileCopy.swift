import Foundation
import LiveStore
import LiveStoreSQLite
import Synchronization

/// A store that has the objects of one entity as they are in a file, whenever it is brought up to date.
///
/// State: what was read last; guarded by the mutex, and used by one caller at a time.
final class FileCopy: Sendable {
  let store: Store
  private let url: URL
  private let reader: FileReader
  private let entity: String?
  private let state = Mutex(State())

  private struct State {
    var changeNumber: Int?
    var properties: [String] = []
    /// The rows that the store has, with what tells a changed one.
    var checks: [Int64: Int64] = [:]
    var identity: NSNumber?
  }

  init(_ url: URL, _ reader: FileReader, _ entity: String?) throws {
    store = try Store(StoredObject.self)
    (self.url, self.reader, self.entity) = (url, reader, entity)
  }

  /// The names of the entity's properties.
  var properties: [String] { state.withLock { $0.properties } }

  /// Takes over what another process has written to the file since the last time.
  ///
  /// - Throws: an error if the file cannot be read, or another took its place.
  func update() throws {
    try state.withLock { state in
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
      guard let identity = attributes?[.systemFileNumber] as? NSNumber else {
        throw WatchError(errorDescription: "The file \(url.path) was removed.")
      }
      if let known = state.identity, known != identity {
        throw WatchError(errorDescription: "The file \(url.path) was replaced by another. Watch it again.")
      }
      state.identity = identity
      let number = try reader.changeNumber()
      if number == state.changeNumber { return }
      try read(&state)
      state.changeNumber = number
    }
  }

  private func read(_ state: inout State) throws {
    var checks: [Int64: Int64] = [:]
    var changed: [StoredObject] = []
    try reader.read { file in
      let name = try file.entity(entity)
      state.properties = file.properties(name)
      try file.forEach(name) { row in
        checks[row.number] = row.check
        if state.checks[row.number] != row.check {
          changed.append(StoredObject(id: row.number, object: row.object))
        }
      }
    }
    let deleted = state.checks.keys.filter { checks[$0] == nil }
    try store.write { tx in
      try tx.upsert(contentsOf: changed)
      for number in deleted { try tx.delete(StoredObject.self, number) }
    }
    state.checks = checks
  }
}

/// Why watching ended.
struct WatchError: LocalizedError {
  let errorDescription: String?
}
