import Foundation
import LiveStore
import NIOCore

/// A query that a client may ask, with the fields that it gets.
struct StreamSource<Element: Entity>: Sendable {
  let store: Store
  /// The query, which tracks linked values that are shown.
  let query: Query<Element>
  let writer: MessageWriter<Element>
  /// What names the query, and the fields that it shows.
  let fingerprint: UInt64

  /// The mark of a result.
  ///
  /// - Parameter version: a version at which the store has this result; nil for its own.
  func mark(_ results: Results<Element>, at version: Version? = nil) -> StreamMark {
    StreamMark(offset: offset(version ?? results.version), rowCount: results.count)
  }

  func offset(_ version: Version) -> StreamOffset { StreamOffset(store.identity, fingerprint, version) }

  /// The result now.
  ///
  /// - Throws: `filterTooExpensive`, `unknownEntity`.
  func fetch() throws(StoreError) -> Results<Element> { try checked(store.fetch(query)) }

  private func checked(_ results: Results<Element>) throws(StoreError) -> Results<Element> {
    if let error = results.error { throw error }
    return results
  }

  /// Whether a client at an offset may get a difference; otherwise it gets a snapshot.
  func mayContinue(from offset: StreamOffset) -> Bool {
    offset.identity == store.identity && offset.fingerprint == fingerprint && offset.version <= store.version
  }

  /// The messages from a version that a client has to a result; nil if the history no longer has the version.
  ///
  /// - Throws: `filterTooExpensive`, and what a value's encoder throws.
  func difference(from version: Version, to results: Results<Element>) async throws -> [UInt8]? {
    let snapshot: Snapshot
    do {
      snapshot = try store.snapshot(at: version)
    } catch StoreError.historyTruncated {
      return nil
    }
    let changes = try checked(snapshot.fetch(query)).changes(to: results)
    return try writer.step(changes, origin: await origin(after: version, through: results.version))
  }

  /// The origin of the commits between two versions, if they are few and all have the same.
  func origin(after version: Version, through last: Version) async -> String? {
    // More are merged only under load, and then seldom have one writer.
    guard last > version, last.number - version.number <= 16 else { return nil }
    var origin: String?
    do {
      for try await commit in store.commits(after: version) {
        guard let name = commit.origin, origin == nil || origin == name else { return nil }
        origin = name
        if commit.version >= last { return origin }
      }
    } catch {
      // The history is shorter; the origin is only a courtesy.
    }
    return nil
  }
}
