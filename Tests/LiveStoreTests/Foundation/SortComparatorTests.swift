import Foundation
import LiveStore
import TestSupport
import Testing

private struct Song: Entity, Equatable {
  struct Place: Equatable, Sendable { var shelf = 0, name = "" }
  let id: Int
  var title = ""
  var plays = 0
  var length: Double?
  var place = Place()
  var scratch = 0
  static let schema = Schema<Song> {
    \.title
    Property(\.plays, .indexed)
    \.length
    \.place
    Ignored(\.scratch)
  }
}

/// An order that no key of the store has.
private struct ByLength: SortComparator {
  var order = SortOrder.forward

  func compare(_ lhs: Song, _ rhs: Song) -> ComparisonResult {
    let (left, right) = (lhs.title.count, rhs.title.count)
    let result = left < right ? -1 : left > right ? 1 : 0
    return ComparisonResult(rawValue: order == .forward ? result : -result) ?? .orderedSame
  }
}

@Suite struct SortComparatorTests {
  private static let words = ["", "a", "A", "abc", "é", "e\u{301}x", "ß", "が", "swift"]

  private func song(_ id: Int, _ random: inout SplitMix64) -> Song {
    var song = Song(id: id, title: random.pick(Self.words + Self.words.map { $0 + "x" }))
    song.plays = random.int(0...5)
    song.length = random.chance(1, in: 3) ? nil : Double(random.int(0...3))
    song.place = Song.Place(shelf: random.int(0...4), name: random.pick(Self.words))
    song.scratch = random.int(0...3)
    return song
  }

  @Test func `sort descriptors by properties are the store's own sorts`() {
    #expect(Song.all.sorted(using: SortDescriptor(\.title)) == Song.all.sorted(by: \.title))
    #expect(
      Song.sorted(using: SortDescriptor(\.title, comparator: .lexical, order: .reverse))
        == Song.sorted(by: \.title, .descending))
    #expect(Song.sorted(using: SortDescriptor(\.length)) == Song.sorted(by: \.length))
    #expect(Song.sorted(using: SortDescriptor(\.id, order: .reverse)) == Song.sorted(by: \.id, .descending))
    #expect(Song.sorted(using: SortDescriptor(\.place.shelf)) == Song.sorted(by: \.place.shelf))
    #expect(
      Song.sorted(using: [SortDescriptor(\.plays, order: .reverse), SortDescriptor(\.title)])
        == Song.sorted(by: \.plays, .descending).sorted(by: \.title))
    #expect(Song.sorted(using: [SortDescriptor<Song>]()) == Song.all)
    #expect(Song.sorted(using: ByLength()) == Song.sorted(using: ByLength()))
    #expect(Song.sorted(using: ByLength()) != Song.sorted(using: ByLength(order: .reverse)))
    #expect(Song.sorted(using: ByLength()) != Song.sorted(using: KeyPathComparator(\.title)))
  }

  @Test func `every comparator orders as Foundation does, fetched and live`() async throws {
    for seed in Seeds.forSuite(2, thorough: 40) {
      var random = SplitMix64(seed: seed)
      try await check([SortDescriptor(\Song.title), SortDescriptor(\.plays, order: .reverse)], &random, seed)
      try await check([SortDescriptor(\Song.length, order: .reverse)], &random, seed)
      try await check([SortDescriptor(\Song.place.name), SortDescriptor(\.length)], &random, seed)
      try await check([SortDescriptor(\Song.scratch), SortDescriptor(\.title)], &random, seed)
      try await check([KeyPathComparator(\Song.plays), KeyPathComparator(\.title)], &random, seed)
      try await check([ByLength(order: .reverse)], &random, seed)
    }
  }

  private func check(
    _ comparators: [some SortComparator<Song>], _ random: inout SplitMix64, _ seed: UInt64
  ) async throws {
    let store = try Store(Song.self)
    var songs = (0..<40).map { song($0, &random) }
    let first = songs
    try await store.write { tx in try tx.insert(contentsOf: first) }
    let query = Song.sorted(using: comparators)
    let live = Recorder<[Int]>()
    let token = store.observe(query) { live.append($0.results?.map(\.id) ?? []) }
    for _ in 0..<4 {
      try await store.settled()
      let expected = songs.sorted(using: comparators).map(\.id)
      #expect(store.fetch(query).map(\.id) == expected, "seed \(seed), \(query)")
      #expect(live.last == expected, "seed \(seed), \(query), live")
      for _ in 0..<5 {
        let place = random.int(0...songs.count - 1)
        songs[place] = song(songs[place].id, &random)
      }
      let changed = songs
      try await store.write { tx in for song in changed { try tx.upsert(song) } }
    }
    token.invalidate()
  }

  @Test func `an order by a comparator has no pages, and says so`() async throws {
    let store = try Store(Song.self)
    try await store.write { tx in try tx.insert(contentsOf: (0..<5).map { Song(id: $0) }) }
    do {
      _ = try store.snapshot().page(of: Song.sorted(using: ByLength()), first: 2)
      Issue.record("a page")
    } catch {
      #expect(error.code == StoreError.invalidCursor)
    }
  }
}
