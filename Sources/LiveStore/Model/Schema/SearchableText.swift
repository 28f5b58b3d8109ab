/// A value with text that can be searched by words: text, and optionals, arrays and sets of it.
///
/// ```swift
/// struct Note: Entity {
///   let id: Int
///   var title = ""
///   var tags: [String] = []
///   static let schema = Schema<Note> {
///     Property(\.title, .searchable)
///     Property(\.tags, .searchable)
///   }
/// }
/// ```
/// A type of your own conforms to it if it holds text, such as formatted text.
public protocol SearchableText: Sendable, SendableMetatype {
  /// Calls `body` with each of the value's texts. Equal values must have equal texts.
  ///
  /// A phrase is found within one text and never across two.
  func forEachSearchableText(_ body: (String) -> Void)
}

extension String: SearchableText {
  /// Calls `body` with the text itself.
  public func forEachSearchableText(_ body: (String) -> Void) { body(self) }
}

extension Optional: SearchableText where Wrapped: SearchableText {
  /// Calls `body` with the texts of the value, if there is one.
  public func forEachSearchableText(_ body: (String) -> Void) { self?.forEachSearchableText(body) }
}

extension Array: SearchableText where Element: SearchableText {
  /// Calls `body` with the texts of each element.
  public func forEachSearchableText(_ body: (String) -> Void) {
    for each in self { each.forEachSearchableText(body) }
  }
}

extension Set: SearchableText where Element: SearchableText {
  /// Calls `body` with the texts of each element.
  public func forEachSearchableText(_ body: (String) -> Void) {
    for each in self { each.forEachSearchableText(body) }
  }
}

extension JSONValue: SearchableText {
  /// Calls `body` with a string, or with the strings in an array.
  public func forEachSearchableText(_ body: (String) -> Void) {
    switch self {
    case .string(let text): body(text)
    case .array(let elements): for each in elements { each.forEachSearchableText(body) }
    case .null, .bool, .number, .object: break
    }
  }
}

extension SearchableText {
  /// Calls `body` with the key of each word.
  func forEachWordKey(_ body: (UInt64) -> Void) {
    forEachSearchableText { text in
      WordSplitter.forEachWord(in: text) {
        body(WordKey.key(of: $0))
        return true
      }
    }
  }
}

/// Whether equal values of a type are known to have equal texts.
func haveConsistentTexts<Value: SearchableText>(_: Value.Type) -> Bool {
  let known: [any SearchableText.Type] = [
    String.self, String?.self, [String].self, [String]?.self, Set<String>.self, Set<String>?.self,
    JSONValue.self,
  ]
  return known.contains { $0 == Value.self }
}
