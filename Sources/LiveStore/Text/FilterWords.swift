/// The words of the filter language, including those that are not supported here.
enum FilterWords {
  /// Words that cannot begin a key path unless it is written `#like.this`.
  static let reserved: Set<String> = [
    "AND", "OR", "NOT", "TRUE", "FALSE", "NIL", "NULL", "YES", "NO", "TRUEPREDICATE", "FALSEPREDICATE",
  ]

  /// The relations that are words.
  static let relations: [String: FilterSyntax.Relation] = [
    "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "IN": .in, "BETWEEN": .between,
  ]

  /// The relations that are symbols, in all their spellings.
  static let symbols: [String: FilterSyntax.Relation] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]

  /// Relations of the full language that are not supported here.
  static let unsupportedRelations: Set<String> = ["LIKE", "MATCHES", "UTI-CONFORMS-TO", "UTI-EQUALS"]

  /// Words before an operand that are not supported here.
  static let unsupportedModifiers: Set<String> = ["ANY", "SOME", "ALL", "NONE"]

  /// Words after a filter that are not supported here.
  static let unsupportedSuffixes: Set<String> = ["SORT", "DISTINCT", "LIMIT", "INCLUDE"]

  /// The words of other languages, and their equivalents here.
  static let synonyms = [
    "STARTSWITH": "BEGINSWITH", "HASPREFIX": "BEGINSWITH", "HASSUFFIX": "ENDSWITH", "INCLUDES": "CONTAINS",
    "IS": "==", "EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">=",
    "===": "==", "!==": "!=", "><": "<>", "=!": "!=", "&": "AND", "|": "OR",
  ]

  /// Whether a key path of these steps must be written `#like.this`: it begins with a reserved word, a digit or a
  /// mark, or has a hyphen that would otherwise be a minus.
  static func needQuoting(_ steps: [String]) -> Bool {
    let isWord = steps.first?.unicodeScalars.first.map(FilterLexer.isWordStart) ?? true
    return !isWord || isReserved(steps) || steps.contains(where: hasMinus)
  }

  /// Whether a hyphen would end an unquoted step.
  private static func hasMinus(_ step: String) -> Bool {
    zip(step.unicodeScalars, step.unicodeScalars.dropFirst()).contains {
      $0 == "-" && !FilterLexer.isWordStart($1)
    }
  }

  /// True if these steps begin with a reserved word.
  static func isReserved(_ steps: [String]) -> Bool {
    steps.first.map { reserved.contains($0.uppercased()) } ?? false
  }

  /// The expected word that was probably meant.
  static func suggestion(for written: String, among expected: some Sequence<String>) -> String? {
    let word = written.uppercased()
    if let synonym = synonyms[word] { return synonym }
    return NearestWord.find(word, in: expected.sorted())
  }
}
