/// The outcome of comparing two values once, so that nested values are walked once too.
package enum JSONOrder: Sendable {
  case ascending, same, descending
}

extension JSONValue: Comparable {
  /// True if the left value stands first: null, `false`, `true`, numbers, strings, arrays, objects.
  public static func < (left: JSONValue, right: JSONValue) -> Bool {
    order(left, right) == .ascending
  }

  /// Compares two values in one walk; `.same` exactly where `==` is true.
  ///
  /// `<` alone would have to compare equal prefixes twice per level, which is exponential in the depth.
  package static func order(_ left: JSONValue, _ right: JSONValue) -> JSONOrder {
    switch (left, right) {
    case (.number(let a), .number(let b)): return JSONNumber.order(a, b)
    case (.string(let a), .string(let b)):
      return a == b ? .same : order(a, before: b) ? .ascending : .descending
    case (.array(let a), .array(let b)): return order(a, b)
    case (.object(let a), .object(let b)): return JSONObject.order(a, b)
    default:
      let (a, b) = (left.rank, right.rank)
      return a == b ? .same : a < b ? .ascending : .descending
    }
  }

  /// Whether a text stands before another, which does not equal it: by the bytes of their normal forms.
  ///
  /// Not `<`: of texts in different forms it contradicts itself ("é" < "é," and "é" == "e\u{301}", but not
  /// "e\u{301}" < "é,").
  static func order(_ left: String, before right: String) -> Bool {
    var (left, right) = (left, right)
    let isFirst = left.withUTF8 { left in right.withUTF8 { right in Self.isFirst(left, right) } }
    return isFirst ?? left.composed.utf8.lexicographicallyPrecedes(right.composed.utf8)
  }

  /// The order of two texts as far as it can be told without their normal forms; nil where it cannot.
  ///
  /// Where they first differ by characters of ASCII that no mark follows, the parts before these have one normal form,
  /// and the parts from there on begin with these characters in any form.
  private static func isFirst(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
  ) -> Bool? {
    var place = 0
    while place < left.count, place < right.count, left[place] == right[place] { place += 1 }
    func isASCII(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
      place >= bytes.count || bytes[place] < 0x80
    }
    guard isASCII(left, place), isASCII(left, place + 1), isASCII(right, place), isASCII(right, place + 1)
    else {
      return nil
    }
    if place == left.count || place == right.count { return left.count < right.count }
    return left[place] < right[place]
  }

  private static func order(_ left: [JSONValue], _ right: [JSONValue]) -> JSONOrder {
    for (a, b) in zip(left, right) {
      let order = order(a, b)
      if order != .same { return order }
    }
    return left.count == right.count ? .same : left.count < right.count ? .ascending : .descending
  }

  /// The place of this value's kind in the total order.
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
