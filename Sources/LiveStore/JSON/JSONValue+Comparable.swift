extension JSONValue: Comparable {
  /// True if the left value is first: null, `false`, `true`, numbers, strings, arrays, objects.
  public static func < (left: JSONValue, right: JSONValue) -> Bool {
    order(left, right) < 0
  }

  /// Negative, zero or positive, in one traversal; zero exactly if `==` is true.
  ///
  /// `<` alone would have to compare equal prefixes twice per level, which is exponential in the depth.
  package static func order(_ left: JSONValue, _ right: JSONValue) -> Int {
    switch (left, right) {
    case (.number(let a), .number(let b)): return JSONNumber.order(a, b)
    case (.string(let a), .string(let b)): return String.textOrder(a, b)
    case (.array(let a), .array(let b)): return order(a, b)
    case (.object(let a), .object(let b)): return JSONObject.order(a, b)
    default: return left.rank - right.rank
    }
  }

  private static func order(_ left: [JSONValue], _ right: [JSONValue]) -> Int {
    for (a, b) in zip(left, right) {
      let order = order(a, b)
      if order != 0 { return order }
    }
    return left.count - right.count
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
