import Foundation
import LiveStore
import NIOCore

/// What a client asks for: queries with the fields that it gets, always at one version.
struct StreamSource: Sendable {
  let store: Store
  let parts: [any StreamPart]
  /// What names the queries, and the fields that they show.
  let fingerprint: UInt64

  init(_ store: Store, _ parts: [any StreamPart]) {
    (self.store, self.parts) = (store, parts)
    fingerprint = LiveStoreServer.fingerprint(parts.flatMap(\.names))
  }

  /// The mark of a result.
  ///
  /// - Parameter version: a version at which the store has this result; nil for its own.
  func mark(_ result: StreamResult, at version: Version? = nil) -> StreamMark {
    StreamMark(offset: offset(version ?? result.version), rowCount: result.count)
  }

  func offset(_ version: Version) -> StreamOffset { StreamOffset(store.identity, fingerprint, version) }

  /// The result now.
  ///
  /// - Throws: `filterTooExpensive`, `unknownEntity`.
  func fetch() throws(StoreError) -> StreamResult { try result(in: store.snapshot()) }

  private func result(in snapshot: Snapshot) throws(StoreError) -> StreamResult {
    try StreamResult(parts.map { $0.result(in: snapshot) })
  }

  /// The results from now on, as they are kept up to date, a little behind the writers, which wake nothing.
  func observe() -> LiveValues<[any Sendable]> {
    store.values(ofEach: parts.map(\.observed), tolerance: .milliseconds(10))
  }

  /// The result of what an observer got.
  ///
  /// - Throws: `filterTooExpensive`, `unknownEntity`.
  func result(of values: [any Sendable]) throws(StoreError) -> StreamResult {
    try StreamResult(
      zip(parts, values).map { part, value in
        guard let result = part.result(of: value) else {
          preconditionFailure("a query has results of another entity")
        }
        return result
      })
  }

  /// Whether a client at an offset may get a difference; otherwise it gets a snapshot.
  func mayContinue(from offset: StreamOffset) -> Bool {
    offset.identity == store.identity && offset.fingerprint == fingerprint && offset.version <= store.version
  }

  /// The messages from a version that a client has to a result.
  ///
  /// - Parameter limit: how many bytes there may be.
  /// - Returns: nil if there are more, the history no longer has the version, or the query cannot be evaluated at it.
  /// - Throws: what a value's encoder throws.
  func difference(from version: Version, to newest: StreamResult, limit: Int) async throws -> [UInt8]? {
    guard let snapshot = try? store.snapshot(at: version), let old = try? result(in: snapshot) else {
      return nil
    }
    let origin = await origin(after: version, through: newest.version)
    return try newest.step(from: old, origin: origin, limit: limit)
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
