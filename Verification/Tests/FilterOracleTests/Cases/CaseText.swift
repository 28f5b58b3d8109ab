import LiveStore
import TestSupport

/// Relations of texts, by their names in filters.
enum CaseText {
  static func order(_ left: String, _ right: String) -> Int? { textOrder(left, right) }

  static func test(
    _ relation: String, _ options: String, _ constant: String
  ) -> @Sendable (String?) -> Bool {
    { text in text.map { holds(relation, options, $0, constant) } ?? false }
  }

  /// `options` has the letters of `[c]`, `[d]` or `[cd]`.
  static func holds(_ relation: String, _ options: String, _ text: String, _ other: String) -> Bool {
    let tests: [String: TextTest] = [
      "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "LIKE": .like,
    ]
    var folding: TextOptions = options.contains("c") ? .caseInsensitive : []
    if options.contains("d") { folding.insert(.diacriticInsensitive) }
    return passes(text, tests[relation] ?? .equals, other, folding) == true
  }
}
