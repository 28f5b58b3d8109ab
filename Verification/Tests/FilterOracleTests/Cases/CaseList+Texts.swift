import Foundation
import LiveStore
import TestSupport

/// Text tests with folding, wildcards and regular expressions.
extension CaseList {
  @_semantics("optimize.sil.specialize.generic.never")
  mutating func addTextTests() {
    for options in ["", "c", "d", "cd"] {
      for relation in ["CONTAINS", "BEGINSWITH", "ENDSWITH", "=="] {
        for constant in Self.constants(relation, options) { addTest(relation, options, constant) }
      }
    }
    addWildcards()
    addPatterns()
    addTextRelations()
  }

  private static func constants(_ relation: String, _ options: String) -> [String] {
    var constants = ["a", "É", "ß", "σ", "i"]
    if relation == "BEGINSWITH" || relation == "==" { constants += ["abcdefgh", "abcdefghi", "か"] }
    if relation == "CONTAINS" { constants += ["e\u{301}", "\r\n", "\n", "👩", "本", "FI", "İ", "\u{301}"] }
    if relation == "ENDSWITH" { constants += ["ς", "\n", "글"] }
    if relation == "==" && options != "" { constants += ["straße", "ﬁ", "İ", "ΣΟΦΌΣ", "ア", "ẞ"] }
    return constants
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addTest(_ relation: String, _ options: String, _ constant: String) {
    if relation == "==" && options == "" { return }
    let row = Row<Item>()
    addTest("text", row.text, relation, options, constant)
    if constant.unicodeScalars.count + options.count == 2 {
      addTest("maybeText", row.maybeText, relation, options, constant)
    }
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addTest(
    _ name: String, _ text: Expr<some FilterText & Equatable>, _ relation: String, _ options: String,
    _ constant: String
  ) {
    let (modifier, folding) = (options.isEmpty ? "" : "[\(options)]", CaseText.options(options))
    let typed =
      switch relation {
      case "CONTAINS": text.contains(constant, options: folding)
      case "BEGINSWITH": text.beginsWith(constant, options: folding)
      case "ENDSWITH": text.endsWith(constant, options: folding)
      default: text.equals(constant, options: folding)
      }
    add(
      FilterCase(
        text: .init(format: "\(name) \(relation)\(modifier) %@", arguments: [constant]),
        synonyms: [
          .init(format: "%K \(relation.lowercased())\(modifier)%@", arguments: [name, constant]),
          .init(format: "\(name) \(relation) \(modifier) %@", arguments: [constant]),
        ], filter: Filter { _ in typed }, isShared: relation != "==",
        // A mark alone is no character of a text; without marks it is empty.
        isConstant: constant == "\u{301}"))
    if relation == "==" { add("\(name) !=\(modifier) %@", constant, meaning: { _ in !typed }) }
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addWildcards() {
    let patterns = [
      "a*", "*c", "*b*", "a?c", "?", "??", "", "a\\*b", "a\\?b", "é", "e\u{301}*", "日?語", "*ß*",
      "か\u{3099}",
    ]
    for (options, modifier) in [("", ""), ("c", "[c]"), ("cd", "[cd]")] {
      for pattern in patterns where options.isEmpty || !pattern.contains("\\") {
        add(
          "text LIKE\(modifier) %@", pattern,
          meaning: { $0.text.like(pattern, options: CaseText.options(options)) })
      }
      constant("text LIKE\(modifier) '*'", is: true)
      add("maybeText LIKE\(modifier) '*'", passes: { $0.item.maybeText != nil })
    }
    add("maybeText LIKE 'a*'", meaning: { $0.maybeText.like("a*") })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addPatterns() {
    let patterns = [
      "a.*", "[a-c]+", "abc|ss", "(?:ab)+c?", "\\d+", "[^a-z]+", ".", "..", "é", "e\u{301}", "", "[éa]+",
      "\\w+",
      "\\s*", "a\\*b", "Abc", "[A-Z]{2,}", "日本.?", "(a|b|c){3}", ".*b", "^a.c$", "[ぁ-ん]+",
    ]
    for pattern in patterns {
      guard let matcher = CasePattern(pattern, isFolded: false) else { continue }
      add("text MATCHES %@", pattern, passes: { matcher.matches($0.item.text) })
    }
    for pattern in ["abc", "[a-c]+", "σοφος", "é", "FI"] {
      guard let matcher = CasePattern(pattern, isFolded: true) else { continue }
      add("text MATCHES[c] %@", pattern, passes: { matcher.matches($0.item.text) })
    }
    if let matcher = CasePattern("a.*", isFolded: false) {
      add("maybeText MATCHES 'a.*'", passes: { $0.item.maybeText.map { matcher.matches($0) } ?? false })
      add(
        "NOT (maybeText MATCHES 'a.*')", passes: { !($0.item.maybeText.map { matcher.matches($0) } ?? false) }
      )
    }
  }

  /// Text in text, both of the row, and lists of texts with folding.
  @_semantics("optimize.sil.specialize.generic.never")
  private mutating func addTextRelations() {
    for (relation, options) in [("CONTAINS", ""), ("BEGINSWITH", "c"), ("ENDSWITH", "d"), ("CONTAINS", "cd")]
    {
      let modifier = options.isEmpty ? "" : "[\(options)]"
      add(
        "text \(relation)\(modifier) maybeText",
        passes: { row in
          // A missing part is part of every text.
          row.item.maybeText.map { CaseText.holds(relation, options, row.item.text, $0) } ?? true
        })
      add(
        "maybeText \(relation)\(modifier) text",
        passes: { row in
          row.item.maybeText.map { CaseText.holds(relation, options, $0, row.item.text) } ?? false
        })
      add(
        "%@ \(relation)\(modifier) text", "straße abc é İ",
        passes: { CaseText.holds(relation, options, "straße abc é İ", $0.item.text) })
    }
    for relation in CaseRelation.all {
      add(
        "text \(relation) maybeText",
        passes: { CaseRelation.holds(relation, $0.item.text, $0.item.maybeText, textOrder) })
    }
    add("text IN {'a', 'é', 'ß', ''}", typed: { $0.text.in(["a", "é", "ß", ""]) })
    for options in ["c", "d", "cd"] {
      add(
        "text IN[\(options)] {'A', 'e', 'SS', 'Σ'}",
        passes: { row in
          ["A", "e", "SS", "Σ"].contains { CaseText.holds("==", options, row.item.text, $0) }
        })
    }
    add("text BETWEEN {'a', 'b'}", typed: { $0.text.in("a"..."b") })
    add("maybeText BETWEEN %@", ["e", "éz"], typed: { $0.maybeText.in("e"..."éz") })
  }
}

/// A regular expression of Foundation that must match the whole of a composed text.
struct CasePattern: Sendable {
  private let expression: NSRegularExpression

  init?(_ pattern: String, isFolded: Bool) {
    let whole = "\\A(?:\(pattern.precomposedStringWithCanonicalMapping))\\z"
    guard
      let expression = try? NSRegularExpression(pattern: whole, options: isFolded ? .caseInsensitive : [])
    else { return nil }
    self.expression = expression
  }

  func matches(_ text: String) -> Bool {
    let text = text.precomposedStringWithCanonicalMapping
    let whole = NSRange(location: 0, length: text.utf16.count)
    return expression.firstMatch(in: text, range: whole)?.range == whole
  }
}
