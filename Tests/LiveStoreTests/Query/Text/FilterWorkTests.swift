import Foundation
import LiveStore
import Testing

private struct Blob: Entity {
  let id: Int
  var bytes = Data()
  static let schema = Schema<Blob> { \.bytes }
}

/// What a filter from outside computes for each row counts towards the rows that it may visit.
@Suite(.timeLimit(.minutes(10))) struct `The work of filters from outside` {
  private func store(_ count: Int, _ bytes: Int) throws -> Store {
    let store = try Store(Blob.self)
    try store.write { tx in
      for id in 0..<count { try tx.insert(Blob(id: id, bytes: Data(count: bytes))) }
    }
    return store
  }

  /// Bug: data was searched without a visit, however long it was.
  @Test(arguments: ["CONTAINS", "BEGINSWITH", "ENDSWITH"])
  func `data that is searched counts towards the rows that may be visited`(relation: String) throws {
    let store = try store(10, 1 << 20)
    let query = try Blob.where(format: "bytes \(relation) %@", Data(count: 3))
    #expect(store.fetch(query).count == 10)
    #expect(store.fetch(query.visiting(atMost: 10_000)).error?.limit == .visits)
  }

  /// Bug: 126 products of 38 digits for each row were none of its visits.
  @Test func `a power of decimals counts towards the rows that may be visited`() throws {
    let store = try store(200, 0)
    let query = try Blob.where(
      format: #"CAST("1.0000000000000000001", "NSDecimalNumber") ** 9223372036854775807 > 0 AND id >= 0"#)
    #expect(store.fetch(query).count == 200)
    #expect(store.fetch(query.visiting(atMost: 5_000)).error?.limit == .visits)
  }
}
