import Foundation
import LiveStore
import TestSupport
import Testing

/// An object with 1 at one path, whose names are told apart by their bytes.
private struct Item: DynamicEntity, Hashable {
  let id: Int
  let path: [String]
  static let schema = Schema<Item>(dynamic: { item, path in
    path.map { Array($0.utf8) } == item.path.map { Array($0.utf8) } ? 1 : .null
  })
}

/// Bug: a name was quoted by Characters, and cut by them, so a filter was written as a text that did not read as it, or not
/// at all: it was encoded, and could not be decoded.
@Suite struct `Names in filters` {
  /// Whether a filter on a property of the name is written, read again as an equal one, and finds what has the property.
  private func isRead(_ name: String) throws -> Bool {
    let query = try Item.where(format: "%K == 1", name)
    let text = try #require(query.format)
    guard let read = try? Item.where(format: text), read == query else { return false }
    let data = try JSONEncoder().encode([query])
    guard try JSONDecoder().decode([Query<Item>].self, from: data) == [query] else { return false }
    let store = try Store(Item.self)
    try store.write { tx in try tx.insert(Item(id: 1, path: [name])) }
    return store.fetch(read).map(\.id) == [1]
  }

  private static let special = [
    "\"", "'", "`", "\\", "/", "\n", "\r", "\r\n", "\t", "\0", "-", "$", "$K1", "#", "@", "%", "%@", "(", ")",
    "[", "{",
    ",", ":", "=", "<", " ", "\u{1FEF}", "\u{37E}", "\u{600}", "\u{2028}", "AND", "IN", "NIL", "SELF", "TEXT",
    "INF",
    "ANY", "now", "uuid(", "1", "1e5", "_", "--", "-1",
  ]
  /// What makes another Character of the one before it, or, the last one, of the one behind it.
  private static let marks = ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{600}"]

  @Test(arguments: special)
  func `a name with a special character and a mark behind it is read as it was written`(special: String)
    throws
  {
    for mark in [""] + Self.marks {
      let hidden = "\(special)\(mark)"
      for name in [hidden, "a\(hidden)", "\(mark)\(special)", "\(hidden)a", "\(hidden)\(special)"] {
        #expect(try isRead(name), "\(name.debugDescription)")
      }
    }
  }

  /// Bug: a name behind an element, a function or a variable was written bare, and read as an operator, a number or a
  /// subtraction.
  @Test(arguments: Seeds.forSuite(4, thorough: 40))
  func `paths of any names and steps are read as they were written`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let names = [
      "a", "no", "first name", "2fa", "a-1", "a-b", "self", "like", "and", "in", "any", "all", "text", "inf",
      "true",
      "id", "sort", "é", "a`b", "日", "T100", "_", "-", "1",
    ]
    for _ in 0..<500 {
      var path = FilterPath([], variable: random.int(0...3) == 0 ? "x" : nil)
      for position in 0..<random.int(1...4) {
        switch random.int(0...(position == 0 ? 3 : 8)) {
        case 0...3: path.steps.append(.name(random.pick(names)))
        case 4: path.steps.append(.index(random.int(0...9)))
        case 5: path.steps.append(.last)
        case 6: path.steps.append(.key(random.pick(names)))
        case 7: path.steps.append(.every)
        default: path.steps.append(.aggregate(.sum))
        }
      }
      for text in ["\(path) == 3", "\(path) TEXT \"x\"", "1 < \(path)"] {
        let read = try? FilterSyntax(parsing: text)
        guard case .comparison(let comparison)? = read else {
          Issue.record("seed \(seed): \(text) is not read")
          continue
        }
        let paths = [comparison.left, comparison.right].compactMap {
          if case .path(let path, _) = $0 { path } else { nil }
        }
        #expect(paths == [path], "seed \(seed): \(text)")
      }
      let quantified = FilterSyntax.Operand.quantified(.any, .path(path, column: 0), column: 0)
      let read = try? FilterSyntax(parsing: "\(quantified) > 3")
      #expect(read?.description == "(\(quantified) > 3)", "seed \(seed)")
    }
  }

  @Test(arguments: Seeds.forSuite(4, thorough: 40))
  func `names of any characters are read as they were written`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let alphabet: [String] = Self.special + Self.marks + ["a", "é", "e", "\u{E000}", "日", "\u{1F468}"]
    for _ in 0..<500 {
      let count = random.int(1...5)
      let name = (0..<count).map { _ in random.pick(alphabet) }.joined()
      #expect(try isRead(name), "seed \(seed): \(name.debugDescription)")
    }
  }

  /// Bug: it was cut at points and question marks as a key path's description is, and so was the name of another property.
  @Test func `names that a schema gives are written as they are`() throws {
    let open = Door.where { $0.open == true }
    let queries = [
      open, Door.where { $0.isSecret == true }, Door.where { $0.number == 1 },
      Door.where { $0.count == 1 },
      Door.where { $0.place.city == "Bonn" }, Door.where { $0.place.street == "Am Hof" },
    ]
    for query in queries {
      let text = try #require(query.format)
      #expect(try Door.where(format: text) == query, "\(text)")
    }
    #expect(queries[1].format != open.format)
  }

  @Test func `a path in an argument is cut at its points, also where a mark stands behind one`() throws {
    let query = try Item.where(format: "%K == 1", "a.\u{301}b")
    let store = try Store(Item.self)
    try store.write { tx in try tx.insert(Item(id: 1, path: ["a", "\u{301}b"])) }
    #expect(store.fetch(query).map(\.id) == [1])
    #expect(try Item.where(format: try #require(query.format)) == query)
  }

  /// Bug: the length was counted in Characters, of which one may be as long as the text, and marks of direction were shown.
  @Test(arguments: [
    "rank == 1 AND \(String(repeating: "e\u{301}\u{323}", count: 1) + String(repeating: "\u{301}", count: 50_000)) == 1",
    "rank == '\(String(repeating: "\u{301}", count: 50_000))' 1", "\u{202E}rank == 1",
    "`a\u{202E}b\u{2066}` === 1",
    "ran\(String(repeating: "k\u{301}", count: 50_000)) > 1",
  ])
  func `an error shows of a text a line of limited length, in its own direction`(text: String) throws {
    let error = #expect(throws: StoreError.self) { try Ranked.where(format: text) }
    let message = error?.message ?? ""
    #expect(message.unicodeScalars.count < 3_000)
    #expect(!message.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{2066}" })
  }
}

private struct Door: Entity {
  struct Place: Equatable {
    var city = ""
    var street = ""
  }

  let id: Int
  var open = false
  var isSecret = false
  var number = 0
  var count = 0
  var place = Place()
  static let schema = Schema<Door> {
    \.open
    Property(\.isSecret, "open?")
    Property(\.number, "a..b")
    Property(\.count, "number.of.keys")
    \.place.city
    \.place.street
  }
}

private struct Ranked: Entity {
  let id: Int
  var rank = 0
  static let schema = Schema<Ranked> { \.rank }
}
