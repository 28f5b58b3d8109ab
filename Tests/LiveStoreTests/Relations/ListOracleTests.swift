import LiveStore
import TestSupport
import Testing

/// Lists, sets and maps of one object as live collections, against plain Swift over random histories.
@Suite struct ListOracleTests {
  struct Person: Entity, Hashable {
    let id: Int
    var name: String

    static let schema = Schema<Person> { \.name }
  }

  struct Book: Entity, Hashable {
    let id: Int
    var title: String
    var weight: Int
    var author: Ref<Person>?

    static let schema = Schema<Book> {
      \.title
      \.weight
      Relation(\.author)
    }
  }

  struct Shelf: Entity, Hashable {
    let id: Int
    var label = ""
    var books = RefList<Book>()
    var marks = RefSet<Book>()
    var slots = RefMap<Book>()

    static let schema = Schema<Shelf> {
      \.label
      Relation(\.books)
      Relation(\.marks)
      Relation(\.slots)
    }
  }

  /// A row as an observer sees it: the object and what it is told of others.
  struct Seen: Hashable {
    let book: Book
    var linked: [String] = []
  }

  /// Everything at one version, in arrays.
  struct World {
    let people: [Int: Person]
    let books: [Book]
    let shelves: [Shelf]

    init(_ snapshot: Snapshot) {
      people = Dictionary(snapshot.fetch(Person.all).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
      books = Array(snapshot.fetch(Book.all))
      shelves = Array(snapshot.fetch(Shelf.all))
    }

    var shelf: Shelf? { shelves.first { $0.id == 1 } }
    var listed: [Book] {
      (shelf?.books ?? []).compactMap { reference in books.first { $0.id == reference.id } }
    }
    var marked: [Book] { books.filter { shelf?.marks.contains($0.ref) ?? false } }
    var mapped: [Book] { books.filter { book in shelf?.slots.values.contains(book.ref) ?? false } }
    func author(_ book: Book) -> String? { book.author.flatMap { people[$0.id]?.name } }
    func shelfCount(_ book: Book) -> Int { shelves.count { $0.books.contains(book.ref) } }
  }

  /// A query and the same in plain Swift.
  struct Probe {
    let name: String
    let query: Query<Book>
    /// What an observer limits modifications to.
    var properties: RowPaths<Book>?
    /// What counts as a change of a row besides the row, or instead of it where properties are given.
    var seen: @Sendable (World, Book) -> Seen = { _, book in Seen(book: book) }
    let expected: @Sendable (World) -> [Book]
  }

  static let list = Book.in(\Shelf.books, of: 1)

  /// Nil first, then by `<`; ties stay as they are.
  static func sorted<Key: Comparable>(
    _ books: [Book], descending: Bool = false, by key: (Book) -> Key?
  ) -> [Book] {
    func isBefore(_ left: Key?, _ right: Key?) -> Bool {
      switch (left, right) {
      case (nil, nil), (_, nil): false
      case (nil, _): true
      case (let left?, let right?): isBelow(left, right)
      }
    }
    return books.enumerated().sorted { left, right in
      let (first, second) = (key(left.element), key(right.element))
      let (low, high) = descending ? (second, first) : (first, second)
      return isBefore(low, high) || !isBefore(high, low) && left.offset < right.offset
    }.map(\.element)
  }

  static let probes: [Probe] = [
    Probe(name: "plain", query: list) { $0.listed },
    Probe(name: "filtered", query: list.where { $0.weight > 3 }) { $0.listed.filter { $0.weight > 3 } },
    Probe(name: "by author's name", query: list.where { $0.author.name < "c" }, seen: linkedAuthor) { world in
      world.listed.filter { world.author($0).map { isBelow($0, "c") } ?? false }
    },
    Probe(name: "sorted", query: list.sorted(by: \.weight)) { sorted($0.listed) { $0.weight } },
    Probe(name: "descending", query: list.sorted(by: \.weight, .descending)) {
      sorted($0.listed, descending: true) { $0.weight }
    },
    Probe(name: "two keys", query: list.sorted(by: \.weight).sorted(by: \.title, .descending)) {
      sorted(sorted($0.listed, descending: true) { $0.title }) { $0.weight }
    },
    Probe(name: "sorted by author", query: list.sorted(by: \.author.name), seen: linkedAuthor) { world in
      sorted(world.listed) { world.author($0) }
    },
    Probe(
      name: "sorted by count",
      query: list.sorted(by: \.shelves.count),
      seen: { Seen(book: $1, linked: ["\($0.shelfCount($1))"]) }
    ) { world in
      sorted(world.listed) { world.shelfCount($0) }
    },
    Probe(name: "first five", query: list.limit(5)) { Array($0.listed.prefix(5)) },
    Probe(name: "a window", query: list.offset(2).limit(4)) { Array($0.listed.dropFirst(2).prefix(4)) },
    Probe(name: "sorted window", query: list.sorted(by: \.weight).offset(1).limit(4)) {
      Array(sorted($0.listed) { $0.weight }.dropFirst().prefix(4))
    },
    Probe(name: "where after limit", query: list.limit(6).where { $0.weight > 2 }) {
      $0.listed.prefix(6).filter { $0.weight > 2 }
    },
    Probe(
      name: "where after a sorted limit", query: list.sorted(by: \.weight).limit(6).where { $0.title > "b" }
    ) {
      sorted($0.listed) { $0.weight }.prefix(6).filter { isBelow("b", $0.title) }
    },
    Probe(name: "sorted again", query: list.sorted(by: \.weight).limit(6).sorted(by: \.title)) { world in
      // Ties stand as in the list, whatever the order of the window.
      let places = world.listed.enumerated().map { (place: $0, book: $1) }
      let window = places.sorted { ($0.book.weight, $0.place) < ($1.book.weight, $1.place) }.prefix(6)
      return window.sorted {
        let order = textOrder($0.book.title, $1.book.title)
        return order == 0 ? $0.place < $1.place : order < 0
      }.map(\.book)
    },
    Probe(name: "distinct", query: list.distinct(by: \.weight)) { world in
      var weights: Set<Int> = []
      return world.listed.filter { weights.insert($0.weight).inserted }
    },
    Probe(name: "tracking", query: list.tracking(\.author.name), seen: linkedAuthor) { $0.listed },
    Probe(
      name: "properties", query: list, properties: [\.weight, \.author.name],
      seen: { world, book in
        Seen(
          book: Book(id: book.id, title: "", weight: book.weight, author: book.author),
          linked: [world.author(book) ?? "-"])
      }
    ) { $0.listed },
    Probe(name: "nothing modified", query: list, properties: [], seen: { Seen(book: Book(id: $1.id)) }) {
      $0.listed
    },
    Probe(name: "set", query: Book.in(\Shelf.marks, of: 1)) { $0.marked },
    Probe(name: "sorted set", query: Book.in(\Shelf.marks, of: 1).sorted(by: \.weight).limit(4)) {
      Array(sorted($0.marked) { $0.weight }.prefix(4))
    },
    Probe(name: "map", query: Book.in(\Shelf.slots, of: 1)) { $0.mapped },
    Probe(name: "filtered map", query: Book.in(\Shelf.slots, of: 1).where { $0.weight < 4 }) {
      $0.mapped.filter { $0.weight < 4 }
    },
  ]

  static let linkedAuthor: @Sendable (World, Book) -> Seen = {
    Seen(book: $1, linked: [$0.author($1) ?? "-"])
  }
}

extension ListOracleTests.Book {
  init(id: Int) { self.init(id: id, title: "", weight: 0, author: nil) }
}

extension Row where Element == ListOracleTests.Book {
  /// The shelves whose list has the book.
  var shelves: LinkedRows<ListOracleTests.Shelf> { linking(\ListOracleTests.Shelf.books) }
}

// MARK: Random edits

extension ListOracleTests {
  /// What is edited at random.
  struct Editor {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    mutating func word() -> String { (["a", "b", "c", "d"] + Pool.mixedForms)[number(below: 10)] }

    mutating func start(_ tx: borrowing WriteTransaction) throws {
      for id in 0..<4 { try tx.insert(Person(id: id, name: word())) }
      for id in 0..<12 { try insertBook(id, tx) }
      for id in 1...2 { try tx.insert(Shelf(id: id, books: try books(tx, upTo: 8))) }
    }

    private mutating func insertBook(_ id: Int, _ tx: borrowing WriteTransaction) throws {
      let author = number(below: 5)
      let isThere = tx[Person.self, author] != nil
      try tx.insert(
        Book(id: id, title: word(), weight: number(below: 6), author: isThere ? Ref(author) : nil))
    }

    /// References to books that are there, some of them twice.
    private mutating func books(_ tx: borrowing WriteTransaction, upTo count: Int) throws -> RefList<Book> {
      let ids = Array(tx.fetch(Book.all).ids)
      if ids.isEmpty { return [] }
      return RefList(ids: (0..<number(below: count + 1)).map { _ in ids[number(below: ids.count)] })
    }

    mutating func commit(_ tx: borrowing WriteTransaction) throws {
      for _ in 0...number(below: 4) { try edit(tx) }
    }

    private mutating func edit(_ tx: borrowing WriteTransaction) throws {
      let ids = Array(tx.fetch(Book.all).ids)
      switch number(below: 20) {
      case 0: try tx.update(Person.self, number(below: 4)) { $0.name = word() }
      case 1:
        if tx[Shelf.self, 1] != nil, number(below: 4) == 0 { try tx.delete(Shelf.self, 1) }
      case 2:
        let id = number(below: 12)
        if tx[Book.self, id] != nil { try tx.delete(Book.self, id) }
      case 3, 4:
        let id = number(below: 12)
        if tx[Book.self, id] == nil { try insertBook(id, tx) }
      case 5, 6, 7:
        guard !ids.isEmpty else { return }
        try tx.update(Book.self, ids[number(below: ids.count)]) { book in
          if number(below: 2) == 0 { book.weight = number(below: 6) } else { book.title = word() }
        }
      case 8:
        guard !ids.isEmpty else { return }
        let author = number(below: 4)
        try tx.update(Book.self, ids[number(below: ids.count)]) { $0.author = Ref(author) }
      case 9:
        // Deleted and inserted again under its id.
        guard !ids.isEmpty else { return }
        let id = ids[number(below: ids.count)]
        let list = tx[Shelf.self, 1]?.books
        guard let old = tx[Book.self, id] else { return }
        try tx.delete(Book.self, id)
        try tx.insert(number(below: 2) == 0 ? old : Book(id: id, title: word(), weight: 1, author: nil))
        if let list, number(below: 2) == 0 { try tx.update(Shelf.self, 1) { $0.books = list } }
      default: try editShelf(tx, ids)
      }
    }

    private mutating func editShelf(_ tx: borrowing WriteTransaction, _ ids: [Int]) throws {
      let id = number(below: 5) == 0 ? 2 : 1
      if tx[Shelf.self, id] == nil { try tx.insert(Shelf(id: id)) }
      let replacement = try books(tx, upTo: 10)
      guard !ids.isEmpty else { return }
      let book = Ref<Book>(ids[number(below: ids.count)])
      try tx.update(Shelf.self, id) { shelf in
        let count = shelf.books.count
        switch number(below: 16) {
        case 0, 1: shelf.books.append(book)
        case 2, 3: shelf.books.insert(book, at: number(below: count + 1))
        case 4, 5: if count > 0 { shelf.books.remove(at: number(below: count)) }
        case 6, 7:
          if count > 0 { shelf.books.move(from: number(below: count), to: number(below: count)) }
        case 8: if count > 0 { shelf.books.swapAt(number(below: count), number(below: count)) }
        case 9: if count > 0 { shelf.books[number(below: count)] = book }
        case 10: if number(below: 2) == 0 { shelf.books = replacement }
        case 11: if number(below: 4) == 0 { shelf.books.removeAll() }
        case 12: shelf.label = word()
        case 13: if shelf.marks.insert(book).inserted { break } else { shelf.marks.remove(book) }
        case 14: shelf.slots[word()] = number(below: 3) == 0 ? nil : book
        default:
          // The same as decoded.
          shelf.books = RefList(ids: shelf.books.ids)
          shelf.label = word()
        }
      }
    }
  }
}

// MARK: Checks

extension ListOracleTests {
  /// A token on a probe, with what it was last given.
  final class Watcher {
    let probe: Probe
    let token: NotificationToken
    private let recorder: Recorder<CollectionChange<Book>>
    private var taken = 0
    private var held: [Seen] = []

    init(_ probe: Probe, _ store: Store) {
      let recorder = Recorder<CollectionChange<Book>>()
      self.probe = probe
      self.recorder = recorder
      token = store.observe(probe.query, properties: probe.properties) { recorder.append($0) }
    }

    /// Checks what came since the last time; at most one event.
    func check(_ world: World, _ snapshot: Snapshot) throws {
      let wanted = probe.expected(world)
      let fetched = Array(snapshot.fetch(probe.query))
      try require(fetched == wanted, "\(probe.name) is \(fetched.map(\.id)), not \(wanted.map(\.id))")
      try require(snapshot.count(probe.query) == wanted.count, "count of \(probe.name)")
      let current = wanted.map { probe.seen(world, $0) }
      let events = recorder.events.dropFirst(taken)
      taken += events.count
      try require(events.count <= 1, "\(events.count) events for \(probe.name)")
      switch events.first {
      case nil:
        let isSame = current == held
        try require(isSame, "no event for \(probe.name), from \(ids(held)) to \(wanted.map(\.id))")
      case .initial(let results): try require(Array(results) == wanted, "initial \(probe.name)")
      case .update(let results, let changes):
        try require(
          Array(results) == wanted, "\(probe.name) gave \(results.map(\.id)), not \(wanted.map(\.id))")
        try check(changes, held, current)
      case .error(let error): throw Mismatch("\(error)")
      }
      held = current
    }

    private func ids(_ rows: [Seen]) -> [Int] { rows.map(\.book.id) }

    private func check(_ changes: ChangeSet<Book>, _ old: [Seen], _ new: [Seen]) throws {
      let what = "\(probe.name), from \(ids(old)) to \(ids(new)): \(changes)"
      try require(!changes.isEmpty, "an empty event for \(what)")
      try require(changes.previous.map(\.id) == ids(old), "previous of \(what)")
      // Of each object as many entries come or go as there are more or fewer.
      func counts(_ ids: [Int]) -> [Int: Int] { Dictionary(ids.map { ($0, 1) }, uniquingKeysWith: +) }
      let (before, after) = (counts(ids(old)), counts(ids(new)))
      func surplus(_ counts: [Int: Int], over others: [Int: Int]) -> [Int: Int] {
        Dictionary(counts.map { ($0, $1 - (others[$0] ?? 0)) }, uniquingKeysWith: +).filter { $0.value > 0 }
      }
      let (gone, come) = (surplus(before, over: after), surplus(after, over: before))
      try require(counts(changes.deletions.map { old[$0].book.id }) == gone, "deletions of \(what)")
      try require(counts(changes.insertions.map { new[$0].book.id }) == come, "insertions of \(what)")
      // Which entry is which: moved ones as told, the others in order.
      let (sources, goals) = (Set(changes.moves.map(\.from)), Set(changes.moves.map(\.to)))
      let (deleted, inserted) = (Set(changes.deletions), Set(changes.insertions))
      let stayed = old.indices.filter { !deleted.contains($0) && !sources.contains($0) }
      let stays = new.indices.filter { !inserted.contains($0) && !goals.contains($0) }
      try require(stayed.count == stays.count, "entries that stay in \(what)")
      var pairs = zip(stayed, stays).map { (old: $0, new: $1) }
      pairs += changes.moves.map { (old: $0.from, new: $0.to) }
      pairs.sort { $0.new < $1.new }
      for pair in pairs {
        try require(old[pair.old].book.id == new[pair.new].book.id, "the law of \(what)")
      }
      let fewest = pairs.count - longestIncreasing(pairs.map(\.old))
      try require(changes.moves.count == fewest, "\(fewest) moves would do for \(what)")
      let modified = pairs.filter { old[$0.old] != new[$0.new] }
      try require(
        changes.modifications.map(\.newIndex) == modified.map(\.new)
          && changes.modifications.map(\.oldIndex) == modified.map(\.old),
        "modified are \(modified) in \(what)")
      let batch = changes.batchUpdates
      var replayed = ids(old)
      for index in batch.deletions.reversed() { replayed.remove(at: index) }
      for index in batch.insertions { replayed.insert(ids(new)[index], at: index) }
      try require(replayed == ids(new), "batch updates of \(what)")
    }
  }

  @Test(.timeLimit(.minutes(10)), arguments: Seeds.forSuite(3, thorough: 8))
  func `lists are what plain Swift makes of them, and every change set keeps its law`(
    seed: UInt64
  ) async throws {
    var editor = Editor(seed: seed)
    let store = try Store(Person.self, Book.self, Shelf.self)
    try await store.write { tx in try editor.start(tx) }
    let watchers = Self.probes.map { Watcher($0, store) }
    try await store.settled()
    do {
      for _ in 0..<60 {
        for watcher in watchers { try watcher.check(World(store.snapshot()), store.snapshot()) }
        let commits = 1 + editor.number(below: 3)
        let isOneDelivery = editor.number(below: 2) == 0
        if isOneDelivery || commits == 1 {
          for watcher in watchers { watcher.token.pause() }
          for _ in 0..<commits { try await store.write { tx in try editor.commit(tx) } }
          for watcher in watchers { watcher.token.resume() }
          try await store.settled()
        } else {
          for _ in 1..<commits {
            try await store.write { tx in try editor.commit(tx) }
            try await store.settled()
            for watcher in watchers { try watcher.check(World(store.snapshot()), store.snapshot()) }
          }
        }
      }
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
    for watcher in watchers { watcher.token.invalidate() }
  }
}
