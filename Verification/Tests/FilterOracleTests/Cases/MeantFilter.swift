import LiveStore
import TestSupport

typealias MeantCase = CaseItem<SomeCaseIndexes>

/// Conditions on one property, of few values, so that they often repeat and contradict each other.
struct MeantComparisons<Value: Comparable & Sendable>: Sendable {
  let expr: Expr<Value>
  let values: [Value]

  func condition(_ random: inout SplitMix64) -> Filter<MeantCase> {
    let (first, second) = (random.pick(values), random.pick(values))
    let list = random.some(of: values, upTo: 3)
    return Filter { _ in
      switch random.int(0...8) {
      case 0: expr == first
      case 1: expr != first
      case 2: expr < first
      case 3: expr > first
      case 4: expr <= first
      case 5: expr >= first
      case 6 where first <= second: expr.in(first...second)
      case 7 where first <= second: expr.in(first..<second)
      default: expr.in(list)
      }
    }
  }
}

struct MeantOptionals<Value: Comparable & Sendable>: Sendable {
  let expr: Expr<Value?>
  let values: [Value]

  func condition(_ random: inout SplitMix64) -> Filter<MeantCase> {
    let first = random.pick(values)
    let value = random.chance(1, in: 3) ? nil : first
    let list = random.some(of: values.map(Optional.init) + [nil], upTo: 3)
    return Filter { _ in
      switch random.int(0...6) {
      case 0: expr == value
      case 1: expr != value
      case 2: expr < first
      case 3: expr >= first
      case 4: expr <= first
      case 5: expr > first
      default: expr.in(list)
      }
    }
  }
}

/// Equality with values of any type.
struct MeantEqualities<Value: Equatable & Sendable>: Sendable {
  let expr: Expr<Value>
  let values: [Value]

  func condition(_ random: inout SplitMix64) -> Filter<MeantCase> {
    let value = random.pick(values)
    let list = random.some(of: values, upTo: 3)
    return Filter { _ in
      switch random.int(0...3) {
      case 0: expr == value
      case 1: expr != value
      case 2: !expr.in(list)
      default: expr.in(list)
      }
    }
  }
}
