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

  /// Whether a missing part is part of every text, as an empty one is.
  var holdsForMissingPart: Bool { self == .contains || self == .beginsWith || self == .endsWith }
}
