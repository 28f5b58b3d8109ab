import LiveStore
import TestSupport

/// Tests of texts, by their names in filters.
enum CaseText {
  /// Those of the letters in `[c]`, `[d]` or `[cd]`.
  static func options(_ letters: String) -> TextOptions {
    let options: TextOptions = letters.contains("c") ? .caseInsensitive : []
    return letters.contains("d") ? options.union(.diacriticInsensitive) : options
  }

  static func holds(_ relation: String, _ letters: String, _ text: String, _ other: String) -> Bool {
    let tests: [String: TextTest] = [
      "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "LIKE": .like,
    ]
    return passes(text, tests[relation] ?? .equals, other, options(letters)) == true
  }
}
