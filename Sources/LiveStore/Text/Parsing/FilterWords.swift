/// The words of the filter language, including those that are not supported here.
enum FilterWords {
  /// Words that cannot begin a key path unless it is written `#like.this`.
  static let reserved: Set<String> = [
    "AND", "OR", "NOT", "TRUE", "FALSE", "NIL", "NULL", "YES", "NO", "TRUEPREDICATE", "FALSEPREDICATE",
  ]

  /// The relations that are words.
  static let relations: [String: RelationalOperator] = [
    "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "IN": .in, "BETWEEN": .between,
    "LIKE": .like, "MATCHES": .matches, "TEXT": .text,
  ]

  /// The relations that are symbols, in all their spellings.
  static let symbols: [String: RelationalOperator] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]

  /// Relations of the full language that are not supported here.
  static let unsupportedRelations: Set<String> = ["UTI-CONFORMS-TO", "UTI-EQUALS"]

  /// The words before an operand of several values.
  static let quantifiers: [String: FilterQuantifier] = [
    "ANY": .any, "SOME": .any, "ALL": .all, "NONE": .noElement,
  ]

  /// The words for numbers that have no digits.
  static let nonFinite: [String: Double] = ["INF": .infinity, "INFINITY": .infinity, "NAN": .nan]

  /// The functions, those of literals first.
  static let functions =
    ["date", "data", "bin", "binary", "obj", "object", "SUBQUERY", "CAST", "now", "ifnull"]
    + NumberFunction.allCases.map(\.rawValue) + TextFunction.allCases.map(\.rawValue)

  /// The steps of a query, which follow its filter.
  static let steps: Set<String> = ["SORT", "DISTINCT", "LIMIT", "OFFSET"]

  /// The words of other languages, and their equivalents here.
  static let synonyms = [
    "STARTSWITH": "BEGINSWITH", "HASPREFIX": "BEGINSWITH", "HASSUFFIX": "ENDSWITH", "INCLUDES": "CONTAINS",
    "EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">", "GE": ">=",
    "===": "==", "!==": "!=", "><": "<>", "=!": "!=", "&": "AND", "|": "OR",
  ]

  /// Whether a path of these names must be written `#like.this`: it begins with a reserved word, a digit or a mark, or
  /// has a hyphen that would otherwise be a minus.
  static func needHash(_ names: [String]) -> Bool {
    guard let name = names.first, !needsBackquotes(name), let first = name.unicodeScalars.first else {
      return false
    }
    return !FilterLexer.isWordStart(first) || isReserved(names) || isSpecial(names)
      || names.contains(where: hasMinus)
  }

  /// A name as it stands in a path: in backquotes if it has characters that names do not have, or would be read as
  /// something else.
  ///
  /// - Parameters:
  ///   - isHashed: whether it is one of the names behind a `#`.
  ///   - beginsToken: whether it stands behind an element or a function, and not behind a name.
  static func written(_ name: String, isHashed: Bool, beginsToken: Bool) -> String {
    let beginsWord = name.unicodeScalars.first.map(FilterLexer.isWordStart) ?? false
    let isPlain =
      !needsBackquotes(name) && (isHashed || !hasMinus(name))
      && (!beginsToken || beginsWord && !isOperator([name]))
    if isPlain { return name }
    let text = String(JSONValue.string(name).description.unicodeScalars.dropFirst().dropLast())
    return "`\(Quoting.escaped(text, ["`"], with: "\\"))`"
  }

  /// The name of a variable, `x` of `$x`; nil if a step is none.
  static func variable(_ step: String) -> String? {
    let scalars = step.unicodeScalars
    return scalars.first == "$" && scalars.count > 1 ? String(scalars.dropFirst()) : nil
  }

  /// The number of the argument that a step stands for, 1 of `$K1`; nil if it stands for none.
  static func argument(_ step: String) -> Int? {
    guard let scalars = variable(step)?.unicodeScalars, scalars.first == "K" else { return nil }
    return Int(String(scalars.dropFirst()))
  }

  /// Whether it has a character that no unquoted step has, or a hyphen that does not join two of those.
  private static func needsBackquotes(_ name: String) -> Bool {
    var isJoined = false
    for scalar in name.unicodeScalars {
      guard FilterLexer.isWordPart(scalar) || scalar == "-" && isJoined else { return true }
      isJoined = scalar != "-"
    }
    return !isJoined
  }

  /// Whether a hyphen would end an unquoted step.
  private static func hasMinus(_ step: String) -> Bool {
    zip(step.unicodeScalars, step.unicodeScalars.dropFirst()).contains {
      $0 == "-" && !FilterLexer.isWordStart($1)
    }
  }

  /// Whether the names would be read as an argument, a variable, the row itself or a number.
  private static func isSpecial(_ names: [String]) -> Bool {
    let word = names[0].uppercased()
    return word == "SELF" || names[0].unicodeScalars.first == "$"
      || names.count == 1 && nonFinite[word] != nil
  }

  /// Whether a word can follow an operand; not TEXT, which is more often the name of a property.
  static func isOperator(_ names: [String]) -> Bool {
    names.count == 1 && names[0].uppercased() != "TEXT"
      && (relations[names[0].uppercased()] != nil || ["AND", "OR"].contains(names[0].uppercased()))
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
