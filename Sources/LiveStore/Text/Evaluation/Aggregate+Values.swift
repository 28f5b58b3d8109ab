import Foundation

extension CollectionFunction {
  /// The kind in which the result is computed, for values of a kind.
  func numbers(of values: NumberKind?) -> NumberKind? {
    switch self {
    case .count: .integer
    case .isEmpty: nil
    case .min, .max, .sum: values
    case .avg: values == .decimal ? .decimal : .real
    }
  }

  /// The function of a value: of the elements of a list, the characters of a text, the bytes of data.
  ///
  /// - Parameter numbers: the kind of the elements, if they are numbers.
  func result(_ value: FilterValue, of numbers: NumberKind?) -> FilterValue {
    if self == .isEmpty {
      if case .number(let count) = CollectionFunction.count.result(value, of: nil) {
        return .bool(count.double == 0)
      }
      return .missing
    }
    return switch (value, self) {
    case (.list(let elements), .count): .number(.integer(Int64(elements.count)))
    case (.list(let elements), _): result(elements, numbers)
    case (.text(let text), .count): .number(.integer(Int64(text.count)))
    case (.data(let data), .count): .number(.integer(Int64(data.count)))
    case (.object(let object), .count): .number(.integer(Int64(object.count)))
    default: .missing
    }
  }

  private func result(_ elements: [FilterValue], _ numbers: NumberKind?) -> FilterValue {
    switch self {
    case .count, .isEmpty: return .number(.integer(Int64(elements.count)))
    case .min, .max:
      let sign = self == .min ? -1 : 1
      var best = FilterValue.missing
      for element in elements {
        if case .missing = element { continue }
        if case .missing = best { best = element }
        if let order = FilterValue.order(element, best), order * sign > 0 { best = element }
      }
      return best
    case .sum, .avg:
      return (numbers == .decimal ? decimal(elements) : number(elements, isOfIntegers: numbers == .integer))
        .map { .number($0) } ?? .missing
    }
  }

  /// The sum or mean of decimals; nil where there is none.
  private func decimal(_ elements: [FilterValue]) -> FilterNumber? {
    var values: [Decimal] = []
    for case .number(let number) in elements {
      guard let value = number.decimal else { return nil }
      values.append(value)
    }
    // In one order, since sums of more than 38 digits are rounded, and a set has no order.
    var sum = Decimal(0)
    for value in values.sorted() {
      guard let next = Decimal.sum(sum, value) else { return nil }
      sum = next
    }
    if self == .sum { return FilterNumber(sum) }
    return Decimal.quotient(sum, Decimal(values.count)).map { FilterNumber($0) }
  }

  /// The sum or mean of other numbers: integers give an integral sum. Nil for the mean of none.
  private func number(_ elements: [FilterValue], isOfIntegers: Bool) -> FilterNumber? {
    var sum = ExactSum()
    var isIntegral = true
    for case .number(let number) in elements {
      let integer: Int128? =
        switch number {
        case .integer(let value): Int128(value)
        // Beyond 64 bits, of a type that has them.
        case .exact(let number) where isOfIntegers: Int128(number.digits)
        default: nil
        }
      let (next, isBeyond) = sum.integer.addingReportingOverflow(integer ?? 0)
      if integer == nil || isBeyond { isIntegral = false } else { sum.integer = next }
      sum.add(number.double, isRemoval: false)
      sum.values += 1
    }
    if !isIntegral { sum.integer = 0 }
    if self == .avg { return sum.average.map { .real($0) } }
    return isIntegral ? FilterNumber(sum.integer) : .real(sum.double)
  }
}
