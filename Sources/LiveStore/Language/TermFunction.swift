/// A function of one value.
package enum TermFunction: Hashable, Sendable {
  /// Of the elements of a collection.
  case aggregate(CollectionFunction)
  case number(NumberFunction)
  case text(TextFunction)
  /// A link to an object itself.
  case link
  /// The words of a text, as an index lists them.
  case words
}

/// A function of several values.
package enum CollectionFunction: String, Sendable {
  case count, min, max, sum, avg, isEmpty

  /// Whether it depends on the number of values, and not on the values.
  var isOfNumber: Bool { self == .count || self == .isEmpty }
}

/// A function of one number.
package enum NumberFunction: String, CaseIterable, Sendable {
  case abs, floor, ceiling, trunc, sqrt
  /// The nearest double.
  case double
}

/// A function of one text.
package enum TextFunction: String, CaseIterable, Sendable {
  case uppercase, lowercase, length
}

extension TermFunction {
  package static let count = TermFunction.aggregate(.count)
  package static let isEmpty = TermFunction.aggregate(.isEmpty)

  /// A function of one number or text, by its name in a text filter.
  init?(named name: String) {
    if let function = NumberFunction(rawValue: name) {
      self = .number(function)
    } else if let function = TextFunction(rawValue: name) {
      self = .text(function)
    } else {
      return nil
    }
  }

  /// The name of the function where it stands before its value in parentheses; nil for those that stand behind it.
  var prefix: String? {
    switch self {
    case .number(let function): function.rawValue
    case .text(let function): function.rawValue
    case .aggregate, .link, .words: nil
    }
  }
}

extension TermFunction: CustomStringConvertible {
  package var description: String {
    switch self {
    case .aggregate(let aggregate): aggregate.isOfNumber ? aggregate.rawValue : "@\(aggregate.rawValue)"
    case .number(let function): function.rawValue
    case .text(let function): function.rawValue
    case .link: "SELF"
    case .words: "@words"
    }
  }
}
