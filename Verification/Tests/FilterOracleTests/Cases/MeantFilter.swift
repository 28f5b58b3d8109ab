import LiveStore
import TestSupport

typealias MeantCase = CaseItem<SomeCaseIndexes>

/// A filter and what it means in plain Swift.
struct MeantFilter: Sendable {
  var filter: Filter<MeantCase>
  var passes: @Sendable (MeantCase) -> Bool

  static func all(_ parts: [MeantFilter]) -> MeantFilter {
    MeantFilter(filter: .all(of: parts.map(\.filter))) { row in parts.allSatisfy { $0.passes(row) } }
  }

  static func any(_ parts: [MeantFilter]) -> MeantFilter {
    MeantFilter(filter: .any(of: parts.map(\.filter))) { row in parts.contains { $0.passes(row) } }
  }

  static prefix func ! (part: MeantFilter) -> MeantFilter {
    MeantFilter(filter: !part.filter) { !part.passes($0) }
  }
}

/// Conditions on one property, of few values, so that they often repeat and contradict each other.
struct MeantComparisons<Value: Comparable & Sendable>: Sendable {
  let expr: Expr<Value>
  let read: @Sendable (MeantCase) -> Value
  let values: [Value]
  /// Text is ordered as the store orders it.
  var isLess: @Sendable (Value, Value) -> Bool = { $0 < $1 }

  func condition(_ random: inout SplitMix64) -> MeantFilter {
    let (expr, read, isLess) = (expr, read, isLess)
    let (first, second) = (random.pick(values), random.pick(values))
    let list = random.some(of: values, upTo: 3)
    switch random.int(0...8) {
    case 0: return MeantFilter(filter: Filter { _ in expr == first }) { read($0) == first }
    case 1: return MeantFilter(filter: Filter { _ in expr != first }) { read($0) != first }
    case 2: return MeantFilter(filter: Filter { _ in expr < first }) { isLess(read($0), first) }
    case 3: return MeantFilter(filter: Filter { _ in expr > first }) { isLess(first, read($0)) }
    case 4:
      return MeantFilter(filter: Filter { _ in expr <= first }) {
        isLess(read($0), first) || read($0) == first
      }
    case 5:
      return MeantFilter(filter: Filter { _ in expr >= first }) {
        isLess(first, read($0)) || read($0) == first
      }
    case 6 where first <= second:
      return MeantFilter(filter: Filter { _ in expr.in(first...second) }) {
        !isLess(read($0), first) && !isLess(second, read($0)) && read($0) == read($0)
      }
    case 7 where first <= second:
      return MeantFilter(filter: Filter { _ in expr.in(first..<second) }) {
        !isLess(read($0), first) && isLess(read($0), second)
      }
    default: return MeantFilter(filter: Filter { _ in expr.in(list) }) { list.contains(read($0)) }
    }
  }
}

struct MeantOptionals<Value: Comparable & Sendable>: Sendable {
  let expr: Expr<Value?>
  let read: @Sendable (MeantCase) -> Value?
  let values: [Value]

  func condition(_ random: inout SplitMix64) -> MeantFilter {
    let (expr, read, first) = (expr, read, random.pick(values))
    let value = random.chance(1, in: 3) ? nil : first
    let list = random.some(of: values.map(Optional.init) + [nil], upTo: 3)
    switch random.int(0...6) {
    case 0: return MeantFilter(filter: Filter { _ in expr == value }) { read($0) == value }
    case 1: return MeantFilter(filter: Filter { _ in expr != value }) { read($0) != value }
    case 2:
      return MeantFilter(filter: Filter { _ in expr < first }) { row in read(row).map { $0 < first } ?? false
      }
    case 3:
      return MeantFilter(filter: Filter { _ in expr >= first }) { row in
        read(row).map { $0 >= first } ?? false
      }
    case 4:
      return MeantFilter(filter: Filter { _ in expr <= first }) { row in
        read(row).map { $0 <= first } ?? false
      }
    case 5:
      return MeantFilter(filter: Filter { _ in expr > first }) { row in read(row).map { $0 > first } ?? false
      }
    default: return MeantFilter(filter: Filter { _ in expr.in(list) }) { list.contains(read($0)) }
    }
  }
}

/// Equality with values of any type.
struct MeantEqualities<Value: Equatable & Sendable>: Sendable {
  let expr: Expr<Value>
  let read: @Sendable (MeantCase) -> Value
  let values: [Value]

  func condition(_ random: inout SplitMix64) -> MeantFilter {
    let (expr, read, value) = (expr, read, random.pick(values))
    let list = random.some(of: values, upTo: 3)
    switch random.int(0...3) {
    case 0: return MeantFilter(filter: Filter { _ in expr == value }) { read($0) == value }
    case 1: return MeantFilter(filter: Filter { _ in expr != value }) { read($0) != value }
    case 2: return MeantFilter(filter: Filter { _ in !expr.in(list) }) { !list.contains(read($0)) }
    default: return MeantFilter(filter: Filter { _ in expr.in(list) }) { list.contains(read($0)) }
    }
  }
}
