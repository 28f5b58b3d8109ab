import Foundation
import LiveStore
import TestSupport
import Testing

private enum Level: String, CaseIterable, Sendable {
  case low = "z", mid = "y", high = "x"
}

private struct Site: Hashable, Sendable {
  var city: String
  var zip: Int?
  var keeper: Ref<Keeper>?
}

private struct Keeper: Entity {
  let id: Int
  var name: String
  var age: Int?
  var boss: Ref<Keeper>?

  static let schema = Schema<Keeper> {
    Property(\.name, .indexed)
    Property(\.age, .indexed)
    Relation(\.boss)
  }

  /// Ann has no boss, Bea no age.
  static let all3 = [
    Keeper(id: 1, name: "ann", age: 30), Keeper(id: 2, name: "bea", boss: 1),
    Keeper(id: 3, name: "éva", age: 50, boss: 2),
  ]
}

private struct Sample: Entity {
  let id: Int
  var number = 1
  var maybe: Int?
  var real: Double?
  var cost = 0.1
  var price = Decimal(string: "0.1")
  var small: Int8 = 1
  var text = "apple"
  var note: String?
  var flag = false
  var sure: Bool?
  var level = Level.low
  var place: Site?
  var words: [String] = []
  var nicks: [String]?
  var scores: Set<Int> = []
  var meta: [String: Int] = [:]
  var owner: Ref<Keeper>?
  var list = RefList<Keeper>()
  var set = RefSet<Keeper>()
  var map = RefMap<Keeper>()

  static let schema = Schema<Sample> {
    Property(\.number, .indexed)
    Property(\.maybe, .indexed)
    \.real
    \.cost
    \.price
    \.small
    Property(\.text, .indexed)
    \.note
    \.flag
    \.sure
    \.level
    Embedded(\.place) { Relation(\.keeper) }
    \.words
    \.nicks
    \.scores
    \.meta
    Relation(\.owner)
    Relation(\.list)
    Relation(\.set)
    Relation(\.map)
  }

  /// The first has no value where none is needed.
  static let all4: [Sample] = [Sample(id: 1), second, third, fourth]

  private static let second = Sample(
    id: 2, number: 2, maybe: 2, real: .nan, cost: 2, price: Decimal(string: "2.5"), small: -2, text: "Éclair",
    note: "clair", flag: true, sure: true, level: .high, place: Site(city: "Ulm", keeper: 3),
    words: ["a", "b"], nicks: [], scores: [1, 2], meta: ["k": 1], owner: 1, list: [2, 2, 1], set: [1],
    map: ["x": 3])
  private static let third = Sample(
    id: 3, number: 3, maybe: 1, real: 3, cost: 3, price: 3, small: 3, text: "e\u{301}clair", note: "Z",
    sure: false, level: .mid, place: Site(city: "Bern", zip: 3), words: ["b"], nicks: ["x"], scores: [5],
    meta: ["k": 3, "l": 0], owner: 2, list: [3], set: [2, 3], map: ["x": 1, "y": 1])
  private static let fourth = Sample(
    id: 4, number: .max, maybe: 4, real: -0.0, cost: -1, price: -1, small: 4, text: "", note: "", flag: true,
    level: .high, place: Site(city: "Ulm", zip: 4), words: ["é"], scores: [2], meta: ["l": 1], owner: 3,
    list: [1])
}

/// What expressions say, case by case: the ids of the objects that pass, worked out by hand from the documentation.
///
/// Each case is put to the store and to the interpreter of terms, by which the oracles know what random conditions mean.
/// So an operator that makes a wrong term fails here, even where the term and its evaluation agree.
@Suite struct `The meaning of terms` {
  private let snapshot: Snapshot
  private let meaning = TermMeaning(Keeper.all3 + Sample.all4)

  init() throws {
    let store = try Store(Keeper.self, Sample.self)
    try store.write { tx in
      try tx.insert(contentsOf: Keeper.all3)
      try tx.insert(contentsOf: Sample.all4)
    }
    snapshot = store.snapshot()
  }

  private func check<Element: Entity>(
    _ ids: [Int], _ objects: [Element], _ condition: (Row<Element>) -> Expr<Bool>, _ place: SourceLocation
  ) where Element.ID == Int {
    let term = condition(Row()).filter.term
    #expect(
      objects.filter { meaning.holds(term, $0) }.map(\.id) == ids, "the meaning of \(term)",
      sourceLocation: place)
    #expect(snapshot.fetch(Element.where(condition)).map(\.id) == ids, "\(term)", sourceLocation: place)
    #expect(
      snapshot.fetch(Element.where { !condition($0) }).map(\.id)
        == objects.map(\.id).filter { !ids.contains($0) }, "!(\(term))", sourceLocation: place)
  }

  private func check(
    _ ids: [Int], place: SourceLocation = #_sourceLocation, _ condition: (Row<Sample>) -> Expr<Bool>
  ) { check(ids, Sample.all4, condition, place) }

  private func checkKeepers(
    _ ids: [Int], place: SourceLocation = #_sourceLocation, _ condition: (Row<Keeper>) -> Expr<Bool>
  ) { check(ids, Keeper.all3, condition, place) }

  // MARK: Values

  @Test func `numbers are compared, and are in ranges and lists`() {
    check([2]) { $0.number == 2 }
    check([1, 3, 4]) { $0.number != 2 }
    check([1]) { $0.number < 2 }
    check([1, 2]) { $0.number <= 2 }
    check([3, 4]) { $0.number > 2 }
    check([2, 3, 4]) { $0.number >= 2 }
    check([2, 3]) { $0.number.in(2...3) }
    check([2]) { $0.number.in(2..<3) }
    check([2, 3, 4]) { $0.number.in(2...) }
    check([1, 2]) { $0.number.in(...2) }
    check([1]) { $0.number.in(..<2) }
    check([1, 3]) { $0.number.in([1, 3]) }
    check([]) { $0.number.in([Int]()) }
    check([1, 2]) { $0.number.in(0...2) }
    check([2, 3, 4]) { $0.number.in(2...) }
  }

  @Test func `a missing value equals nil alone and has no order`() {
    check([2]) { $0.maybe == 2 }
    check([1, 3, 4]) { $0.maybe != 2 }
    check([1]) { $0.maybe == nil }
    check([2, 3, 4]) { $0.maybe != nil }
    check([3]) { $0.maybe < 2 }
    check([2, 3]) { $0.maybe <= 2 }
    check([2, 4]) { $0.maybe > 1 }
    check([2, 4]) { $0.maybe >= 2 }
    check([2, 3]) { $0.maybe.in(1...2) }
    check([3]) { $0.maybe.in(1..<2) }
    check([2, 4]) { $0.maybe.in(2...) }
    check([2, 3]) { $0.maybe.in(...2) }
    check([3]) { $0.maybe.in(..<2) }
    check([1, 4]) { $0.maybe.in([nil, 4]) }
    check([2, 3]) { $0.maybe.in(Set([1, 2])) }
    check([2, 3]) { $0.maybe.in(1..<4) }
    check([1, 2]) { $0.note.in([nil, "clair"]) }
    check([1, 4]) { ($0.maybe ?? 7) > 3 }
    check([1, 2]) { ($0.place.zip ?? 0) == 0 }
    check([1, 2, 4]) { $0.sure ?? true }
    check([2]) { $0.sure == true }
    check([1, 3, 4]) { $0.sure != true }
  }

  @Test func `NaN equals nothing and has no order, and zero has no sign`() {
    check([1]) { $0.real == nil }
    check([2, 3, 4]) { $0.real != nil }
    check([]) { $0.real == .nan }
    check([1, 2, 3, 4]) { $0.real != .nan }
    check([4]) { $0.real == 0 }
    check([4]) { $0.real < 3 }
    check([3, 4]) { $0.real <= 3 }
    check([3, 4]) { $0.real >= 0 }
    check([3, 4]) { $0.real.in(0...3) }
    check([4]) { $0.real.in([.nan, 0]) }
    check([1, 3, 4]) { $0.real == $0.real }
    check([2]) { $0.real != $0.real }
  }

  @Test func `texts are compared by the scalars of their composition`() {
    check([3]) { $0.text == "éclair" }
    check([1, 4]) { $0.text < "z" }
    check([3]) { $0.text >= "é" }
    check([2, 3]) { $0.text > "apple" }
    check([2]) { $0.text.in("É"..."É~") }
    check([3, 4]) { $0.note < "a" }
    check([2, 3]) { $0.text.count == 6 }
    check([4]) { $0.text.isEmpty }
  }

  @Test func `a part of a text is found by characters, folded by the options`() {
    check([2, 3]) { $0.text.contains("clair") }
    check([1]) { $0.text.contains("e") }
    check([2, 3]) { $0.text.contains("é", options: .caseInsensitive) }
    check([1, 2, 3]) { $0.text.contains("E", options: [.caseInsensitive, .diacriticInsensitive]) }
    check([1, 2, 3, 4]) { $0.text.contains("") }
    check([3]) { $0.text.beginsWith("é") }
    check([2, 3]) { $0.text.beginsWith("É", options: .caseInsensitive) }
    check([3]) { $0.text.beginsWith("e", options: .diacriticInsensitive) }
    check([2, 3]) { $0.text.endsWith("r") }
    check([1]) { $0.text.endsWith("LE", options: .caseInsensitive) }
    check([2, 3]) { $0.text.equals("ECLAIR", options: [.caseInsensitive, .diacriticInsensitive]) }
    check([1]) { $0.text.like("a*e") }
    check([2, 3]) { $0.text.like("?clair") }
    check([2, 3, 4]) { $0.note.contains("") }
    check([2]) { $0.note.contains("l") }
    check([3]) { $0.note.beginsWith("z", options: .caseInsensitive) }
    check([2]) { $0.note.endsWith("air") }
    check([1, 3, 4]) { !$0.note.endsWith("air") }
    check([2]) { $0.note.like("?lair") }
  }

  @Test func `two values of a row are compared`() {
    check([3, 4]) { $0.number > $0.maybe }
    check([2, 3, 4]) { $0.number >= $0.maybe }
    check([]) { $0.number < $0.maybe }
    check([2]) { $0.number <= $0.maybe }
    check([2]) { $0.number == $0.maybe }
    check([1, 3, 4]) { $0.number != $0.maybe }
    check([1, 2, 3]) { $0.number <= $0.id }
    check([4]) { $0.number > $0.id }
    check([]) { $0.id < $0.id }
    check([1, 2, 3, 4]) { $0.id >= $0.id }
    check([1, 3]) { $0.small == $0.number }
    check([1, 3, 4]) { $0.price == $0.cost }
    check([2]) { $0.price > $0.cost }
    check([3]) { $0.real == $0.number }
    check([4]) { $0.real < $0.number }
    check([3, 4]) { $0.real >= $0.cost }
    check([1, 2, 4]) { $0.text.contains($0.note) }
    check([1, 4]) { $0.text.beginsWith($0.note) }
    check([1, 2, 4]) { $0.text.endsWith($0.note) }
    check([4]) { $0.note.contains($0.text) }
    check([4]) { $0.text.equals($0.note, options: .caseInsensitive) }
    check([4]) { $0.text.like($0.note) }
  }

  @Test func `conditions are joined and negated`() {
    check([2, 4]) { $0.flag }
    check([1, 3]) { !$0.flag }
    check([1, 3]) { $0.flag == false }
    check([4]) { $0.flag && $0.number > 2 }
    check([1, 2, 4]) { $0.flag || $0.number < 2 }
    check([3]) { !($0.flag || $0.number < 2) }
    check([1, 2, 3]) { !($0.flag && $0.number > 2) }
    check([1, 2, 4]) { !($0.maybe < 2) }
    check([1, 4]) { !$0.maybe.in(1...2) }
    check([1, 2]) { !($0.real <= 3) }
    check([1, 3, 4]) { !$0.note.contains("l") }
    check([2, 4]) { $0.flag && true }
    check([1, 2, 3, 4]) { $0.flag || true }
  }

  @Test func `cases are in the order of their declaration, and nested values have members`() {
    check([1, 3]) { $0.level < .high }
    check([1, 3]) { $0.level <= .mid }
    check([2, 4]) { $0.level > .mid }
    check([2, 3, 4]) { $0.level >= .mid }
    check([3]) { $0.level == .mid }
    check([1, 3]) { $0.level.in([.low, .mid]) }
    check([1, 3]) { $0.level.in(Set([Level.low, .mid])) }
    check([1]) { $0.place == nil }
    check([3]) { $0.place == Site(city: "Bern", zip: 3) }
    check([2, 4]) { $0.place.city == "Ulm" }
    check([1, 3]) { $0.place.city != "Ulm" }
    check([1, 2]) { $0.place.zip == nil }
    check([4]) { $0.place.zip > 3 }
  }

  @Test func `arithmetic stays within its type and is nil with a missing number`() {
    check([2]) { $0.number + 1 == 3 }
    check([1, 2, 3]) { $0.number + 1 > $0.number }
    check([1, 2, 3, 4]) { $0.number + 1 >= $0.number }
    check([1, 2]) { $0.number - 3 < 0 }
    check([2]) { 5 - $0.number == 3 }
    check([2]) { $0.number * 2 == 4 }
    check([2, 3]) { $0.number / 2 == 1 }
    check([1, 2, 3, 4]) { $0.number / 0 == nil }
    check([3]) { 6 / $0.maybe == 6 }
    check([2, 4]) { $0.maybe * 2 > 3 }
    check([1]) { $0.maybe + 1 == nil }
    check([2]) { $0.maybe - $0.number == 0 }
    check([3]) { $0.cost * 2 == 6 }
    check([1, 2, 3]) { $0.cost / 0 > 0 }
    check([3]) { $0.price + 1 == 4 }
    check([1]) { $0.number.double / 2 == 0.5 }
    check([2, 3, 4]) { $0.number + $0.number > 3 }
    check([2]) { $0.number * 2 - 1 == 3 }
    check([4]) { $0.number + 1 == .max }
    check([2]) { $0.number.double * $0.cost == 4 }
  }

  // MARK: Collections and links

  @Test func `elements and keys are found, counted and summed up`() {
    check([2, 3]) { $0.words.contains("b") }
    check([4]) { $0.words.contains("e\u{301}") }
    check([2, 3, 4]) { $0.words.contains { $0 > "a" } }
    check([1, 3]) { $0.words.allSatisfy { $0 == "b" } }
    check([2]) { $0.words.count == 2 }
    check([3]) { $0.words == ["b"] }
    check([1]) { $0.words.isEmpty }
    check([3]) { $0.nicks.contains("x") }
    check([1, 2, 4]) { $0.nicks.allSatisfy { $0 == "y" } }
    check([1, 4]) { $0.nicks.count == nil }
    check([2]) { $0.nicks.isEmpty == true }
    check([2, 4]) { $0.scores.contains(2) }
    check([3]) { row in row.scores.contains { $0 > row.number } }
    check([1, 2, 4]) { $0.scores.allSatisfy { $0 < 5 } }
    check([2]) { $0.words.contains { $0.beginsWith("a") } }
    check([2, 3, 4]) { $0.scores.max() > 1 }
    check([2]) { $0.scores.min() == 1 }
    check([1]) { $0.scores.min() == nil }
    check([2]) { $0.scores.sum() == 3 }
    check([3, 4]) { $0.scores.average() > 1.5 }
    check([2]) { $0.meta["k"] == 1 }
    check([1, 3, 4]) { $0.meta["k"] != 1 }
    check([3]) { $0.meta["k"] > 1 }
    check([1, 4]) { $0.meta["k"] == nil }
    check([2, 4]) { $0.meta.contains(value: 1) }
    check([3]) { $0.meta.count == 2 }
  }

  @Test func `values behind a link are missing where it leads nowhere`() {
    check([2]) { $0.owner == Ref(1) }
    check([1, 3, 4]) { $0.owner != Ref(1) }
    check([1]) { $0.owner == nil }
    check([1, 2]) { $0.owner.in([Ref(1), nil]) }
    check([3]) { $0.owner.id == 2 }
    check([3]) { $0.owner.name == "bea" }
    check([1, 2, 4]) { $0.owner.name != "bea" }
    check([1, 3]) { $0.owner.age == nil }
    check([4]) { $0.owner.age > 40 }
    check([1, 2, 3]) { !($0.owner.age > 40) }
    check([1, 3, 4]) { ($0.owner.age ?? 99) > 40 }
    check([3]) { $0.owner.boss.name == "ann" }
    check([1, 2]) { $0.owner.boss.name == nil }
    check([4]) { $0.owner.boss.boss.name == "ann" }
    check([2]) { $0.place.keeper.name == "éva" }
  }

  @Test func `the objects of a list, a set or a map are tested, counted and summed up`() {
    check([2, 4]) { $0.list.contains(Ref(1)) }
    check([2]) { $0.list.contains { $0.name == "bea" } }
    check([1, 3, 4]) { $0.list.allSatisfy { $0.age != nil } }
    check([2]) { $0.list.count == 3 }
    check([1]) { $0.list.isEmpty }
    check([2]) { $0.list.where { $0.name == "bea" }.count == 2 }
    check([1, 3, 4]) { $0.list.where { $0.name == "bea" }.isEmpty }
    check([2, 4]) { $0.list.objects.min(\.age) == 30 }
    check([3]) { $0.list.objects.max(\.name) == "éva" }
    check([2, 4]) { $0.list.objects.sum(\.age) == 30 }
    check([1]) { $0.list.objects.sum(\.age) == 0 }
    check([2]) { $0.list.objects.sum(\.id) == 5 }
    check([3]) { $0.list.objects.average(\.age) > 30 }
    check([1]) { $0.list.objects.average(\.age) == nil }
    check([3]) { $0.set.contains(Ref(3)) }
    check([3]) { $0.set.contains { $0.age > 40 } }
    check([2]) { $0.set.count == 1 }
    check([3]) { $0.map.contains(Ref(1)) }
    check([2]) { $0.map.contains { $0.name == "éva" } }
    check([3]) { $0.map.where { $0.age == 30 }.count == 2 }
    check([3]) { $0.map.objects.sum(\.age) == 60 }
  }

  @Test func `a condition on linked objects reads the rows around it`() {
    check([2, 3]) { row in row.list.contains { $0.boss.name == row.owner.name } }
    check([2, 3]) { row in row.list.contains { one in row.set.contains { one.boss == $0 } } }
    check([2]) { row in row.list.where { $0.boss == row.owner }.count == 2 }
    checkKeepers([1, 2]) { row in
      row.linking(\Keeper.boss).contains { $0.linking(\Sample.owner).contains { $0.number > row.id + 1 } }
    }
  }

  @Test func `the objects that link to a row are tested, counted and summed up`() {
    checkKeepers([1, 2, 3]) { $0.linking(\Sample.owner).count == 1 }
    checkKeepers([1]) { $0.linking(\Sample.list).count == 2 }
    checkKeepers([2]) { $0.linking(\Sample.map).isEmpty }
    checkKeepers([3]) { $0.linking(\Sample.place?.keeper).count == 1 }
    checkKeepers([1]) { $0.linking(\Keeper.boss).contains { $0.name == "bea" } }
    checkKeepers([1]) { $0.linking(\Sample.set).allSatisfy { $0.flag } }
    checkKeepers([2]) { $0.linking(\Sample.owner).max(\.number) == 3 }
    checkKeepers([1]) { $0.linking(\Sample.owner).sum(\.number) == 2 }
    checkKeepers([2, 3]) { $0.boss.linking(\Sample.owner).count == 1 }
    checkKeepers([1]) { $0.boss.linking(\Sample.owner).isEmpty }
    check([2]) { $0.list.linking(\Sample.owner).count == 3 }
    check([3, 4]) { $0.list.linking(\Sample.owner).count == 1 }
    check([2]) { $0.list.linking(\Sample.owner).sum(\.number) == 8 }
  }
}
