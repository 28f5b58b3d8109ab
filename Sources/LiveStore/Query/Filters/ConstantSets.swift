/// Texts among which others are looked up in linear time, whatever marks the letters have.
struct TextSet: Sendable {
  /// All texts; nil if some are long.
  private let texts: Set<String>?
  private let compared: Set<ComparedText>
  /// The texts, if they are few: they are compared one by one.
  private let few: [String]?
  /// How many bytes a text that equals one of them may have. Normalization makes a text at most three times
  /// as long, so of two equal texts, one is at most nine times as long as the other.
  private let maximumLength: Int

  init(_ texts: [String]) {
    self.texts = texts.contains(where: \.isLong) ? nil : Set(texts)
    compared = Set(texts.lazy.map(ComparedText.init))
    few = texts.count <= maximumComparedValues ? texts : nil
    maximumLength = 9 * (texts.map(\.utf8.count).max() ?? 0)
  }

  /// Whether a text is one of them.
  ///
  /// - Parameter run: the evaluation that asks.
  func contains(_ text: String, _ run: FilterRun?) -> Bool {
    if let few { return few.contains { isSameText($0, text) } }
    if !text.isLong { return texts?.contains(text) ?? compared.contains(ComparedText(text)) }
    guard text.utf8.count <= maximumLength, run?.read(text, isFolded: true) != false else { return false }
    return compared.contains(ComparedText(text))
  }
}

/// JSON values without parts. The time to look up another value does not depend on its contents.
struct JSONScalars: Sendable {
  private let texts: TextSet
  private let others: Set<JSONValue>

  /// Nil if a value has parts.
  init?(_ values: [JSONValue]) {
    var texts: [String] = []
    var others: Set<JSONValue> = []
    for value in values {
      switch value {
      case .array, .object: return nil
      case .string(let text): texts.append(text)
      case .null, .bool, .number: others.insert(value)
      }
    }
    (self.texts, self.others) = (TextSet(texts), others)
  }

  /// Whether a value is one of them.
  ///
  /// - Parameter run: the evaluation that asks.
  func contains(_ value: JSONValue, _ run: FilterRun?) -> Bool {
    switch value {
    case .array, .object: false
    case .string(let text): texts.contains(text, run)
    case .null, .bool, .number: others.contains(value)
    }
  }
}
