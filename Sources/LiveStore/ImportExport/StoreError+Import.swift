extension StoreError {
  /// An error in the syntax of an imported text.
  static func syntaxError(_ error: JSONListError, entity: String) -> StoreError {
    var result = StoreError(
      StoreError.invalidJSON,
      "The JSON is invalid at line \(error.position.line), column \(error.position.column): \(error.reason).",
      entity: entity)
    (result.line, result.column, result.index) = (error.position.line, error.position.column, error.index)
    return result
  }

  /// The error that an element of an import threw, with its place.
  static func importError(_ error: any Error, at place: ImportPlace, entity: String) -> any Error {
    decodingError(error, entity: entity).located(at: place)
  }

  /// The error that decoding an object threw, without a place.
  static func decodingError(_ error: any Error, entity: String) -> StoreError {
    if let error = error as? StoreError { return error }
    let (text, path) = (error as? DecodingError)?.reason ?? ("\(error)", [])
    // The names of members and the value may come from the JSON.
    let (reason, place) = (MessageText.line(text), MessageText.line(pathText(path)))
    var result = StoreError(
      StoreError.invalidJSON,
      path.isEmpty
        ? "A \(entity) cannot be decoded: \(reason)" : "\(place) of a \(entity) cannot be decoded: \(reason)",
      entity: entity)
    if !path.isEmpty { result.codingPath = place }
    return result
  }

  /// The error with a place, unless it has one.
  func located(at place: ImportPlace) -> StoreError {
    if line != nil { return self }
    var error = self
    (error.line, error.index) = (place.line, place.index)
    error.message += " The object begins at line \(place.line), with index \(place.index)."
    return error
  }

  /// The error of an import, with how much was committed before it.
  func stopped(after count: Int) -> StoreError {
    var error = self
    error.committedCount = count
    error.message +=
      count == 0 ? " Nothing was imported." : " The \(count) objects before this batch were imported."
    return error
  }
}

/// A path as it is written: `lines[0].price`.
private func pathText(_ path: [any CodingKey]) -> String {
  path.reduce("") { text, key in
    if let index = key.intValue { return "\(text)[\(index)]" }
    return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
  }
}

extension DecodingError {
  /// Why decoding failed, as a sentence, and the path of the value.
  fileprivate var reason: (String, [any CodingKey]) {
    switch self {
    case .keyNotFound(let key, let context): ("The member is missing.", context.codingPath + [key])
    case .valueNotFound(let type, let context): ("It is null or missing, not a \(type).", context.codingPath)
    case .typeMismatch(_, let context): (context.debugDescription, context.codingPath)
    case .dataCorrupted(let context): (context.debugDescription, context.codingPath)
    @unknown default: ("\(self)", [])
    }
  }
}
