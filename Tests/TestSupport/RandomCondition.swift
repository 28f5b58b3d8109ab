import Foundation
package import LiveStore

/// A filter twice: as the store reads it, and as plain Swift.
package struct Condition<Element: Entity>: Sendable {
  package let text: String
  package let expr: @Sendable (Row<Element>) -> Expr<Bool>
  package let holds: @Sendable (Element) -> Bool
}

/// A property of comparable values that may be missing or not.
private struct Field<Element: Entity, Value: Sendable>: Sendable {
  let name: String
  let expr: @Sendable (Row<Element>) -> Expr<Value>
  let read: @Sendable (Element) -> Value
}

extension SplitMix64 {
  /// A random condition; the same seed gives the same condition for both entities.
  package mutating func condition<Mode: Indexing>(depth: Int = 2) -> Condition<Thing<Mode>> {
    guard depth > 0, chance(1, in: 2) else { return leaf() }
    switch int(0...2) {
    case 0:
      let (one, two): (Condition<Thing<Mode>>, Condition<Thing<Mode>>) = (
        condition(depth: depth - 1), condition(depth: depth - 1)
      )
      return Condition(
        text: "(\(one.text) && \(two.text))", expr: { one.expr($0) && two.expr($0) },
        holds: { one.holds($0) && two.holds($0) })
    case 1:
      let (one, two): (Condition<Thing<Mode>>, Condition<Thing<Mode>>) = (
        condition(depth: depth - 1), condition(depth: depth - 1)
      )
      return Condition(
        text: "(\(one.text) || \(two.text))", expr: { one.expr($0) || two.expr($0) },
        holds: { one.holds($0) || two.holds($0) })
    default:
      let one: Condition<Thing<Mode>> = condition(depth: depth - 1)
      return Condition(text: "!(\(one.text))", expr: { !one.expr($0) }, holds: { !one.holds($0) })
    }
  }

  private mutating func leaf<Mode: Indexing>() -> Condition<Thing<Mode>> {
    typealias T = Thing<Mode>
    switch int(0...17) {
    case 0:
      return compared(
        Field<T, Int>(name: "rank", expr: { $0.rank }, read: { $0.rank }), Pool.ranks, spell: { "\($0)" })
    case 1, 2:
      return compared(
        Field<T, Int>(name: "level", expr: { $0.level }, read: { $0.level }), Pool.levels, spell: { "\($0)" })
    case 3:
      return compared(
        Field<T, String>(name: "name", expr: { $0.name }, read: { $0.name }), Pool.texts, spell: spelled)
    case 4, 5:
      return compared(
        Field<T, String>(name: "tag", expr: { $0.tag }, read: { $0.tag }), Pool.texts, spell: spelled)
    case 6, 7:
      return comparedOptional(
        Field<T, Double?>(name: "score", expr: { $0.score }, read: { $0.score }), Pool.numbers,
        spell: { spelled($0) })
    case 8:
      return comparedOptional(
        Field<T, String?>(name: "code", expr: { $0.code }, read: { $0.code }), Pool.codes, spell: spelled)
    case 9:
      return comparedOptional(
        Field<T, Int?>(name: "place.zip", expr: { $0.place.zip }, read: { $0.place?.zip }), [1, 2, 3],
        spell: { "\($0)" })
    case 10:
      return chance(1, in: 2)
        ? comparedOptional(
          Field<T, Double?>(
            name: "place.spot.height", expr: { $0.place.spot.height }, read: { $0.place?.spot?.height }),
          [-1, 0, 1, 2], spell: { "\($0)" })
        : comparedOptional(
          Field<T, String?>(name: "place.city", expr: { $0.place.city }, read: { $0.place?.city }),
          Pool.texts,
          spell: spelled)
    case 11:
      return compared(
        Field<T, Date>(name: "date", expr: { $0.date }, read: { $0.date }), Pool.dates,
        spell: { "Date(timeIntervalSinceReferenceDate: \($0.timeIntervalSinceReferenceDate))" })
    case 12:
      return compared(
        Field<T, Int>(name: "id", expr: { $0.id }, read: { $0.id }), Pool.ids, spell: { "\($0)" })
    case 13: return text(Field<T, String>(name: "tag", expr: { $0.tag }, read: { $0.tag }))
    case 14:
      return chance(1, in: 2)
        ? text(Field<T, String>(name: "name", expr: { $0.name }, read: { $0.name }))
        : optionalText(Field<T, String?>(name: "code", expr: { $0.code }, read: { $0.code }))
    case 15:
      return optionalText(
        Field<T, String?>(name: "place.city", expr: { $0.place.city }, read: { $0.place?.city }))
    case 16: return pair()
    default: return equality()
    }
  }

  /// `< <= > >= == !=`, a range of one of the five kinds, or a list.
  private mutating func compared<T: Entity, V: Comparable & Hashable & Sendable>(
    _ field: Field<T, V>, _ pool: [V], spell: (V) -> String
  ) -> Condition<T> {
    let (expr, read, name) = (field.expr, field.read, field.name)
    let value = pick(pool)
    let other = pick(pool)
    let (low, high) = isBelow(value, other) ? (value, other) : (other, value)
    let list = some(of: pool, upTo: 4)
    let (v, l, h) = (spell(value), spell(low), spell(high))
    switch int(0...13) {
    case 0, 1:
      return Condition(text: "$0.\(name) == \(v)", expr: { expr($0) == value }, holds: { read($0) == value })
    case 2:
      return Condition(text: "$0.\(name) != \(v)", expr: { expr($0) != value }, holds: { read($0) != value })
    case 3:
      return Condition(
        text: "$0.\(name) < \(v)", expr: { expr($0) < value }, holds: { isBelow(read($0), value) })
    case 4:
      return Condition(
        text: "$0.\(name) <= \(v)", expr: { expr($0) <= value }, holds: { isAtMost(read($0), value) })
    case 5:
      return Condition(
        text: "$0.\(name) > \(v)", expr: { expr($0) > value }, holds: { isBelow(value, read($0)) })
    case 6:
      return Condition(
        text: "$0.\(name) >= \(v)", expr: { expr($0) >= value }, holds: { isAtMost(value, read($0)) })
    case 7:
      return Condition(
        text: "$0.\(name).in(\(l)...\(h))", expr: { expr($0).in(ClosedRange(uncheckedBounds: (low, high))) },
        holds: { isAtMost(low, read($0)) && isAtMost(read($0), high) })
    case 8:
      return Condition(
        text: "$0.\(name).in(\(l)..<\(h))", expr: { expr($0).in(Range(uncheckedBounds: (low, high))) },
        holds: { isAtMost(low, read($0)) && isBelow(read($0), high) })
    case 9:
      return Condition(
        text: "$0.\(name).in(\(v)...)", expr: { expr($0).in(value...) },
        holds: { isAtMost(value, read($0)) })
    case 10:
      return Condition(
        text: "$0.\(name).in(...\(v))", expr: { expr($0).in(...value) },
        holds: { isAtMost(read($0), value) })
    case 11:
      return Condition(
        text: "$0.\(name).in(..<\(v))", expr: { expr($0).in(..<value) },
        holds: { isBelow(read($0), value) })
    default:
      return Condition(
        text: "$0.\(name).in([\(list.map(spell).joined(separator: ", "))])", expr: { expr($0).in(list) },
        holds: { list.contains(read($0)) })
    }
  }

  /// The same for values that may be missing, and with NaN: ranges are made of the others.
  private mutating func comparedOptional<T: Entity, V: Comparable & Hashable & Sendable>(
    _ field: Field<T, V?>, _ pool: [V], spell: (V) -> String
  ) -> Condition<T> {
    let (expr, read, name) = (field.expr, field.read, field.name)
    let value = pick(pool)
    let ends = pool.filter { $0 == $0 }
    let (one, two) = (pick(ends), pick(ends))
    let (low, high) = isBelow(one, two) ? (one, two) : (two, one)
    let maybe: V? = chance(1, in: 4) ? nil : value
    let list = some(of: pool.map { Optional($0) } + [nil], upTo: 4)
    let (v, m, l, h, e) = (spell(value), maybe.map(spell) ?? "nil", spell(low), spell(high), spell(one))
    switch int(0...14) {
    case 0, 1:
      return Condition(text: "$0.\(name) == \(m)", expr: { expr($0) == maybe }, holds: { read($0) == maybe })
    case 2:
      return Condition(text: "$0.\(name) != \(m)", expr: { expr($0) != maybe }, holds: { read($0) != maybe })
    case 3: return Condition(text: "$0.\(name) == nil", expr: { expr($0) == nil }, holds: { read($0) == nil })
    case 4: return Condition(text: "$0.\(name) != nil", expr: { expr($0) != nil }, holds: { read($0) != nil })
    case 5:
      return Condition(
        text: "$0.\(name) < \(v)", expr: { expr($0) < value },
        holds: { read($0).map { isBelow($0, value) } ?? false })
    case 6:
      return Condition(
        text: "$0.\(name) <= \(v)", expr: { expr($0) <= value },
        holds: { read($0).map { isAtMost($0, value) } ?? false })
    case 7:
      return Condition(
        text: "$0.\(name) > \(v)", expr: { expr($0) > value },
        holds: { read($0).map { isBelow(value, $0) } ?? false })
    case 8:
      return Condition(
        text: "$0.\(name) >= \(v)", expr: { expr($0) >= value },
        holds: { read($0).map { isAtMost(value, $0) } ?? false })
    case 9:
      return Condition(
        text: "$0.\(name).in(\(l)...\(h))", expr: { expr($0).in(ClosedRange(uncheckedBounds: (low, high))) },
        holds: { read($0).map { isAtMost(low, $0) && isAtMost($0, high) } ?? false })
    case 10:
      return Condition(
        text: "$0.\(name).in(\(l)..<\(h))", expr: { expr($0).in(Range(uncheckedBounds: (low, high))) },
        holds: { read($0).map { isAtMost(low, $0) && isBelow($0, high) } ?? false })
    case 11:
      return Condition(
        text: "$0.\(name).in(\(e)...)", expr: { expr($0).in(one...) },
        holds: { read($0).map { isAtMost(one, $0) } ?? false })
    case 12:
      return Condition(
        text: "$0.\(name).in(...\(e))", expr: { expr($0).in(...one) },
        holds: { read($0).map { isAtMost($0, one) } ?? false })
    case 13:
      return Condition(
        text: "$0.\(name).in(..<\(e))", expr: { expr($0).in(..<one) },
        holds: { read($0).map { isBelow($0, one) } ?? false })
    default:
      return Condition(
        text: "$0.\(name).in([\(list.map { $0.map(spell) ?? "nil" }.joined(separator: ", "))])",
        expr: { expr($0).in(list) }, holds: { list.contains(read($0)) })
    }
  }

  private mutating func text<T: Entity>(_ field: Field<T, String>) -> Condition<T> {
    let (expr, read) = (field.expr, field.read)
    let test = textTest()
    return Condition(
      text: "$0.\(field.name)\(test.text)",
      expr: {
        switch test.kind {
        case 0: expr($0).contains(test.pattern, options: test.options)
        case 1: expr($0).beginsWith(test.pattern, options: test.options)
        default: expr($0).endsWith(test.pattern, options: test.options)
        }
      }, holds: { test.holds(read($0)) })
  }

  private mutating func optionalText<T: Entity>(_ field: Field<T, String?>) -> Condition<T> {
    let (expr, read) = (field.expr, field.read)
    let test = textTest()
    return Condition(
      text: "$0.\(field.name)\(test.text)",
      expr: {
        switch test.kind {
        case 0: expr($0).contains(test.pattern, options: test.options)
        case 1: expr($0).beginsWith(test.pattern, options: test.options)
        default: expr($0).endsWith(test.pattern, options: test.options)
        }
      }, holds: { read($0).map(test.holds) ?? false })
  }

  private mutating func textTest() -> TextTest {
    let patterns = [
      "a", "A", "b", "e", "é", "e\u{301}", "pre", "prefixed", "prefixed-", "prefixed-1", "日", "ZO", "s", "ss",
      "Å", "1", "aaaaaaaa", "aaaaaaaae", "aaaaaaaaé", "aaaaaaaae\u{301}",
    ]
    return TextTest(
      kind: int(0...2), pattern: pick(patterns),
      options: pick([
        [], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
      ]))
  }

  /// Two properties of one row against each other.
  private mutating func pair<Mode: Indexing>() -> Condition<Thing<Mode>> {
    switch int(0...8) {
    case 0:
      Condition(text: "$0.rank == $0.level", expr: { $0.rank == $0.level }, holds: { $0.rank == $0.level })
    case 1:
      Condition(text: "$0.rank != $0.level", expr: { $0.rank != $0.level }, holds: { $0.rank != $0.level })
    case 2: Condition(text: "$0.rank < $0.level", expr: { $0.rank < $0.level }, holds: { $0.rank < $0.level })
    case 3: Condition(text: "$0.level <= $0.id", expr: { $0.level <= $0.id }, holds: { $0.level <= $0.id })
    case 4:
      Condition(text: "$0.name > $0.tag", expr: { $0.name > $0.tag }, holds: { isBelow($0.tag, $0.name) })
    case 5:
      Condition(text: "$0.name >= $0.tag", expr: { $0.name >= $0.tag }, holds: { isAtMost($0.tag, $0.name) })
    case 6:
      Condition(
        text: "$0.place.city == $0.code", expr: { $0.place.city == $0.code },
        holds: { $0.place?.city == $0.code })
    case 7:
      Condition(
        text: "$0.score == $0.place.spot.height", expr: { $0.score == $0.place.spot.height },
        holds: { $0.score == $0.place?.spot?.height })
    default:
      Condition(text: "$0.score == $0.score", expr: { $0.score == $0.score }, holds: { $0.score == $0.score })
    }
  }

  /// PredicateOutcome values, and equality of values that have no order.
  private mutating func equality<Mode: Indexing>() -> Condition<Thing<Mode>> {
    let (color, mood, place) = (pick(Color.allCases), pick(Pool.moods), place())
    let colors = some(of: Color.allCases, upTo: 3)
    switch int(0...9) {
    case 0: return Condition(text: "$0.isDone", expr: { $0.isDone }, holds: { $0.isDone })
    case 1: return Condition(text: "$0.isDone == false", expr: { $0.isDone == false }, holds: { !$0.isDone })
    case 2:
      return Condition(
        text: "$0.color == .\(color)", expr: { $0.color == color }, holds: { $0.color == color })
    case 3:
      return Condition(
        text: "$0.color != .\(color)", expr: { $0.color != color }, holds: { $0.color != color })
    case 4:
      return Condition(
        text: "$0.color.in(\(colors))", expr: { $0.color.in(colors) }, holds: { colors.contains($0.color) })
    case 5:
      return Condition(text: "$0.mood == .\(mood)", expr: { $0.mood == mood }, holds: { $0.mood == mood })
    case 6:
      return Condition(
        text: "$0.mood.in([.calm, .\(mood)])", expr: { $0.mood.in([.calm, mood]) },
        holds: { $0.mood == .calm || $0.mood == mood })
    case 7: return Condition(text: "$0.place == nil", expr: { $0.place == nil }, holds: { $0.place == nil })
    case 8: return Condition(text: "$0.place != nil", expr: { $0.place != nil }, holds: { $0.place != nil })
    default:
      return Condition(
        text: "$0.place == \(place.map { "\($0)" } ?? "nil")", expr: { $0.place == place },
        holds: { $0.place == place })
    }
  }
}

/// A test of text, with the plainest meaning: characters, folded by Foundation where an option says so.
private struct TextTest: Sendable {
  let kind: Int
  let pattern: String
  let options: TextOptions

  var text: String {
    let name = ["contains", "beginsWith", "endsWith"][kind]
    return ".\(name)(\(spelled(pattern)), options: \"\(options)\")"
  }

  func holds(_ text: String) -> Bool {
    let (text, pattern) = (Array(folded(text)), Array(folded(pattern)))
    guard text.count >= pattern.count else { return false }
    let starts = 0...(text.count - pattern.count)
    func matches(at start: Int) -> Bool { Array(text[start..<start + pattern.count]) == pattern }
    switch kind {
    case 0: return starts.contains { matches(at: $0) }
    case 1: return matches(at: 0)
    default: return matches(at: starts.upperBound)
    }
  }

  private func folded(_ text: String) -> String {
    var folding: String.CompareOptions = []
    if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
    return folding.isEmpty ? text : text.folding(options: folding, locale: nil)
  }
}
