import Foundation

/// A value of a text filter at run time, whatever the type of the property that it was read from.
enum FilterValue: Sendable {
  /// Nil, or JSON's null.
  case missing
  case bool(Bool)
  case number(FilterNumber)
  case text(String)
  case data(Data)
  case date(Date)
  case uuid(UUID)
  case list([FilterValue])
  /// An object of JSON, or a dictionary.
  case object([ComparedText: FilterValue])
  /// A value of another type.
  case value(Constant)
}

extension [ComparedText: FilterValue] {
  /// The values in the order of their keys.
  var valuesByKey: [FilterValue] { sorted { String.textOrder($0.key.text, $1.key.text) < 0 }.map(\.value) }
}

extension FilterValue {
  init(_ json: JSONValue) {
    switch json {
    case .null: self = .missing
    case .bool(let value): self = .bool(value)
    case .number(let number): self = .number(FilterNumber(number))
    case .string(let text): self = .text(text)
    case .array(let elements): self = .list(elements.map { FilterValue($0) })
    case .object(let object):
      self = .object(
        Dictionary(
          object.map { (ComparedText($0.key), FilterValue($0.value)) }, uniquingKeysWith: { _, last in last })
      )
    }
  }

  /// Whether two values are equal: missing ones, numbers of any types by value, lists element by element.
  static func areEqual(_ left: FilterValue, _ right: FilterValue) -> Bool {
    switch (left, right) {
    case (.missing, .missing): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): FilterNumber.order(left, right) == 0
    case (.text(let left), .text(let right)): isSameText(left, right)
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
    case (.object(let left), .object(let right)):
      left.count == right.count
        && left.allSatisfy { key, value in right[key].map { areEqual(value, $0) } ?? false }
    case (.value(let left), .value(let right)): left == right
    default: false
    }
  }

  /// Negative, zero or positive; nil for values that have no order, of different kinds, missing or NaN.
  static func order(_ left: FilterValue, _ right: FilterValue) -> Int? {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): (left ? 1 : 0) - (right ? 1 : 0)
    case (.number(let left), .number(let right)): FilterNumber.order(left, right)
    case (.text(let left), .text(let right)): String.textOrder(left, right)
    case (.date(let left), .date(let right)): left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
    case (.uuid(let left), .uuid(let right)): totalOrder(left, right)
    case (.data(let left), .data(let right)):
      left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    case (.value(let left), .value(let right)): left.order(right)
    default: nil
    }
  }
}

extension FilterRun {
  /// How many elements and members are converted in about the time that the visit of a row takes.
  private static let convertedValues = 8

  /// Counts a list, a dictionary or JSON that is converted whole for a test of a part of it.
  func converted(_ value: FilterValue) { spend(value.count / Self.convertedValues) }
}

extension FilterValue {
  /// How many values this one consists of, at all depths.
  fileprivate var count: Int {
    switch self {
    case .list(let elements): elements.reduce(1) { $0 + $1.count }
    // Keys are hashed.
    case .object(let members): members.reduce(1) { $0 + $1.value.count + $1.key.byteCount / 64 }
    default: 1
    }
  }
}
