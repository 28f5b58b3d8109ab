import Foundation
import LiveStore

/// A value as the model compares it: equal where the contract says that it is the same value.
///
/// NaN is the same as NaN, -0.0 is the same as 0.0, and texts are the same in every normal form, as `String` has it.
indirect enum Canon: Hashable, Sendable {
  case null
  case nan
  case bool(Bool)
  case int(Int)
  case double(Double)
  /// A number of another type than the two above.
  case exact(ExactNumber)
  case text(String)
  case list([Canon])
  case members(Set<Canon>)
  case named([String: Canon])
}

protocol Canonical {
  var canon: Canon { get }
}

extension Int: Canonical { var canon: Canon { .int(self) } }
extension Bool: Canonical { var canon: Canon { .bool(self) } }
extension String: Canonical { var canon: Canon { .text(self) } }
extension Double: Canonical { var canon: Canon { isNaN ? .nan : .double(self) } }
extension Float: Canonical { var canon: Canon { isNaN ? .nan : .double(Double(self)) } }
extension UInt64: Canonical { var canon: Canon { .exact(ExactNumber(self)) } }
extension Decimal: Canonical { var canon: Canon { .exact(ExactNumber(self)) } }
extension Date: Canonical { var canon: Canon { timeIntervalSinceReferenceDate.canon } }
extension Optional: Canonical where Wrapped: Canonical {
  var canon: Canon { map(\.canon) ?? .null }
}
extension Array: Canonical where Element: Canonical {
  var canon: Canon { .list(map(\.canon)) }
}
extension Ref: Canonical where Target.ID: Canonical {
  var canon: Canon { id.canon }
}
extension RefList: Canonical where Target.ID: Canonical {
  var canon: Canon { .list(map(\.id.canon)) }
}
extension RefSet: Canonical where Target.ID: Canonical {
  var canon: Canon { .members(Set(map(\.id.canon))) }
}
extension RefMap: Canonical where Target.ID: Canonical {
  var canon: Canon { .named(Dictionary(uniqueKeysWithValues: map { ($0.key, $0.value.id.canon) })) }
}

extension Canon {
  /// The total order of sorts: nil, NaN, values; texts by the scalars of their canonical composition.
  static func order(_ left: Canon, _ right: Canon) -> Int {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): order(left ? 1 : 0, right ? 1 : 0)
    case (.int(let left), .int(let right)): order(left, right)
    case (.double(let left), .double(let right)): order(left, right)
    case (.exact(let left), .exact(let right)): ExactNumber.order(left, right) ?? 0
    case (.text(let left), .text(let right)): Texts.order(left, right)
    default: order(left.rank, right.rank)
    }
  }

  private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : right < left ? 1 : 0
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .nan: 1
    default: 2
    }
  }

  /// Whether there is a value that `<` and ranges can compare.
  var isComparable: Bool { rank == 2 }

  /// `==` of filters: nil equals nil, NaN equals nothing.
  static func isEqual(_ left: Canon, _ right: Canon) -> Bool { left != .nan && left == right }

  /// `<` of filters: false for nil and NaN.
  static func isBelow(_ left: Canon, _ right: Canon) -> Bool {
    left.isComparable && right.isComparable && order(left, right) < 0
  }

  /// `<=` of filters.
  static func isAtMost(_ left: Canon, _ right: Canon) -> Bool {
    left.isComparable && right.isComparable && order(left, right) <= 0
  }

  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}

extension ExactNumber {
  /// A decimal.
  init(_ value: Decimal) {
    if value.isNaN { self.init(floating: Double.nan) } else { self.init(text: "\(value)") }
  }
}
