/// A test of text; patterns take time linear in the text (F5).
@usableFromInline
package enum TextTest: String, Sendable {
  case contains, beginsWith, endsWith
  /// Equal under the options.
  case equals
  /// With `?` for one character and `*` for any number.
  case like
  /// By a regular expression.
  case matches

  /// The test's word in a text filter.
  var word: String {
    switch self {
    case .contains: "CONTAINS"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .equals: "=="
    case .like: "LIKE"
    case .matches: "MATCHES"
    }
  }

  /// Whether a missing part is part of every text, as an empty one is.
  var holdsForMissingPart: Bool { self == .contains || self == .beginsWith || self == .endsWith }
}
