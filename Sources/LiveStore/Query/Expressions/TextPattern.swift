/// A regular expression for filters, which is matched in time linear in the text.
///
/// ```swift
/// let date = try TextPattern(#"\d{4}-\d{2}-\d{2}"#)
/// Post.where { $0.slug.matches(date) }
/// ```
/// The syntax is ICU's, as in NSPredicate, without constructs that cannot be matched in linear time:
/// backreferences, lookaround, possessive quantifiers and atomic groups.
public struct TextPattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern as written.
  public let description: String

  /// A pattern for the whole of a text.
  ///
  /// - Parameter pattern: up to 10,000 characters, with groups up to 100 levels deep.
  /// - Throws: `invalidFilter` with the place in the pattern as its column.
  /// - Complexity: O(length of the pattern, with its counted repetitions written out).
  public init(_ pattern: String) throws(StoreError) {
    do throws(PatternError) {
      _ = try RegularPattern(pattern)
    } catch {
      var failure = StoreError(
        StoreError.invalidFilter, "\(shown(pattern)) is no regular expression: \(error)")
      failure.column = error.offset + 1
      throw failure
    }
    description = pattern
  }
}
