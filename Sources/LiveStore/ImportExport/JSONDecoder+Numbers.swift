import Foundation

// Foundation on Linux reports a number that its property cannot hold, such as 2.5 for an integer, as invalid
// JSON, without a path. Our writer made the text, so it is valid. The number is then searched for: once it is
// replaced by 0, the error is a different one or none.

extension JSONDecoder {
  /// A decoding error, with the path of the number that does not fit, if such a number caused the error.
  ///
  /// - Parameter decode: decodes another value in the same way.
  /// - Complexity: O(log *n*) decodings for *n* numbers.
  static func located(
    _ error: any Error, in value: JSONValue, _ decode: (JSONValue) throws -> Void
  ) -> any Error {
    guard let reason = unlocatedReason(error) else { return error }
    func isFixed(_ count: Int) -> Bool {
      var rest = count
      let changed = value.replacingNumbers(&rest)
      do {
        try decode(changed)
        return true
      } catch {
        return unlocatedReason(error) != reason
      }
    }
    var all = Int.max
    _ = value.replacingNumbers(&all)
    var (low, high) = (0, .max - all)
    guard high > 0, isFixed(high) else { return error }
    // Replacing `high` numbers is enough; replacing `low` numbers is not.
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if isFixed(middle) { high = middle } else { low = middle }
    }
    var position = high
    guard let (path, number) = value.number(&position) else { return error }
    return DecodingError.dataCorrupted(
      DecodingError.Context(codingPath: path, debugDescription: "The number \(number) does not fit."))
  }

  private static func unlocatedReason(_ error: any Error) -> String? {
    guard case DecodingError.dataCorrupted(let context) = error, context.codingPath.isEmpty else {
      return nil
    }
    return context.debugDescription
  }
}

extension JSONValue {
  /// The value with its first `count` numbers replaced by 0; `count` is then how many were left to replace.
  fileprivate func replacingNumbers(_ count: inout Int) -> JSONValue {
    switch self {
    case .number where count > 0:
      count -= 1
      return 0
    case .array(let elements): return .array(elements.map { $0.replacingNumbers(&count) })
    case .object(let object):
      return .object(JSONObject(object.map { (key: $0.key, value: $0.value.replacingNumbers(&count)) }))
    default: return self
    }
  }

  /// The number at a position, counted from 1 in the order of the text, with its path.
  fileprivate func number(_ position: inout Int) -> (path: [any CodingKey], number: JSONNumber)? {
    switch self {
    case .number(let number):
      position -= 1
      return position == 0 ? ([], number) : nil
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        if let (path, number) = element.number(&position) {
          return ([PathKey(intValue: index)] + path, number)
        }
      }
    case .object(let object):
      for (key, value) in object {
        if let (path, number) = value.number(&position) {
          return ([PathKey(stringValue: key)] + path, number)
        }
      }
    default: break
    }
    return nil
  }
}

/// A step of a path.
private struct PathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }

  init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}
