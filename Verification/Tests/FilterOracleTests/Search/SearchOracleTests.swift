import Foundation
import LiveStore
import TestSupport
import Testing

private struct Post: Entity, Equatable {
  let id: Int
  var title = ""
  var body: String?
  var tags: [String]? = []
  var rank = 0
  /// The same as `title`, without an index.
  var copy = ""
  static let schema = Schema<Post> {
    Property(\.title, .searchable)
    Property(\.body, .searchable)
    Property(\.tags, .searchable)
    Property(\.rank, .indexed)
    \.copy
  }
}

private struct Refused: Error {}

// The definition of a search, as the documentation has it, in plain Swift.

/// Words of a text that is folded as a whole.
private func naiveWords(_ text: String) -> [String] {
  let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    .precomposedStringWithCanonicalMapping
  var (words, current, isAlone): ([String], String, Bool) = ([], "", false)
  for scalar in folded.unicodeScalars
  where scalar.properties.generalCategory != .format && !(0x300...0x36F).contains(scalar.value) {
    let category = scalar.properties.generalCategory
    let isMark = [.nonspacingMark, .spacingMark, .enclosingMark].contains(category)
    let isLetter =
      !isMark
      && (scalar.properties.isAlphabetic || [.decimalNumber, .letterNumber, .otherNumber].contains(category))
    let alone =
      isLetter && category != .decimalNumber
      && (scalar.properties.isIdeographic || (0x3041...0x30FF).contains(scalar.value)
        || (0xE01...0xE4F).contains(scalar.value))
    if isMark && !current.isEmpty {
      current.unicodeScalars.append(scalar)
      continue
    }
    if !isLetter || alone || isAlone {
      if !current.isEmpty { words.append(current) }
      current = ""
    }
    isAlone = alone
    if isLetter { current.unicodeScalars.append(scalar) }
  }
  return current.isEmpty ? words : words + [current]
}

private indirect enum Sought: Sendable {
  case phrase([String], isPrefix: Bool)
  case all([Sought])
  case any([Sought])
  case none(Sought)

  /// Whether a list of texts, each a list of words, has it.
  func isFound(in texts: [[String]]) -> Bool {
    switch self {
    case .phrase(let words, let isPrefix):
      texts.contains { text in
        text.count >= words.count
          && (0...text.count - words.count).contains { start in
            words.indices.allSatisfy { index in
              let word = text[start + index]
              return isPrefix && index == words.count - 1
                ? word.unicodeScalars.starts(with: words[index].unicodeScalars) : word == words[index]
            }
          }
      }
    case .all(let parts): parts.allSatisfy { $0.isFound(in: texts) }
    case .any(let parts): parts.contains { $0.isFound(in: texts) }
    case .none(let part): !part.isFound(in: texts)
    }
  }

  var text: String {
    switch self {
    case .phrase(let words, let isPrefix):
      "\"\(words.joined(separator: " "))\"" + (isPrefix ? "*" : "")
    case .all(let parts): "(\(parts.map(\.text).joined(separator: " ")))"
    case .any(let parts): "(\(parts.map(\.text).joined(separator: " OR ")))"
    case .none(let part): "-(\(part.text))"
    }
  }

  var pattern: SearchPattern {
    switch self {
    case .phrase(let words, true): .prefix(words.joined(separator: " "))
    case .phrase(let words, false): .phrase(words.joined(separator: " "))
    case .all(let parts): .all(of: parts.map(\.pattern))
    case .any(let parts): .any(of: parts.map(\.pattern))
    case .none(let part): SearchPattern("").excluding(part.pattern)
    }
  }
}

/// What is searched for and where, as a query and in plain Swift.
private struct SearchCase: Sendable {
  let query: Query<Post>
  let passes: @Sendable (Post) -> Bool

  func of(_ rows: some Sequence<Post>) -> [Int] { rows.filter(passes).map(\.id) }
}

private func texts(_ post: Post) -> [[String]] {
  ([post.title] + [post.body].compactMap(\.self) + (post.tags ?? [])).map(naiveWords)
}

private let words = [
  "swift", "swiftly", "Swi", "actor", "Actors", "café", "Cafe\u{301}", "naïve", "straße", "привет",
  "Приветствие", "東京", "京都",
  "東", "データ", "か\u{3099}", "서울", "서울시", "สวัสดี", "हिन्दी", "नमस्ते", "שלום", "مرحبا", "2025", "20", "é", "\u{AD}",
  "x\u{200D}y", "",
  "🎉", "\u{301}", "İ", "internationalisation", "internationally",
]
private let separators = [" ", " ", ", ", ".", "-", "—", "\u{0}", "\n", "'", ""]

extension SplitMix64 {
  fileprivate mutating func text(upTo count: Int) -> String {
    (0..<int(0...count)).map { _ in pick(words) + pick(separators) }.joined()
  }

  fileprivate mutating func post(_ id: Int) -> Post {
    var post = Post(id: id, title: text(upTo: 4), rank: int(0...9))
    post.body = chance(1, in: 4) ? nil : text(upTo: 8)
    post.tags = chance(1, in: 4) ? nil : (0..<int(0...3)).map { _ in text(upTo: 2) }
    post.copy = post.title
    return post
  }

  fileprivate mutating func edit(_ post: inout Post) {
    let other = self.post(post.id)
    switch int(0...5) {
    case 0: post.title = other.title
    case 1: post.body = other.body
    case 2: post.tags = other.tags
    case 3: post.body = post.body.map { $0 + " " + pick(words) }
    case 4: post.title = post.title.decomposedStringWithCanonicalMapping
    default: post.rank = other.rank
    }
    post.copy = post.title
  }

  fileprivate mutating func sought(_ depth: Int = 0) -> Sought {
    switch depth < 3 ? int(0...7) : 0 {
    case 4: return .all((0..<int(1...3)).map { _ in sought(depth + 1) })
    case 5: return .any((0..<int(1...3)).map { _ in sought(depth + 1) })
    case 6: return .none(sought(depth + 1))
    default:
      var found = naiveWords(pick(words) + (chance(1, in: 3) ? " " + pick(words) : ""))
      if found.isEmpty { found = ["swift"] }
      let isPrefix = chance(1, in: 3)
      if isPrefix, chance(1, in: 2), let last = found.last, last.unicodeScalars.count > 1 {
        let beginning = String(String.UnicodeScalarView(last.unicodeScalars.prefix(int(1...2))))
        if naiveWords(beginning) == [beginning] { found[found.count - 1] = beginning }
      }
      return .phrase(found, isPrefix: isPrefix)
    }
  }

  fileprivate mutating func searchCase() -> SearchCase {
    let sought = sought()
    let pattern = chance(1, in: 2) ? sought.pattern : SearchPattern(sought.text)
    let rank = int(0...9)
    return switch int(0...7) {
    case 0:
      SearchCase(query: Post.where { $0.title.search(pattern) }) {
        sought.isFound(in: [naiveWords($0.title)])
      }
    case 1:
      SearchCase(query: Post.where { $0.body.search(pattern) }) {
        sought.isFound(in: $0.body.map { [naiveWords($0)] } ?? [])
      }
    case 2:
      SearchCase(query: Post.where { $0.tags.search(pattern) }) {
        sought.isFound(in: ($0.tags ?? []).map(naiveWords))
      }
    case 3:
      SearchCase(query: Post.where { $0.copy.search(pattern) }) { sought.isFound(in: [naiveWords($0.copy)]) }
    case 4:
      SearchCase(query: Post.where { $0.search(pattern) && $0.rank >= rank }) {
        $0.rank >= rank && sought.isFound(in: texts($0))
      }
    case 5:
      SearchCase(query: Post.where { $0.title.search(pattern) || $0.rank == rank }) {
        $0.rank == rank || sought.isFound(in: [naiveWords($0.title)])
      }
    default: SearchCase(query: Post.where { $0.search(pattern) }) { sought.isFound(in: texts($0)) }
    }
  }
}

@Suite struct `Search oracle` {
  @Test(.timeLimit(.minutes(10)), arguments: Seeds.forSuite(2, thorough: 8))
  func `a search finds what its definition in plain Swift finds, in every version and to observers`(
    seed: UInt64
  )
    async throws
  {
    var random = SplitMix64(seed: seed)
    let store = try Store(Post.self)
    try await store.write { tx in
      for id in 0..<60 { try tx.insert(random.post(id)) }
    }
    var held: [(snapshot: Snapshot, searchCase: SearchCase, ids: [Int])] = []
    var observed: [(searchCase: SearchCase, observer: CheckedObserver<Post>, token: NotificationToken)] = []
    var (indexed, found) = (0, 0)
    for step in 0..<20 {
      let writes = random.fork()
      try? await store.write { tx in
        var random = writes
        for _ in 0..<random.int(1...4) {
          let fails = random.chance(1, in: 3)
          try? tx.savepoint { tx in
            for _ in 0..<random.int(1...3) { try Self.edit(tx, &random) }
            try Self.check(tx, random.searchCase())
            if fails { throw Refused() }
          }
          try Self.check(tx, random.searchCase())
        }
        if random.chance(1, in: 5) { throw Refused() }
      }
      let snapshot = store.snapshot()
      #expect(try snapshot.breachOfTables() == nil, "step \(step)")
      let rows = Array(snapshot.fetch(Post.all))
      for _ in 0..<4 {
        let searchCase = random.searchCase()
        held.append((snapshot, searchCase, searchCase.of(rows)))
        if searchCase.query.explain(in: snapshot).hasPrefix("words") { indexed += 1 }
        if !searchCase.of(rows).isEmpty { found += 1 }
      }
      for (snapshot, searchCase, ids) in held {
        #expect(
          snapshot.fetch(searchCase.query).map(\.id) == ids, "seed \(seed) step \(step): \(searchCase.query)")
        #expect(
          snapshot.count(searchCase.query) == ids.count, "seed \(seed) step \(step): \(searchCase.query)")
      }
      if held.count > 15 { held.removeAll { _ in random.chance(1, in: 2) } }
      if step % 3 == 0 {
        let (searchCase, observer) = (random.searchCase(), CheckedObserver<Post>())
        observed.append((searchCase, observer, store.observe(searchCase.query) { observer.receive($0) }))
      }
      try await store.settled()
      for (searchCase, observer, _) in observed {
        #expect(
          observer.rows.map { $0.map(\.id) } == searchCase.of(rows),
          "seed \(seed) step \(step): \(searchCase.query)")
        #expect(observer.breaches == [], "seed \(seed) step \(step): \(searchCase.query)")
      }
    }
    #expect(indexed > 15 && found > 35, "the index serves searches that find something: \(indexed), \(found)")
    for (_, _, token) in observed { token.invalidate() }
  }

  /// A search that is read without the index is the same condition on another path (K4).
  @Test(arguments: Seeds.forSuite(2, thorough: 8))
  func `a search by the index finds what it finds by reading every text`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = try Store(Post.self)
    try store.write { tx in for id in 0..<150 { try tx.insert(random.post(id)) } }
    let snapshot = store.snapshot()
    for _ in 0..<80 {
      let pattern = random.sought().pattern
      let (indexed, scanned) = (
        Post.where { $0.title.search(pattern) }, Post.where { $0.copy.search(pattern) }
      )
      #expect(scanned.explain(in: snapshot).hasPrefix("scan"))
      #expect(
        snapshot.fetch(indexed).map(\.id) == snapshot.fetch(scanned).map(\.id), "seed \(seed): \(pattern)")
    }
  }

  @Test(arguments: Seeds.forSuite(1, thorough: 6))
  func `a live result in the order of relevance is kept as a new evaluation orders it`(seed: UInt64)
    async throws
  {
    var random = SplitMix64(seed: seed)
    let store = try Store(Post.self)
    try await store.write { tx in for id in 0..<60 { try tx.insert(random.post(id)) } }
    let texts = ["swift actor", "привет or cafe", "東京 -swift", "swi*"]
    var observed: [(query: Query<Post>, observer: CheckedObserver<Post>, token: NotificationToken)] = []
    for text in texts {
      for query in [
        Post.where { $0.search(text) }.sorted(byRelevanceTo: text),
        Post.sorted(by: \.rank).sorted(byRelevanceTo: text).limit(9),
      ] {
        let observer = CheckedObserver<Post>()
        observed.append((query, observer, store.observe(query) { observer.receive($0) }))
      }
    }
    for step in 0..<20 {
      let writes = random.fork()
      try await store.write { tx in
        var random = writes
        for _ in 0..<random.int(1...3) { try? Self.edit(tx, &random) }
      }
      try await store.settled()
      let rows = Array(store.fetch(Post.all))
      for (query, observer, _) in observed {
        #expect(
          observer.breaches == [] && observer.rows == Array(store.fetch(query)),
          "seed \(seed) step \(step): \(query)")
      }
      for text in texts {
        let expected = rows.map { ($0, Self.relevance($0, text)) }.filter { $0.1 > 0 }
          .enumerated().sorted { ($0.element.1, $1.offset) > ($1.element.1, $0.offset) }.map(\.element.0.id)
        let result = store.fetch(Post.all.sorted(byRelevanceTo: text).limit(expected.count)).map(\.id)
        #expect(result == expected, "seed \(seed) step \(step): \(text)")
      }
    }
    for (_, _, token) in observed { token.invalidate() }
  }

  /// √(f / n) of each term that is not excluded, in each property.
  private static func relevance(_ post: Post, _ text: String) -> Double {
    let terms = text.split(separator: " ").filter { $0 != "or" && !$0.hasPrefix("-") }
    let properties = [[post.title], [post.body].compactMap(\.self), post.tags ?? []]
    return properties.reduce(0) { sum, texts in
      let texts = texts.map(naiveWords)
      let length = texts.joined().count
      return sum
        + terms.reduce(0) { sum, term in
          let words = naiveWords(String(term))
          let count = texts.reduce(0) { count, text in
            guard text.count >= words.count else { return count }
            return count
              + (0...text.count - words.count).count { start in
                words.indices.allSatisfy {
                  term.hasSuffix("*")
                    ? text[start + $0].hasPrefix(words[$0]) : text[start + $0] == words[$0]
                }
              }
          }
          return count == 0 ? sum : sum + (Double(count) / Double(length)).squareRoot()
        }
    }
  }

  private static func edit(_ tx: borrowing WriteTransaction, _ random: inout SplitMix64) throws {
    let id = random.int(0...75)
    switch (tx[Post.self, id], random.int(0...9)) {
    case (nil, _): try tx.insert(random.post(id))
    case (_, 0): try tx.delete(Post.self, id)
    case (_, 1): try tx.upsert(random.post(id))
    default: try tx.update(Post.self, id) { random.edit(&$0) }
    }
  }

  private static func check(_ tx: borrowing WriteTransaction, _ searchCase: SearchCase) throws {
    let ids = searchCase.of(tx.fetch(Post.all))
    #expect(tx.fetch(searchCase.query).map(\.id) == ids, "in a transaction: \(searchCase.query)")
    #expect(tx.count(searchCase.query) == ids.count, "in a transaction: \(searchCase.query)")
  }
}
