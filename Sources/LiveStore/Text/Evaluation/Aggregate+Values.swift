extension FilterPath.Aggregate {
  /// The function of a value: of the elements of a list, the characters of a text, the bytes of data.
  func result(_ value: FilterValue) -> FilterValue {
    if self == .isEmpty {
      if case .number(let count) = FilterPath.Aggregate.count.result(value) {
        return .bool(count.double == 0)
      }
      return .missing
    }
    return switch (value, self) {
    case (.list(let elements), .count): .number(.integer(Int64(elements.count)))
    case (.list(let elements), _): result(elements)
    case (.text(let text), .count): .number(.integer(Int64(text.count)))
    case (.data(let data), .count): .number(.integer(Int64(data.count)))
    case (.object(let object), .count): .number(.integer(Int64(object.count)))
    default: .missing
    }
  }

  private func result(_ elements: [FilterValue]) -> FilterValue {
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
      var (integers, sum) = (Int128(0), ExactSum())
      for case .number(let number) in elements {
        if case .integer(let value) = number { integers += Int128(value) }
        sum.add(number.double, isRemoval: false)
        sum.values += 1
      }
      if self == .avg { return sum.average.map { .number(.real($0)) } ?? .missing }
      let isIntegral = elements.allSatisfy { element in
        switch element {
        case .number(.real), .number(.exact): false
        default: true
        }
      }
      return isIntegral ? .number(FilterNumber(integers)) : .number(.real(sum.double))
    }
  }
}
