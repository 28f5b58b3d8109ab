import Foundation
import LiveStore
import TestSupport
import livestore_watch

/// What holds for the compact text of every text that is read as JSON.
enum CompactLaw {
  /// Compares the compact text with the value that the parser gives, or the error.
  static func check(_ bytes: [UInt8], _ answer: Result<JSONValue, JSONSyntaxError>) throws {
    let compactor = JSONCompactor()
    // The second time, the compactor has been used.
    for _ in 0..<2 {
      try bytes.withUnsafeBytes { bytes in
        switch Result(catching: { () throws(JSONSyntaxError) in try compactor.compact(bytes) }) {
        case .failure(let error):
          try require(answer == .failure(error), "\(error) instead of \(answer) for \(shown(Array(bytes)))")
        case .success(let text):
          let value = try answer.get()
          try require(
            text.bytes.elementsEqual(value.description.utf8),
            "\(String(decoding: text.bytes, as: UTF8.self)) instead of \(value) for \(shown(Array(bytes)))")
          try require(text.value == value, "\(text.value) is read from the compact text of \(value)")
          try checkPaths(text, value)
        }
      }
    }
  }

  /// Looks for all values that there are, and for some that there are not.
  private static func checkPaths(_ text: JSONText, _ value: JSONValue) throws {
    for path in paths(of: value, depth: 4).prefix(200) {
      let (found, expected) = (text.value(at: path), value.value(at: path))
      try require(
        found == expected && found?.description == expected?.description,
        "\(String(describing: found)) at \(path) of \(value)")
    }
  }

  private static func paths(of value: JSONValue, depth: Int) -> [[String]] {
    var paths: [[String]] = [[], ["missing"], ["\u{212A}"], ["e\u{301}"], ["0"], ["00"], ["-1"]]
    guard depth > 0 else { return paths }
    switch value {
    case .object(let object):
      for (key, member) in object {
        paths += [[key + "x"], [String(key.dropLast())]]
        paths += self.paths(of: member, depth: depth - 1).map { [key] + $0 }
      }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        paths += self.paths(of: element, depth: depth - 1).map { ["\(index)"] + $0 }
      }
      paths.append(["\(elements.count)"])
    default: break
    }
    return paths
  }

  /// Compares the equality of two compact texts with that of their values.
  static func checkEquality(_ left: JSONValue, _ right: JSONValue) throws {
    let (a, b) = (Array(left.description.utf8), Array(right.description.utf8))
    let areEqual = a.withUnsafeBytes { a in b.withUnsafeBytes { JSONText.areEqual(JSONText(a), JSONText($0)) }
    }
    try require(areEqual == (left == right), "equality of \(left) and \(right)")
  }

  /// A value that is equal, or almost: members in another order, composed characters, or one difference.
  static func relative(of value: JSONValue, _ random: inout SplitMix64) -> JSONValue {
    switch value {
    case .object(let object):
      var members = object.map { (key: $0.key, value: relative(of: $0.value, &random)) }
      if random.chance(1, in: 4) { members.reverse() }
      if random.chance(1, in: 12), !members.isEmpty { members.removeLast() }
      if random.chance(1, in: 12) { members.append((key: "more", value: 1)) }
      return .object(JSONObject(members))
    case .array(let elements): return .array(elements.map { relative(of: $0, &random) })
    case .string(let text):
      return .string(random.chance(1, in: 4) ? text.decomposedStringWithCanonicalMapping : text)
    default: return random.chance(1, in: 20) ? 17 : value
    }
  }
}
