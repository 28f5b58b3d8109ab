import Foundation
import LiveStore
import TestSupport

/// The values of which rows and constants are made.
enum CasePools {
  static let ints = [
    0, 1, -1, 2, 3, 5, 10, -7, 9_007_199_254_740_992, 9_007_199_254_740_993, -9_007_199_254_740_993, .max,
    .min,
  ]
  static let smalls: [Int8] = [-128, -1, 0, 1, 2, 5, 10, 127]
  static let bigs: [UInt64] = [0, 1, 2, 10, 9_007_199_254_740_993, 9_223_372_036_854_775_808, .max - 1, .max]
  static let reals: [Double] = [
    0, -0.0, 1, -1, 2, 10, 0.5, 2.5, 0.1, 0.3, 0.1 + 0.2, 9_007_199_254_740_992, 9_007_199_254_740_994, 1e18,
    9_223_372_036_854_775_808, -9_223_372_036_854_775_808, 1e300, .leastNonzeroMagnitude, .infinity,
    -.infinity, .nan,
    -.nan,
  ]
  static let floats: [Float] = [
    0, -0.0, 1, 2, 10, 0.5, 0.1, 2.5, 16_777_216, 123_456_792, 1e10, .infinity, -.infinity, .nan,
  ]
  static let decimals = [
    "0", "1", "2", "0.1", "0.3", "0.5", "2.5", "10", "-7", "9007199254740993", "0.30000000000000004",
    "123456789012345678901234567890",
  ].map(decimal)
  static let texts = [
    "", " ", "a", "A", "ab", "abc", "Abc", "abcdefgh", "abcdefghi", "abcdefgh\u{301}", "ABCDEFGHIJ", "b", "é",
    "e\u{301}", "É", "e", "éa", "e\u{301},", "straße", "STRASSE", "ß", "ẞ", "ss", "İ", "i", "I", "ı",
    "i\u{307}",
    "ﬁ", "fi", "FI", "ΣΟΦΟΣ", "σοφος", "σοφός", "ς", "σ", "\r\n", "\n", "a\r\nb", "日本語", "日本", "ｱ", "ア",
    "が", "か\u{3099}", "か", "👩‍👩‍👧", "👩", "🇩🇪", "한글", "\u{1112}\u{1161}\u{11AB}글", "مرحبا", "a*b", "a?b",
    "a\\b", "it's", "\"", "100%", "\u{212B}", "A\u{30A}", "q\u{323}\u{307}", "q\u{307}\u{323}", "10", "2",
  ]
  static let words = ["", "a", "A", "abc", "é", "e\u{301}x", "ß", "が", "swift"]
  static let datas = [Data(), Data([0]), Data([1, 2]), Data([0xFF]), Data("abc".utf8)]
  static let dates = [0, 0.5, 1, -1, 86_400, 1e9, 7.25e8].map { Date(timeIntervalSinceReferenceDate: $0) }
  static let uuids = [
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
    UUID(
      uuid: (0xE6, 0x21, 0xE1, 0xF8, 0xC3, 0x6C, 0x49, 0x5A, 0x93, 0xFC, 0x0C, 0x24, 0x7A, 0x3E, 0x6E, 0x5F)),
    UUID(uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)),
  ]
  static let urls = ["https://example.org/a", "https://example.org/b?q=1", "file:///tmp/x"].map { text in
    URL(string: text) ?? URL(fileURLWithPath: text)
  }
  static let owners = ["ann", "bea", "cyd", "dot", "eve"]
  static let names = ["Ann", "ann", "Bea", "Éva", "E\u{301}va", "ß", ""]

  static func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }
}

/// What the oracle reads: a row and all that may be linked to it.
struct CaseRow<Mode: CaseMode>: Sendable {
  let item: CaseItem<Mode>
  let world: CaseWorld<Mode>
  /// What filters mean in the world.
  let meaning: TermMeaning

  var owner: CaseOwner<Mode>? { item.owner.flatMap { world.owners[$0.id] } }
  var boss: CaseOwner<Mode>? { owner?.boss.flatMap { world.owners[$0.id] } }
  var friends: [CaseOwner<Mode>] { item.friends.compactMap { world.owners[$0.id] } }
}

/// The rows in their order, and the owners.
struct CaseWorld<Mode: CaseMode>: Sendable {
  var items: [CaseItem<Mode>]
  var owners: [String: CaseOwner<Mode>]

  init(_ random: inout SplitMix64, count: Int) {
    owners = [:]
    items = []
    for (id, name) in zip(CasePools.owners, CasePools.names) {
      owners[id] = random.caseOwner(id)
      owners[id]?.name = name
    }
    let (first, second) = (random.int(0...1000), random.int(0...1000))
    for id in 0..<count {
      var item: CaseItem<Mode> = random.caseItem(id)
      // Every text is there.
      item.text = CasePools.texts[(first + id) % CasePools.texts.count]
      if item.maybeText != nil || id % 4 != 0 {
        item.maybeText = CasePools.texts[(second + 7 * id) % CasePools.texts.count]
      }
      items.append(item)
    }
  }

  var rows: [CaseRow<Mode>] {
    let meaning = TermMeaning(items + Array(owners.values))
    return items.map { CaseRow(item: $0, world: self, meaning: meaning) }
  }

  /// The items that link to an owner.
  func items(of owner: CaseOwner<Mode>) -> [CaseItem<Mode>] { items.filter { $0.owner?.id == owner.id } }
}

extension SplitMix64 {
  mutating func caseOwner<Mode>(_ id: String) -> CaseOwner<Mode> {
    var owner = CaseOwner<Mode>(id: id)
    owner.name = pick(CasePools.names)
    owner.age = chance(1, in: 4) ? nil : int(0...12)
    owner.score = pick(CasePools.reals)
    owner.boss = chance(1, in: 3) ? nil : Ref(pick(CasePools.owners))
    return owner
  }

  mutating func caseItem<Mode>(_ id: Int) -> CaseItem<Mode> {
    var item = CaseItem<Mode>(id: id)
    caseNumbers(of: &item)
    item.text = pick(CasePools.texts)
    item.maybeText = maybe(CasePools.texts)
    item.data = pick(CasePools.datas)
    item.maybeData = maybe(CasePools.datas)
    item.date = pick(CasePools.dates)
    item.maybeDate = maybe(CasePools.dates)
    item.uuid = pick(CasePools.uuids)
    item.maybeUUID = maybe(CasePools.uuids)
    item.url = pick(CasePools.urls)
    item.maybeURL = maybe(CasePools.urls)
    item.kind = pick(CaseKind.allCases)
    item.maybeKind = maybe(CaseKind.allCases)
    item.level = pick(CaseLevel.allCases)
    item.shade = pick(CaseShade.allCases)
    item.code = chance(1, in: 3) ? nil : "c\(id)"
    item.numbers = some(of: [0, 1, 2, 3, 5, -7], upTo: 3)
    item.words = some(of: CasePools.words, upTo: 3)
    item.marks = Set(some(of: CasePools.words, upTo: 3))
    for key in ["k", "l", ""] where chance(1, in: 2) { item.metadata[key] = int(0...3) }
    item.owner = maybe(CasePools.owners).map { Ref($0) }
    item.friends = RefList(ids: some(of: CasePools.owners, upTo: 3))
    return item
  }

  private mutating func caseNumbers<Mode>(of item: inout CaseItem<Mode>) {
    item.flag = chance(1, in: 2)
    item.maybeFlag = maybe([true, false])
    item.int = pick(CasePools.ints)
    item.maybeInt = maybe(CasePools.ints)
    item.small = pick(CasePools.smalls)
    item.big = pick(CasePools.bigs)
    item.real = pick(CasePools.reals)
    item.maybeReal = maybe(CasePools.reals)
    item.float = pick(CasePools.floats)
    item.decimal = pick(CasePools.decimals)
    item.maybeDecimal = maybe(CasePools.decimals)
  }

  private mutating func maybe<Value>(_ values: [Value]) -> Value? { chance(1, in: 4) ? nil : pick(values) }
}
