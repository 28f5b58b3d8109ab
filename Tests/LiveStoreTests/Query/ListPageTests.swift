import Foundation
import LiveStore
import TestSupport
import Testing

private struct Song: Entity {
  let id: Int
  var stars = 0
  static let schema = Schema<Song> { \.stars }
}

private struct Playlist: Entity {
  let id: Int
  var songs = RefList<Song>()
  static let schema = Schema<Playlist> { Relation(\.songs) }
}

/// Entries of a list have labels that ascend, and those around get others where there is no room for one more (R8, R11).
@Suite struct `Pages of a list` {
  private static let queries: [Query<Song>] = [
    Song.linked(from: \Playlist.songs, of: 1), Song.linked(from: \Playlist.songs, of: 1).sorted(by: \.stars),
    Song.linked(from: \Playlist.songs, of: 1).sorted(by: \.stars, .descending).where { $0.stars < 3 },
  ]

  private func store(_ count: Int) throws -> Store {
    let store = try Store(Song.self, Playlist.self)
    try store.write { tx in
      try tx.insert(contentsOf: (0..<1_000).map { Song(id: $0, stars: $0 % 4) })
      for id in 1...2 { try tx.insert(Playlist(id: id, songs: RefList(ids: 0..<count))) }
    }
    return store
  }

  /// Bug: where entries had got other labels between two pages, the second began behind the wrong one.
  @Test func `a page goes on behind the last row of the one before, or is refused`() throws {
    var (refused, read) = (0, 0)
    for count in [8, 40] {
      for (number, query) in Self.queries.enumerated() {
        for place in 0...6 {
          let store = try store(count)
          let kept = store.fetch(query).map(\.id)
          var (page, ids) = (try store.page(of: query, first: 4), [Int]())
          ids += page.rows.map(\.id)
          var next = 100
          while let cursor = page.next {
            // Enough at one place for the labels to have no room.
            for _ in 0..<7 {
              try store.write { tx in
                try tx.update(Playlist.self, 1) { $0.songs.insert(Ref(next), at: place) }
              }
              next += 1
            }
            do {
              page = try store.page(of: query, after: cursor, first: 4)
              ids += page.rows.map(\.id)
              read += 1
            } catch {
              #expect(error.code == StoreError.invalidCursor)
              refused += 1
              break
            }
            if ids.count > 500 { break }
          }
          let seen = ids.filter { $0 < 100 }
          #expect(seen == Array(kept.prefix(seen.count)), "\(count), \(number), \(place)")
          if page.next == nil { #expect(seen == kept) }
        }
      }
    }
    #expect(refused > 0 && read > 100)
  }

  @Test func `entries that no edit touches are on one page each, whatever is edited between`() throws {
    var (refused, whole) = (0, 0)
    for seed in Seeds.forSuite(60, thorough: 3_000) {
      var random = SplitMix64(seed: seed)
      let store = try store(random.int(1...60))
      var (untouched, next) = (Set(0..<60), 100)
      var versions = [store.snapshot()]
      let query = Song.linked(from: \Playlist.songs, of: 1)
      let order = store.fetch(query).map(\.id)
      var (cursor, ids) = (PageCursor?.none, [Int]())
      do {
        repeat {
          let page = try store.page(of: query, after: cursor, first: random.int(1...9))
          ids += page.rows.map(\.id)
          cursor = page.next
          for _ in 0..<random.int(0...12) {
            try store.write { tx in
              try tx.update(Playlist.self, 1) { edit(&$0.songs, &untouched, &next, versions, &random) }
            }
            versions.append(store.snapshot())
          }
        } while cursor != nil && ids.count < 500
        if cursor == nil { whole += 1 }
      } catch let error as StoreError {
        #expect(error.code == StoreError.invalidCursor)
        refused += 1
      }
      let expected = order.filter(untouched.contains)
      let seen = ids.filter(untouched.contains)
      #expect(
        seen == (cursor == nil ? expected : Array(expected.prefix(seen.count))), "LIVESTORE_SEED=\(seed)")
    }
    #expect(whole > refused, "\(whole) walks to the end, \(refused) refused")
  }

  /// Edits a list in one of the ways in which clients do.
  private func edit(
    _ songs: inout RefList<Song>, _ untouched: inout Set<Int>, _ next: inout Int, _ versions: [Snapshot],
    _ random: inout SplitMix64
  ) {
    let count = songs.count
    switch random.int(0...9) {
    case 0 where count > 0:
      untouched.remove(songs.remove(at: random.int(0...count - 1)).id)
    case 1 where count > 0:
      let (source, target) = (random.int(0...count - 1), random.int(0...count - 1))
      untouched.remove(songs[source].id)
      songs.move(from: source, to: target)
    case 2:
      // As when the object is decoded.
      songs = RefList(ids: songs.ids)
    case 3:
      // An older list, with what has come and gone since.
      let old = random.pick(versions)[Playlist.self, 1]?.songs ?? songs
      let ids = songs.ids
      var list = old
      list.removeAll { !ids.contains($0.id) }
      for (index, id) in ids.enumerated() where !list.ids.contains(id) {
        untouched.remove(id)
        list.insert(Ref(id), at: min(index, list.count))
      }
      // Those that do not stand in the same order any more were moved.
      for (one, other) in zip(list.ids, ids) where one != other {
        untouched.remove(one)
        untouched.remove(other)
      }
      songs = list
    case 4 where next < 1_000:
      songs.append(Ref(next))
      next += 1
    default:
      guard next < 1_000 else { return }
      songs.insert(Ref(next), at: min(2, count))
      next += 1
    }
  }

  /// Bug: lists that were filled by updates had the number that empty ones have.
  @Test func `a cursor of a list that was emptied, or of another that was filled, is refused`() throws {
    let store = try store(0)
    let (one, other) = (Song.linked(from: \Playlist.songs, of: 1), Song.linked(from: \Playlist.songs, of: 2))
    try store.write { tx in
      for id in 1...2 {
        try tx.update(Playlist.self, id) { $0.songs.append(contentsOf: (0..<8).map { Ref($0) }) }
      }
    }
    let cursor = try store.page(of: one, first: 3).next
    #expect(try store.page(of: one, after: cursor, first: 3).rows.map(\.id) == [3, 4, 5])
    func expectRefusal(_ query: Query<Song>) {
      let error = #expect(throws: StoreError.self) { try store.page(of: query, after: cursor, first: 3) }
      #expect(error?.code == StoreError.invalidCursor)
    }
    expectRefusal(other)
    // The entries that stay keep their places.
    try store.write { tx in
      try tx.update(Playlist.self, 1) { $0.songs = RefList(ids: [7, 2, 3, 4, 5, 6]) }
    }
    #expect(try store.page(of: one, after: cursor, first: 9).rows.map(\.id) == [3, 4, 5, 6])
    try store.write { tx in
      try tx.update(Playlist.self, 1) { $0.songs = [] }
      try tx.update(Playlist.self, 1) { $0.songs = RefList(ids: 0..<8) }
    }
    expectRefusal(one)
    // Replaced within, without being empty.
    let whole = try store.page(of: one, first: 3).next
    try store.write { tx in
      try tx.update(Playlist.self, 1) { songs in
        songs.songs.append(contentsOf: (20..<28).map { Ref($0) })
        songs.songs.removeFirst(8)
      }
    }
    let replaced = #expect(throws: StoreError.self) { try store.page(of: one, after: whole, first: 3) }
    #expect(replaced?.code == StoreError.invalidCursor)
    // Without entries, and without an owner, there is no row behind any place.
    let last = try store.page(of: one, first: 3).next
    try store.write { tx in try tx.update(Playlist.self, 1) { $0.songs.removeAll() } }
    #expect(try store.page(of: one, after: last, first: 3).rows.isEmpty)
    try store.write { tx in try tx.delete(Playlist.self, 1) }
    #expect(try store.page(of: one, after: last, first: 3).rows.isEmpty)
    try store.write { tx in try tx.insert(Playlist(id: 1, songs: RefList(ids: 0..<8))) }
    let second = try store.page(of: one, first: 3).next
    try store.write { tx in try tx.update(Playlist.self, 1) { $0.songs = RefList(ids: 10..<18) } }
    let error = #expect(throws: StoreError.self) { try store.page(of: one, after: second, first: 3) }
    #expect(error?.code == StoreError.invalidCursor)
  }

  @Test func `a cursor of another list, and of rows of no list, is refused`() throws {
    let store = try store(40)
    let (one, other) = (Song.linked(from: \Playlist.songs, of: 1), Song.linked(from: \Playlist.songs, of: 2))
    let cursor = try #require(try store.page(of: one, first: 3).next)
    let elsewhere = try #require(try store.page(of: Song.all, first: 3).next)
    for (query, cursor) in [(other, cursor), (Song.all, cursor), (one, elsewhere)] {
      let error = #expect(throws: StoreError.self) { try store.page(of: query, after: cursor, first: 3) }
      #expect(error?.code == StoreError.invalidCursor)
      #expect(error?.message.contains("another list") == true, "\(error as Any)")
    }
  }
}
