import Foundation

/// How text is compared in a filter.
public struct TextOptions: OptionSet, Hashable, Sendable, CustomStringConvertible {
  /// The option bits.
  public let rawValue: Int
  /// Makes a set of options from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Upper and lower case are one, as Foundation folds them, independent of locale.
  public static let caseInsensitive = TextOptions(rawValue: 1)
  /// Accents and other marks do not count, as Foundation folds them, independent of locale.
  public static let diacriticInsensitive = TextOptions(rawValue: 2)

  /// The options as a text filter writes them: `[cd]`.
  public var description: String {
    let letters = (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
    return letters.isEmpty ? "" : "[\(letters)]"
  }

  package func fold(_ text: String) -> String {
    var options: String.CompareOptions = []
    if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
    if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
    return options.isEmpty ? text : text.folding(options: options, locale: nil)
  }
}
