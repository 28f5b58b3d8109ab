import Foundation
import LiveStore
import Testing

private enum Tone: Sendable, CaseIterable { case loud, soft }

private struct Maker: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<Maker> {
    \.name
    Inverse("songs", of: \Song.maker)
  }
}

private struct Song: Entity {
  let id: Int
  var title = ""
  var plays = 0
  var length: Double?
  var tone = Tone.loud
  var cover = Data()
  var added = Date(timeIntervalSinceReferenceDate: 0)
  var isLive = false
  var tags: [String] = []
  var maker: Ref<Maker>?
  var guests = RefList<Maker>()
  static let schema = Schema<Song> {
    \.title
    Property(\.plays, .indexed)
    \.length
    \.tone
    \.cover
    \.added
    \.isLive
    \.tags
    Relation(\.maker)
    Relation(\.guests)
  }
}

/// A wrong text. `‸` stands before each of the columns that name the mistake.
private struct Mistake: Sendable, CustomTestStringConvertible {
  let marked: String
  let arguments: [(any Sendable)?]
  /// What the message must contain.
  let words: [String]

  init(_ marked: String, _ arguments: (any Sendable)?..., naming words: String...) {
    self.marked = marked
    self.arguments = arguments
    self.words = words
  }

  var text: String { marked.replacing("‸", with: "") }
  var columns: [Int] {
    var columns: [Int] = []
    for (place, character) in marked.enumerated() where character == "‸" {
      columns.append(place + 1 - columns.count)
    }
    return columns
  }
  var testDescription: String { text }
}

@Suite struct FilterMistakeTests {
  private static let mistakes = [
    Mistake("‸plyas > 1", naming: "plyas", "plays"),
    Mistake("plays > 1 AND ‸titel == 'x'", naming: "titel", "title"),
    Mistake("‸maker.‸nmae == 'x'", naming: "nmae", "name"),
    Mistake("‸title.‸size == 3", naming: "title"),
    Mistake("‸plays ‸== ‸'many'", naming: "plays"),
    Mistake("‸title ‸> ‸3", naming: "title"),
    Mistake("‸title ‸== ‸%@", 3, naming: "title"),
    Mistake("‸isLive ‸== ‸'x'", naming: "isLive"),
    Mistake("‸added ‸< ‸5", naming: "added"),
    Mistake("‸plays ‸CONTAINS ‸'1'", naming: "plays"),
    Mistake("‸plays ‸BEGINSWITH ‸%@", "1", naming: "plays"),
    Mistake("‸tone ‸< ‸%@", Tone.soft, naming: "tone"),
    Mistake("‸cover ‸>= ‸%@", Data(), naming: "cover"),
    Mistake("‸maker ‸< ‸%@", Ref<Maker>(1), naming: "maker"),
    Mistake("‸(plays == 1‸"),
    Mistake("plays == 1‸)"),
    Mistake("plays == 1 ‸plays == 2"),
    Mistake("plays == 1 ‸title"),
    Mistake("plays == 1 AND‸"),
    Mistake("plays == 1 AND ‸"),
    Mistake("plays ==‸"),
    Mistake("‸"),
    Mistake("‸== 1"),
    Mistake("plays ‸=== 1", naming: "="),
    Mistake("title == ‸'open‸"),
    Mistake("‸ANY ‸plays == 1", naming: "plays"),
    Mistake("‸ALL ‸maker.name == 'x'", naming: "maker.name"),
    Mistake("‸guests.‸@sum > 3", naming: "guests"),
    Mistake("‸guests.‸@sum.‸name > 3", naming: "name"),
    Mistake("‸plays.‸@count > 3", naming: "plays"),
    Mistake("‸plays ‸IN ‸3", naming: "plays"),
    Mistake("‸plays ‸IN ‸%@", 3, naming: "plays"),
    Mistake("‸plays ‸IN ‸{1, ‸'x'}", naming: "plays"),
    Mistake("‸plays ‸BETWEEN ‸{1}"),
    Mistake("‸plays ‸BETWEEN ‸{1, 2, 3}"),
    Mistake("‸1 ‸== ‸2"),
    Mistake("‸title ‸MATCHES ‸'a('", naming: "title"),
    Mistake("‸title ‸MATCHES ‸%@", "[", naming: "title"),
    Mistake("plays == ‸%@"),
    Mistake("plays == ‸$missing", naming: "missing"),
    Mistake("‸%K == 1", 3),
    Mistake("‸%K == 1", "pla ys", naming: "pla ys"),
    Mistake("‸%K == 1", "plyas", naming: "plyas"),
    Mistake("plays == ‸nonsense", naming: "nonsense"),
    Mistake("‸plays‸"),
    Mistake("NOT‸"),
    Mistake("‸SUBQUERY(‸plays, $x, $x > 1).@count > 0", naming: "plays"),
    Mistake("SUBQUERY(guests, $x, ‸$x.‸nmae == 'a').@count > 0", naming: "nmae", "name"),
    Mistake("‸SUBQUERY(guests, $x, $x.name == 'a') ‸> ‸0"),
    Mistake("title ==‸[‸x] 'a'", naming: "x"),
    Mistake("plays == ‸0xZ"),
    Mistake("title == 'é' AND ‸plyas > 1", naming: "plyas"),
    Mistake("title == '👩‍👩‍👧' AND ‸plyas > 1", naming: "plyas"),
  ]

  @Test(arguments: mistakes)
  private func `a wrong text is an error with its column that names the mistake`(mistake: Mistake) {
    do throws(StoreError) {
      let query = try Song.where(format: mistake.text, arguments: mistake.arguments)
      Issue.record("accepted as \(query)")
    } catch {
      #expect(error.code == StoreError.invalidFilter)
      let column = error.column ?? 0
      #expect(mistake.columns.contains(column), "column \(column): \(error)")
      for word in mistake.words { #expect(error.message.contains(word)) }
    }
  }

  @Test func `backlinks are found by the name of the inverse and by entity and property`() throws {
    let store = try Store(Song.self, Maker.self)
    try store.write { tx in
      try tx.insert(contentsOf: [Maker(id: 1, name: "Ann"), Maker(id: 2, name: "Bea"), Maker(id: 3)])
      try tx.insert(Song(id: 1, title: "a", plays: 5, maker: Ref(1), guests: [Ref(2)]))
      try tx.insert(Song(id: 2, title: "b", plays: 1, maker: Ref(1)))
      try tx.insert(Song(id: 3, title: "c", plays: 9, maker: Ref(2), guests: [Ref(2), Ref(1)]))
    }
    let expected: [(String, [Int])] = [
      ("songs.@count == 2", [1]), ("songs.@count == 0", [3]), ("ANY songs.plays > 4", [1, 2]),
      ("ALL songs.plays > 4", [2, 3]), ("NONE songs.plays > 4", [3]), ("songs.@sum.plays == 6", [1]),
      ("songs.@max.plays == 9", [2]), ("@links.Song.maker.@count == 2", [1]),
      ("ANY @links.Song.maker.plays == 1", [1]), ("ANY @links.Song.maker.title == 'b'", [1]),
      ("ANY songs.title == 'c' OR name == 'Ann'", [1, 2]),
      ("SUBQUERY(songs, $s, $s.plays < 6 AND $s.title != 'a').@count == 1", [1]),
      ("@links.Song.maker.@sum.plays == 6", [1]),
    ]
    for (text, ids) in expected {
      #expect(try store.snapshot().fetch(Maker.where(format: text)).map(\.id) == ids, "\(text)")
    }
    let counted = try Song.where(format: "maker.songs.@count == 2")
    #expect(store.snapshot().fetch(counted).map(\.id) == [1, 2])
    let nested = try Maker.where(format: "SUBQUERY(@links.Song.maker, $s, $s.plays == 9).@count == 1")
    #expect(store.snapshot().fetch(nested).map(\.id) == [2])
    #expect(try store.snapshot().fetch(Song.where(format: "ANY maker.songs.plays == 9")).map(\.id) == [3])
    #expect(try store.snapshot().fetch(Song.where(format: "ANY guests.songs.plays == 1")).map(\.id) == [3])
  }

  @Test func `a link in a text is the link in Swift`() throws {
    #expect(try Song.where(format: "maker == %@", Ref<Maker>(1)) == Song.where { $0.maker == Ref(1) })
    #expect(try Song.where(format: "maker == %@", Maker(id: 1)) == Song.where { $0.maker == Ref(1) })
    #expect(try Song.where(format: "maker == 1") == Song.where { $0.maker == Ref(1) })
  }

  @Test func `the id in a text is the id in Swift`() throws {
    let store = try Store(Song.self, Maker.self)
    try store.write { tx in try tx.insert(contentsOf: (1...20).map { Song(id: $0) }) }
    let (one, some) = (try Song.where(format: "id == 3"), try Song.where(format: "id IN {1, 2}"))
    #expect(one == Song.where { $0.id == 3 })
    #expect(some == Song.where { $0.id.in([1, 2]) })
    #expect(one.explain(in: store.snapshot()).hasPrefix("id of Song"))
  }

  @Test func `an integer beyond the property's type has an order with its values`() throws {
    let store = try Store(Counter.self)
    try store.write { tx in try tx.insert(Counter(id: 1)) }
    for (text, count) in [
      ("small < 300", 1), ("small <= 300", 1), ("small > 300", 0), ("small >= -129", 1), ("big > -1", 1),
      ("big <= -1", 0),
    ] {
      #expect(try store.snapshot().count(Counter.where(format: text)) == count, "\(text)")
    }
  }
}

private struct Counter: Entity {
  let id: Int
  var small: Int8 = 0
  var big: UInt64 = 0
  static let schema = Schema<Counter> {
    \.small
    \.big
  }
}
