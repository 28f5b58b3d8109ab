import LiveStore

/// Reading cases: what is missing or of another type is reported as a malformed case, with the place.
extension JSONValue {
  /// The integer, if it is one.
  var integer: Int? {
    guard case .number(let number) = self, let integer = number.integer else { return nil }
    return Int(exactly: integer)
  }

  /// The text, if it is one.
  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The elements, if it is an array.
  var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, if it is an object.
  var members: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }

  /// Whether it is `true`.
  var isTrue: Bool { self == .bool(true) }

  func integer(_ key: String) throws(CaseFailure) -> Int {
    guard let value = self[key].integer else { throw malformed(key, "an integer") }
    return value
  }

  func text(_ key: String) throws(CaseFailure) -> String {
    guard let value = self[key].text else { throw malformed(key, "a text") }
    return value
  }

  func elements(_ key: String) throws(CaseFailure) -> [JSONValue] {
    guard let value = self[key].elements else { throw malformed(key, "an array") }
    return value
  }

  /// The elements of an array that may be left out.
  func optionalElements(_ key: String) throws(CaseFailure) -> [JSONValue] {
    self[key].isNull ? [] : try elements(key)
  }

  func members(_ key: String) throws(CaseFailure) -> JSONObject {
    guard let value = self[key].members else { throw malformed(key, "an object") }
    return value
  }

  /// The members of an object that may be left out.
  func optionalMembers(_ key: String) throws(CaseFailure) -> JSONObject {
    self[key].isNull ? JSONObject() : try members(key)
  }

  func integers(_ key: String) throws(CaseFailure) -> [Int] { try elements(key).integers() }

  private func malformed(_ key: String, _ type: String) -> CaseFailure {
    .malformed("\(key) is not \(type) in \(shortened)")
  }

  /// The value as text that fits a line.
  var shortened: String {
    let text = description
    return text.count > 200 ? text.prefix(200) + "…" : text
  }
}

extension [JSONValue] {
  /// The integers, all of them.
  func integers() throws(CaseFailure) -> [Int] {
    var result: [Int] = []
    for element in self {
      guard let value = element.integer else { throw .malformed("\(element.shortened) is not an integer") }
      result.append(value)
    }
    return result
  }
}
