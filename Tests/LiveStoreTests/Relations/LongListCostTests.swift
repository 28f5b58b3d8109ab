import LiveStore
import Synchronization
import TestSupport
import Testing

/// An id that counts how often it is compared.
private struct CountedID: Hashable, Sendable {
  static let comparisons = Atomic<Int>(0)
  let number: Int

  static func == (lhs: CountedID, rhs: CountedID) -> Bool {
    comparisons.add(1, ordering: .relaxed)
    return lhs.number == rhs.number
  }
}

private struct Song: Entity {
  let id: CountedID
  var plays = 0
  static let schema = Schema<Song> { \.plays }
}

private struct Playlist: Entity {
  let id: Int
  var songs = RefList<Song>()
  static let schema = Schema<Playlist> { \.songs }
}

/// Costs are counted in comparisons of ids, never in time.
@Suite struct `Costs of long lists` {
  /// Bug: a commit that changed all objects of a list took its length squared, a second among a thousand. Cause: for
  /// each object the list was read to see where the object stands in it, or whether it does. Mend: the index of links
  /// tells whether, and the list's tree is walked once.
  @Test func `the cost of a change of a whole list is in proportion to the list`() async throws {
    let size = 500
    let store = try Store(Song.self, Playlist.self)
    let ids = (0..<size).map { CountedID(number: $0) }
    try await store.write { tx in try tx.insert(Playlist(id: 1)) }
    let tokens = [
      store.observe(Song.linked(from: \Playlist.songs, of: 1)) { _ in },
      store.observe(Playlist.where { $0.songs.contains { $0.plays == 3 } }) { _ in },
    ]
    /// How often ids are compared, for each object.
    func cost(_ body: (borrowing WriteTransaction) throws -> Void) async throws -> Int {
      try await store.settled()
      let before = CountedID.comparisons.load(ordering: .relaxed)
      try await store.write { tx in try body(tx) }
      try await store.settled()
      return (CountedID.comparisons.load(ordering: .relaxed) - before) / size
    }
    let inserted = try await cost { tx in
      try tx.insert(contentsOf: ids.map { Song(id: $0) })
      try tx.update(Playlist.self, 1) { $0.songs = RefList(ids: ids) }
    }
    let updated = try await cost { tx in try tx.update(Song.all) { $0.plays += 1 } }
    let listed = Song.where { $0.linking(\Playlist.songs).where { $0.id == 1 }.count == 1 }
    let before = CountedID.comparisons.load(ordering: .relaxed)
    #expect(store.snapshot().count(listed) == size)
    let read = (CountedID.comparisons.load(ordering: .relaxed) - before) / size
    let deleted = try await cost { tx in _ = try tx.delete(Song.all) }
    // A list of 500 that is read for each object is 250 on average.
    for count in [inserted, updated, read, deleted] { #expect(count < 50) }
    for token in tokens { token.invalidate() }
  }
}
