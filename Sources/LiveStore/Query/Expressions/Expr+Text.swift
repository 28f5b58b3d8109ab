/// A text type of filters: `String` and its optional. A missing text meets no condition.
///
/// The library provides all conforming types. Do not declare others.
public protocol FilterText: Equatable, Sendable {
  /// The text; nil for a missing one.
  @_documentation(visibility: internal)
  var textInFilter: String? { get }
}

extension String: FilterText {
  /// The text itself.
  @_documentation(visibility: internal)
  @inlinable
  public var textInFilter: String? { self }
}

extension Optional: FilterText where Wrapped: FilterText {
  /// The text; nil for a missing one.
  @_documentation(visibility: internal)
  @inlinable
  public var textInFilter: String? { flatMap { $0.textInFilter } }
}

extension Expr where Value: FilterText {
  /// Whether the text contains `other`.
  public func contains(_ other: String, options: TextOptions = []) -> Expr<Bool> {
    tested(.contains, other, options)
  }

  /// Whether the text begins with `prefix`. An index serves it without options.
  public func beginsWith(_ prefix: String, options: TextOptions = []) -> Expr<Bool> {
    tested(.beginsWith, prefix, options)
  }

  /// Whether the text ends with `suffix`.
  public func endsWith(_ suffix: String, options: TextOptions = []) -> Expr<Bool> {
    tested(.endsWith, suffix, options)
  }

  /// ``beginsWith(_:options:)-(String,_)`` is its name in filters.
  @available(*, unavailable, renamed: "beginsWith(_:options:)")
  public func hasPrefix(_ prefix: String, options: TextOptions = []) -> Expr<Bool> {
    beginsWith(prefix, options: options)
  }

  /// ``endsWith(_:options:)-(String,_)`` is its name in filters.
  @available(*, unavailable, renamed: "endsWith(_:options:)")
  public func hasSuffix(_ suffix: String, options: TextOptions = []) -> Expr<Bool> {
    endsWith(suffix, options: options)
  }

  /// Whether the text equals `other` under options: `$0.name.equals("ann", options: .caseInsensitive)`.
  public func equals(_ other: String, options: TextOptions) -> Expr<Bool> { tested(.equals, other, options) }

  /// Whether the whole text matches a pattern in which `?` is one character and `*` any number of them.
  ///
  /// - Parameters:
  ///   - pattern: the pattern; `\\?` and `\\*` are these characters themselves.
  ///   - options: whether case and diacritics count; they do by default.
  /// - Complexity: O(length of the text × length of the longest part between two stars ÷ 64) a row, at least O(length).
  public func like(_ pattern: String, options: TextOptions = []) -> Expr<Bool> {
    tested(.like, pattern, options)
  }

  /// Whether the whole text matches a regular expression.
  ///
  /// - Complexity: O(length of the text × size of the pattern) a row.
  public func matches(_ pattern: TextPattern, options: TextOptions = []) -> Expr<Bool> {
    tested(.matches, pattern.description, options)
  }

  // The loops are compiled for both types.
  @_specialize(where Value == String)
  @_specialize(where Value == Optional<String>)
  func tested(_ test: TextTest, _ text: String, _ options: TextOptions) -> Expr<Bool> {
    if test == .equals, options.isEmpty, let text = text as? Value { return self == text }
    let (accessor, matches) = (accessor, test.matcherInRun(text, options))
    let mask: RowMask = { base, stride, count, context in
      let run = context.run
      return rowBits(accessor, base, stride, count, context) { value in
        value.textInFilter.map { matches($0, run) } ?? false
      }
    }
    let path = term
    var candidates: SearchArgument?
    if test == .beginsWith, options.isEmpty, !text.isEmpty, let lower = text as? Value {
      let upper = textAfterAll(beginningWith: text).flatMap { $0 as? Value }
      candidates = compared(at: path).between(
        .inclusive(lower), upper.map { .exclusive($0) }, areAll: false)
    }
    return condition(.text(path, test, ComparedText(text), options), mask, candidates: candidates)
  }
}

/// The least text above all that begin with `prefix`, if it is easily found: for plain ASCII, where no later mark can
/// join the prefix and change its order.
private func textAfterAll(beginningWith prefix: String) -> String? {
  guard let last = prefix.utf8.last, prefix.utf8.allSatisfy({ $0 < 0x7F }) else { return nil }
  var scalars = prefix.unicodeScalars
  scalars.removeLast()
  scalars.append(UnicodeScalar(last + 1))
  return String(scalars)
}

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
