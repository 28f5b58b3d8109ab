extension JSONValue: Comparable {
  /// True if the left value is first: null, `false`, `true`, numbers, strings, arrays, objects.
  public static func < (left: JSONValue, right: JSONValue) -> Bool {
    order(left, right) == .ascending
  }

  /// Compares two values in one traversal; `.same` exactly if `==` is true.
  ///
  /// `<` alone would have to compare equal prefixes twice per level, which is exponential in the depth.
  package static func order(_ left: JSONValue, _ right: JSONValue) -> JSONOrder {
    switch (left, right) {
    case (.number(let a), .number(let b)): return JSONNumber.order(a, b)
    case (.string(let a), .string(let b)): return JSONOrder(String.textOrder(a, b))
    case (.array(let a), .array(let b)): return order(a, b)
    case (.object(let a), .object(let b)): return JSONObject.order(a, b)
    default:
      let (a, b) = (left.rank, right.rank)
      return a == b ? .same : a < b ? .ascending : .descending
    }
  }

  private static func order(_ left: [JSONValue], _ right: [JSONValue]) -> JSONOrder {
    for (a, b) in zip(left, right) {
      let order = order(a, b)
      if order != .same { return order }
    }
    return left.count == right.count ? .same : left.count < right.count ? .ascending : .descending
  }

  /// The rank of this value's kind in the total order.
  var rank: Int {
    switch self {
    case .null: 0
    case .bool(false): 1
    case .bool(true): 2
    case .number: 3
    case .string: 4
    case .array: 5
    case .object: 6
    }
  }
}

extension JSONValue: WithoutNaN {}
