import Foundation
import LiveStore
import TestSupport
import Testing

/// Bug: a letter with thousands of marks took a thousand times as long to compose and to compare as as much plain text,
/// or time quadratic in the marks, under the write lock. Mend: both are linear, and ask neither Foundation nor `==`.
@Suite struct `Letters with very many marks` {
  private static let marks: [Unicode.Scalar] = ["\u{301}", "\u{323}", "\u{300}", "\u{31B}"]

  /// A letter with marks that are not in the order of their classes, and with one more.
  private static func letter(_ count: Int, last: Unicode.Scalar) -> String {
    var scalars = String.UnicodeScalarView("a".unicodeScalars)
    for index in 0..<count { scalars.append(marks[index % marks.count]) }
    scalars.append(last)
    return String(scalars)
  }

  private static let (few, many) = (2_000, 64_000)
  private static let counts = [few, many]

  private func expectLinear(_ what: String, _ body: (_ left: String, _ right: String) -> Void) {
    func letters(_ count: Int) -> (String, String) {
      (Self.letter(count, last: "\u{302}"), Self.letter(count, last: "\u{303}"))
    }
    let (few, many) = (letters(Self.few), letters(Self.many))
    expectLinear(what, few: { body(few.0, few.1) }, many: { body(many.0, many.1) })
  }

  /// 32 times as many marks take 32 times as long, or 1,024 times if each is compared with all others. The limit is as
  /// far from the one as from the other: memory that the few do not leave their cache for makes the many twice as slow,
  /// and more under the address sanitizer.
  private func expectLinear(_ what: String, few: () -> Void, many: () -> Void) {
    var times: (few: Double, many: Double) = (0, 0)
    // A machine that is busy with something else for a while makes the second slower, and not the first; what is
    // quadratic is so each time.
    for _ in 0..<5 {
      times = (processorTime(few), processorTime(many))
      if times.many < times.few * 180 { return }
    }
    Issue.record("\(what): \(times.few) s, then \(times.many) s")
  }

  @Test func `whether two of them are the same takes linear time`() {
    expectLinear("sameness") { #expect(!isSameValue($0, $1)) }
    expectLinear("sameness of optionals") { #expect(!isSameValue(Optional($0), Optional($1))) }
  }

  @Test func `whether sets and dictionaries of them are the same takes linear time`() {
    let texts = Self.counts.map { count in
      ["\u{302}", "\u{303}"].map { last in Self.letter(count, last: last) }
    }
    // To make them hashes their keys, which takes the standard library quadratic time.
    let sets = texts.map { $0.map { Set([$0]) } }
    let dictionaries = texts.map { $0.map { [$0: $0] } }
    func expectDifferent<Value: Equatable>(_ what: String, _ values: [[Value]]) {
      expectLinear(
        what, few: { #expect(!isSameValue(values[0][0], values[0][1])) },
        many: { #expect(!isSameValue(values[1][0], values[1][1])) })
    }
    expectDifferent("sets", sets)
    expectDifferent("dictionaries", dictionaries)
    for (set, text) in zip(sets, texts) { #expect(isSameValue(set[0], Set(text.prefix(1)))) }
    #expect(isSameValue(dictionaries[0][0], [texts[0][0]: texts[0][0]]))
    #expect(!isSameValue(dictionaries[0][0], [texts[0][0]: texts[0][1]]))
  }

  @Test func `their order takes linear time`() throws {
    let order = try #require(ValueOrder<String>.ofType())
    expectLinear("order") { #expect(order.compare($0, $1) < 0) }
    expectLinear("abbreviation") { #expect(order.abbreviate($0) == order.abbreviate($1)) }
  }

  @Test func `their hashes take linear time`() {
    expectLinear("hash") { #expect(idHash($0) != idHash($1)) }
    expectLinear("hash of optionals") { #expect(idHash(Optional($0)) != idHash(Optional($1))) }
  }

  @Test func `lists of them, and JSON, are compared, hashed and looked up in linear time`() {
    expectLinear("lists") { #expect(!isSameValue([$0], [$1])) }
    expectLinear("optional lists") { #expect(!isSameValue(Optional([$0]), Optional([$1]))) }
    expectLinear("JSON") { #expect(JSONValue.string($0) != JSONValue.string($1)) }
    expectLinear("hash of JSON") { #expect(JSONValue.string($0).hashValue != JSONValue.string($1).hashValue) }
    expectLinear("keys") { left, right in
      let object = JSONObject([(key: left, value: JSONValue(1)), (key: right, value: JSONValue(2))])
      #expect(object.count == 2 && object[right] == 2)
      #expect(JSONValue.object(object).hashValue != JSONValue.object([left: 1]).hashValue)
    }
  }

  /// Evaluates filters on letters with few marks and with many. The filters are made before: that hashes their constants,
  /// which takes longer than to compare them.
  private func expectLinearFilter(
    _ what: String, _ filter: (_ left: String, _ right: String) -> Filter<Item>
  ) throws {
    // To plan takes longer than to compare the few.
    let counts = try Self.counts.map { count in
      let letters = ["\u{302}", "\u{303}"].map { Self.letter(count, last: $0) }
      let store = try Store(Item.self)
      try store.write { tx in
        try tx.insert(Item(id: 1, name: letters[0], title: letters[0], list: [letters[0]], other: letters[1]))
      }
      let query = Item.all.where(filter(letters[0], letters[1]))
      return { [snapshot = store.snapshot()] in #expect(snapshot.count(query) == 0) }
    }
    expectLinear(what, few: counts[0], many: counts[1])
  }

  @Test func `a filter compares one with a constant, or with another property, in linear time`() throws {
    try expectLinearFilter("equality") { _, right in Filter { $0.name == right } }
    try expectLinearFilter("equality of optionals") { _, right in Filter { $0.title == right } }
    try expectLinearFilter("inequality") { _, right in Filter { !($0.name != right) } }
    try expectLinearFilter("properties") { _, _ in Filter { $0.name == $0.other } }
    try expectLinearFilter("elements") { _, right in Filter { $0.list.contains(right) } }
    try expectLinearFilter("elements of sets") { _, right in Filter { $0.set.contains(right) } }
    try expectLinearFilter("elements of optional sets") { _, right in Filter { $0.some.contains(right) } }
    try expectLinearFilter("keys") { _, right in Filter { $0.counts[right] == 1 } }
  }

  @Test(arguments: ["ifnull(json, other) == 'x'", "ifnull(json, 'x') == ifnull(json, other)"])
  func `a filter reads objects with such keys in linear time`(format: String) throws {
    let counts = try Self.counts.map { count in
      let store = try Store(Document.self)
      let letters = ["\u{302}", "\u{303}"].map { Self.letter(count, last: $0) }
      let json = JSONValue.object(JSONObject(letters.map { (key: $0, value: JSONValue(1)) }))
      try store.write { tx in try tx.insert(Document(id: 1, json: json)) }
      let query = try Document.where(format: format)
      return { [snapshot = store.snapshot()] in _ = snapshot.count(query) }
    }
    expectLinear(format, few: counts[0], many: counts[1])
  }

  private struct Document: Entity {
    let id: Int
    var json: JSONValue = nil
    var other = ""
    static let schema = Schema<Document> {
      \.json
      \.other
    }
  }

  private struct Named: Entity {
    let id: String
    var other: Ref<Named>?
    static let schema = Schema<Named> { Relation(\.other) }
  }

  /// Bug: references, and the ids of objects, were compared by `==`.
  @Test func `references and ids of such texts are compared and hashed in linear time`() throws {
    // The same letter, with its marks in another order: the hashes do not tell that there are two texts.
    func letters(_ count: Int) -> [String] {
      [["\u{301}", "\u{323}"], ["\u{323}", "\u{301}"]].map { marks in
        "a" + String(repeating: marks.joined(), count: count / 2)
      }
    }
    let bodies = try Self.counts.map { count in
      let names = letters(count)
      let store = try Store(Named.self)
      try store.write { tx in
        try tx.insert(Named(id: names[0]))
        try tx.insert(Named(id: "b", other: Ref(names[1])))
      }
      return { () -> Void in
        #expect(Ref<Named>(names[0]) == Ref(names[1]))
        #expect(Set([Ref<Named>(names[0])]).contains(Ref(names[1])))
        let snapshot = store.snapshot()
        #expect(snapshot[Named.self, names[1]] != nil && snapshot[Ref<Named>(names[1])] != nil)
        #expect(throws: Never.self) {
          try store.write { tx in try tx.upsert(Named(id: "b", other: Ref(names[0]))) }
          try store.write { tx in try tx.upsert(Named(id: names[1])) }
        }
        #expect(store.count(Named.all) == 2)
      }
    }
    expectLinear("references", few: bodies[0], many: bodies[1])
  }

  /// Bug: each word was looked up among `and` and `or`.
  @Test func `a search for such a word is made and shown in linear time`() {
    expectLinear("search") { left, _ in #expect(!"\(SearchPattern(left))".isEmpty) }
    // Marks of Hebrew are not dropped.
    func points(_ count: Int) -> String {
      "\u{5D0}" + String(repeating: "\u{5B1}\u{5B0}", count: count / 2)
    }
    let (few, many) = (points(Self.few), points(Self.many))
    expectLinear(
      "search for Hebrew", few: { #expect(!"\(SearchPattern(few))".isEmpty) },
      many: { #expect(!"\(SearchPattern(many))".isEmpty) })
  }

  @Test func `a cursor from outside is compared with the sort of a query in linear time`() throws {
    let store = try Store(Item.self)
    let pages = try Self.counts.map { count in
      let text = #"{"order":["\#(Self.letter(count, last: "\u{302}"))","id"],"texts":["1"],"tie":"1"}"#
      let cursor = try JSONDecoder().decode(PageCursor.self, from: Data(text.utf8))
      return { () -> Void in
        #expect(throws: StoreError.self) {
          try store.page(of: Item.all.sorted(by: \.id), after: cursor, first: 1)
        }
      }
    }
    expectLinear("cursor", few: pages[0], many: pages[1])
  }

  @Test(arguments: [1, 20]) func `a filter looks one up among constants in linear time`(count: Int) throws {
    let others = (1..<count).map(String.init)
    try expectLinearFilter("members") { _, right in Filter { $0.name.in([right] + others) } }
    try expectLinearFilter("members of optionals") { _, right in Filter { $0.title.in([right] + others) } }
  }

  private struct Item: Entity {
    let id: Int
    var name = ""
    var title: String?
    var list: [String] = []
    var other = ""
    var set: Set<String> = ["x"]
    var some: Set<String>? = ["x"]
    var counts = ["x": 1]
    static let schema = Schema<Item> {
      \.name
      \.title
      \.list
      \.other
      \.set
      \.some
      \.counts
    }
  }

  @Test func `hashes of queries with such constants take linear time`() {
    expectLinear("constant") { left, _ in _ = Item.where { $0.name == left }.hashValue }
    expectLinear("optional constant") { left, _ in _ = Item.where { $0.title == left }.hashValue }
    // Two conditions are looked up among each other.
    expectLinear("part of a text") { left, _ in
      _ = Item.where { $0.name.contains(left) && $0.id == 1 }.hashValue
    }
    expectLinear("general condition") { left, _ in
      #expect(throws: Never.self) {
        _ = try Item.where(format: "list[0] == %@ AND counts.@count == 1", left).hashValue
      }
    }
    expectLinear("name in a text filter") { left, _ in
      #expect(throws: StoreError.self) { try Item.query(format: "\(left) == 1 AND \(left) == 2") }
    }
    expectLinear("key in a text filter") { left, _ in
      let format = "counts['\(left)'] == 1 OR counts['\(left)'] == 2"
      #expect(throws: StoreError.self) { try Item.query(format: format) }
    }
  }

  @Test func `matching one with a pattern takes linear time`() throws {
    let pattern = try RegularPattern("[^x]*")
    expectLinear("pattern") { left, _ in #expect(pattern.matches(left)) }
    expectLinear("wildcards") { left, right in
      #expect(WildcardPattern("*\(left)?").matches("b\(left)c"))
      #expect(!WildcardPattern("*é*").matches("b\(right)c"))
    }
  }

  @Test(arguments: [TextTest.contains, .beginsWith, .endsWith, .equals])
  func `looking for a part of one takes linear time`(test: TextTest) {
    for options in [[], TextOptions.caseInsensitive] {
      expectLinear("\(test) \(options)") { left, right in
        #expect(test.matcher(left, options)(left))
        #expect(!test.matcher(left, options)(right))
        #expect(!test.matcher("é", options)(left))
        #expect(test == .equals || test.matcher("é", options)("é\(left)é"))
      }
    }
  }

  @Test func `texts with the same marks in another order of classes are one text, however many there are`()
    throws
  {
    let order = try #require(ValueOrder<String>.ofType())
    for count in [4, 400, 4_000] {
      let mixed = Self.letter(count, last: "\u{302}")
      // Marks of one class keep their order; those of different classes may stand in any.
      let scalars = mixed.unicodeScalars.dropFirst()
      let sorted = scalars.enumerated().sorted {
        ($0.element.properties.canonicalCombiningClass, $0.offset)
          < ($1.element.properties.canonicalCombiningClass, $1.offset)
      }
      var text = String.UnicodeScalarView("a".unicodeScalars)
      text.append(contentsOf: sorted.map(\.element))
      let other = String(text)
      #expect(!mixed.utf8.elementsEqual(other.utf8))
      #expect(order.compare(mixed, other) == 0)
      #expect(order.abbreviate(mixed) == order.abbreviate(other))
      #expect(idHash(mixed) == idHash(other))
      #expect(isSameValue(mixed, other))
      #expect(!isSameValue(mixed, other + "\u{301}"))
      #expect(order.compare(mixed, other + "b") < 0)
    }
  }

  @Test func `every scalar, alone and behind letters and marks, is ordered as the text that equals it`()
    throws
  {
    let order = try #require(ValueOrder<String>.ofType())
    for value in UInt32(0x80)..<0x30000 {
      // One rule composes all syllables of Hangul; ideographs that have no compatible form are never decomposed.
      let isSkipped = (0x3400..<0xAC00).contains(value) || (0x20000..<0x2F800).contains(value)
      let isSyllable = (0xAC00..<0xD7A4).contains(value)
      guard Environment.isThorough || !isSkipped && !(isSyllable && value % 59 != 0),
        let scalar = Unicode.Scalar(value)
      else { continue }
      let decomposed = String(scalar).decomposedStringWithCanonicalMapping
      guard !decomposed.unicodeScalars.elementsEqual([scalar]), String(scalar) == decomposed else { continue }
      for start in ["", "a", "e\u{323}", "\u{1100}"] {
        let (left, right) = ("\(start)\(scalar)", "\(start)\(decomposed)")
        guard left == right else { continue }
        let texts = [left, right, String(repeating: left, count: 60), String(repeating: right, count: 60)]
        #expect(idHash(texts[0]) == idHash(texts[1]), "\(start) U+\(String(value, radix: 16))")
        // A letter that is made of marks alone is not reordered with its neighbours; its parts are.
        #expect(
          texts[2] != texts[3] || idHash(texts[2]) == idHash(texts[3]),
          "\(start) U+\(String(value, radix: 16))")
        #expect(order.compare(left, right) == 0, "\(start) U+\(String(value, radix: 16))")
        #expect(order.abbreviate(left) == order.abbreviate(right), "\(start) U+\(String(value, radix: 16))")
      }
    }
  }

  /// Bug: marks were reordered with those that U+0F73, U+0F75 and U+0F81 consist of, which are no marks themselves.
  @Test(arguments: ["\u{F73}", "\u{F75}", "\u{F81}"])
  func
    `texts are one in order, hash and sameness exactly if they are equal, beside letters that are made of marks`(
      letter: String
    ) throws
  {
    let order = try #require(ValueOrder<String>.ofType())
    let parts = letter.decomposedStringWithCanonicalMapping
    var texts: [String] = []
    for start in ["k", "", "\u{F40}"] {
      for mark in ["", "\u{655}", "\u{301}", "\u{334}"] {
        for end in [letter, parts, parts.unicodeScalars.reversed().map { String($0) }.joined()] {
          texts += ["\(start)\(mark)\(end)", "\(start)\(end)\(mark)", "\(start)\(end)\(mark)\(letter)"]
        }
      }
    }
    texts +=
      texts.map { $0 + String(repeating: "x", count: 60) }
      + texts.map { $0 + String(repeating: "x", count: 300) }
    for left in texts {
      for right in texts {
        #expect((order.compare(left, right) == 0) == (left == right))
        #expect(isSameValue(left, right) == (left == right))
        #expect(left != right || idHash(left) == idHash(right))
      }
    }
  }

  @Test func `a pair that Foundation composes by the lower half of a scalar's number stays as it is`() throws
  {
    // U+130D2 is a hieroglyph; U+30D2 with the mark is U+30D4.
    let order = try #require(ValueOrder<String>.ofType())
    #expect(order.compare("\u{130D2}\u{309A}", "\u{30D4}") > 0)
    #expect(order.compare("\u{11E36}\u{304}", "\u{1E38}") > 0)
  }
}
