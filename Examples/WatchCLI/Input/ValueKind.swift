import LiveStore

/// A kind of values that filters compare with each other, and with no others.
package enum ValueKind: Int, CaseIterable, Hashable, Sendable {
  case number, text, boolean

  /// What a value of the kind is called.
  var noun: String {
    switch self {
    case .number: "a number"
    case .text: "text"
    case .boolean: "true or false"
    }
  }

  /// The kind of a value of JSON; nil for empty text, which stands for no value in many files, and for all other values.
  init?(_ value: UnsafeRawBufferPointer) {
    switch value.first {
    case UInt8(ascii: "\"") where value.count > 2: self = .text
    case UInt8(ascii: "-"), .some(0x30...0x39): self = .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
    default: return nil
    }
  }

  private init?(_ literal: FilterLiteral) {
    switch literal {
    case .number, .fraction, .double, .decimal: self = .number
    case .text(let text) where !text.isEmpty: self = .text
    case .bool: self = .boolean
    default: return nil
    }
  }

  fileprivate static func kinds(of operand: FilterSyntax.Operand) -> [ValueKind] {
    switch operand {
    case .literal(let literal, _): [ValueKind(literal)].compactMap(\.self)
    case .list(let values, _): values.flatMap(kinds)
    default: []
    }
  }
}

extension FilterSyntax {
  /// Adds the kinds of the values with which each path is compared.
  func addComparedKinds(to kinds: inout [[String]: Set<ValueKind>]) {
    for comparison in comparisons {
      for (path, value) in [(comparison.left, comparison.right), (comparison.right, comparison.left)] {
        if case .path(let path, _) = path, let steps = path.keys {
          kinds[steps, default: []].formUnion(ValueKind.kinds(of: value))
        }
      }
    }
  }
}
