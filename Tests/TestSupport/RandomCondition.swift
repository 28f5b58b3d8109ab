import Foundation
package import LiveStore

/// A filter, and how it is written in Swift. Its meaning is that of its term (`TermMeaning`).
package struct Condition<Element: Entity>: Sendable {
  package let text: String
  package let expr: @Sendable (Row<Element>) -> Expr<Bool>
}

extension SplitMix64 {
  /// A random condition; the same seed gives the same condition for both entities.
  package mutating func condition<Mode: Indexing>(depth: Int = 2) -> Condition<Thing<Mode>> {
    guard depth > 0, chance(1, in: 2) else { return leaf() }
    let kind = int(0...2)
    let one: Condition<Thing<Mode>> = condition(depth: depth - 1)
    if kind == 2 { return Condition(text: "!(\(one.text))") { !one.expr($0) } }
    let two: Condition<Thing<Mode>> = condition(depth: depth - 1)
    return kind == 0
      ? Condition(text: "(\(one.text) && \(two.text))") { one.expr($0) && two.expr($0) }
      : Condition(text: "(\(one.text) || \(two.text))") { one.expr($0) || two.expr($0) }
  }

  private mutating func leaf<Mode: Indexing>() -> Condition<Thing<Mode>> {
    switch int(0...17) {
    case 0: compared("rank", Pool.ranks) { $0.rank }
    case 1, 2: compared("level", Pool.levels) { $0.level }
    case 3: compared("name", Pool.texts) { $0.name }
    case 4, 5: compared("tag", Pool.texts) { $0.tag }
    case 6, 7: comparedOptional("score", Pool.numbers) { $0.score }
    case 8: comparedOptional("code", Pool.codes) { $0.code }
    case 9: comparedOptional("place.zip", [1, 2, 3]) { $0.place.zip }
    case 10:
      chance(1, in: 2)
        ? comparedOptional("place.spot.height", [-1, 0, 1, 2]) { $0.place.spot.height }
        : comparedOptional("place.city", Pool.texts) { $0.place.city }
    case 11: compared("date", Pool.dates) { $0.date }
    case 12: compared("id", Pool.ids) { $0.id }
    case 13: text("tag") { $0.tag }
    case 14: chance(1, in: 2) ? text("name") { $0.name } : text("code") { $0.code }
    case 15: text("place.city") { $0.place.city }
    case 16: pair()
    default: equality()
    }
  }

  /// `< <= > >= == !=`, a range of one of the five kinds, or a list; no range has NaN as a bound.
  package mutating func compared<T: Entity, V: Comparable & Hashable & Sendable>(
    _ name: String, _ pool: [V], _ expr: @escaping @Sendable (Row<T>) -> Expr<V>
  ) -> Condition<T> {
    func condition(_ text: String, _ test: @escaping @Sendable (Expr<V>) -> Expr<Bool>) -> Condition<T> {
      Condition(text: "$0.\(name)\(text)") { test(expr($0)) }
    }
    let value = pick(pool)
    let other = pick(pool)
    let (low, high) = isBelow(value, other) ? (value, other) : (other, value)
    let list = some(of: pool, upTo: 4)
    let (v, l, h) = (spelled(value), spelled(low), spelled(high))
    switch int(0...(value == value && other == other ? 13 : 6)) {
    case 0, 1: return condition(" == \(v)") { $0 == value }
    case 2: return condition(" != \(v)") { $0 != value }
    case 3: return condition(" < \(v)") { $0 < value }
    case 4: return condition(" <= \(v)") { $0 <= value }
    case 5: return condition(" > \(v)") { $0 > value }
    case 6: return condition(" >= \(v)") { $0 >= value }
    case 7: return condition(".in(\(l)...\(h))") { $0.in(ClosedRange(uncheckedBounds: (low, high))) }
    case 8: return condition(".in(\(l)..<\(h))") { $0.in(Range(uncheckedBounds: (low, high))) }
    case 9: return condition(".in(\(v)...)") { $0.in(value...) }
    case 10: return condition(".in(...\(v))") { $0.in(...value) }
    case 11: return condition(".in(..<\(v))") { $0.in(..<value) }
    default: return condition(".in([\(list.map { spelled($0) }.joined(separator: ", "))])") { $0.in(list) }
    }
  }

  /// The same for values that may be missing.
  package mutating func comparedOptional<T: Entity, V: Comparable & Hashable & Sendable>(
    _ name: String, _ pool: [V], _ expr: @escaping @Sendable (Row<T>) -> Expr<V?>
  ) -> Condition<T> {
    func condition(_ text: String, _ test: @escaping @Sendable (Expr<V?>) -> Expr<Bool>) -> Condition<T> {
      Condition(text: "$0.\(name)\(text)") { test(expr($0)) }
    }
    let value = pick(pool)
    let ends = pool.filter { $0 == $0 }
    let (one, two) = (pick(ends), pick(ends))
    let (low, high) = isBelow(one, two) ? (one, two) : (two, one)
    let maybe: V? = chance(1, in: 4) ? nil : value
    let list = some(of: pool.map { Optional($0) } + [nil], upTo: 4)
    let (v, m, l, h, e) = (spelled(value), spelled(maybe), spelled(low), spelled(high), spelled(one))
    switch int(0...14) {
    case 0, 1: return condition(" == \(m)") { $0 == maybe }
    case 2: return condition(" != \(m)") { $0 != maybe }
    case 3: return condition(" == nil") { $0 == nil }
    case 4: return condition(" != nil") { $0 != nil }
    case 5: return condition(" < \(v)") { $0 < value }
    case 6: return condition(" <= \(v)") { $0 <= value }
    case 7: return condition(" > \(v)") { $0 > value }
    case 8: return condition(" >= \(v)") { $0 >= value }
    case 9: return condition(".in(\(l)...\(h))") { $0.in(ClosedRange(uncheckedBounds: (low, high))) }
    case 10: return condition(".in(\(l)..<\(h))") { $0.in(Range(uncheckedBounds: (low, high))) }
    case 11: return condition(".in(\(e)...)") { $0.in(one...) }
    case 12: return condition(".in(...\(e))") { $0.in(...one) }
    case 13: return condition(".in(..<\(e))") { $0.in(..<one) }
    default: return condition(".in([\(list.map { spelled($0) }.joined(separator: ", "))])") { $0.in(list) }
    }
  }

  private mutating func text<T: Entity, V: FilterText>(
    _ name: String, _ expr: @escaping @Sendable (Row<T>) -> Expr<V>
  ) -> Condition<T> {
    let kind = int(0...2)
    let pattern = pick([
      "a", "A", "b", "e", "é", "e\u{301}", "pre", "prefixed", "prefixed-", "prefixed-1", "日", "ZO", "s", "ss",
      "Å", "1", "aaaaaaaa", "aaaaaaaae", "aaaaaaaaé", "aaaaaaaae\u{301}",
    ])
    let options: TextOptions = pick([
      [], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ])
    let test = ["contains", "beginsWith", "endsWith"][kind]
    return Condition(text: "$0.\(name).\(test)(\(spelled(pattern)), options: \"\(options)\")") {
      switch kind {
      case 0: expr($0).contains(pattern, options: options)
      case 1: expr($0).beginsWith(pattern, options: options)
      default: expr($0).endsWith(pattern, options: options)
      }
    }
  }

  /// Two properties of one row against each other.
  private mutating func pair<Mode: Indexing>() -> Condition<Thing<Mode>> {
    switch int(0...8) {
    case 0: Condition(text: "$0.rank == $0.level") { $0.rank == $0.level }
    case 1: Condition(text: "$0.rank != $0.level") { $0.rank != $0.level }
    case 2: Condition(text: "$0.rank < $0.level") { $0.rank < $0.level }
    case 3: Condition(text: "$0.level <= $0.id") { $0.level <= $0.id }
    case 4: Condition(text: "$0.name > $0.tag") { $0.name > $0.tag }
    case 5: Condition(text: "$0.name >= $0.tag") { $0.name >= $0.tag }
    case 6: Condition(text: "$0.place.city == $0.code") { $0.place.city == $0.code }
    case 7: Condition(text: "$0.score == $0.place.spot.height") { $0.score == $0.place.spot.height }
    default: Condition(text: "$0.score == $0.score") { $0.score == $0.score }
    }
  }

  /// Boolean values, and equality of values that have no order.
  private mutating func equality<Mode: Indexing>() -> Condition<Thing<Mode>> {
    let (color, mood, place) = (pick(Color.allCases), pick(Pool.moods), place())
    let colors = some(of: Color.allCases, upTo: 3)
    return switch int(0...9) {
    case 0: Condition(text: "$0.isDone") { $0.isDone }
    case 1: Condition(text: "$0.isDone == false") { $0.isDone == false }
    case 2: Condition(text: "$0.color == .\(color)") { $0.color == color }
    case 3: Condition(text: "$0.color != .\(color)") { $0.color != color }
    case 4: Condition(text: "$0.color.in(\(colors))") { $0.color.in(colors) }
    case 5: Condition(text: "$0.mood == .\(mood)") { $0.mood == mood }
    case 6: Condition(text: "$0.mood.in([.calm, .\(mood)])") { $0.mood.in([.calm, mood]) }
    case 7: Condition(text: "$0.place == nil") { $0.place == nil }
    case 8: Condition(text: "$0.place != nil") { $0.place != nil }
    default: Condition(text: "$0.place == \(place.map { "\($0)" } ?? "nil")") { $0.place == place }
    }
  }
}

/// A value as Swift writes it.
private func spelled(_ value: Any?) -> String {
  switch value.flatMap(unwrapped) {
  case let text as String: spelled(text)
  case let number as Double: spelled(number)
  case let date as Date: "Date(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
  case let value?: "\(value)"
  case nil: "nil"
  }
}
