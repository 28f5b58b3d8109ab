extension Expr<String> {
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

  func tested(_ test: TextTest, _ text: String, _ options: TextOptions) -> Expr<Bool> {
    if test == .equals, options.isEmpty { return self == text }
    let (accessor, matches) = (accessor, test.matcherInRun(text, options))
    let mask: RowMask = { base, stride, count, context in
      let run = context.run
      return rowBits(accessor, base, stride, count, context) { matches($0, run) }
    }
    return textCondition(self, test, text, options, mask) { $0 }
  }
}

extension Expr<String?> {
  /// Whether the text is not nil and contains `other`.
  public func contains(_ other: String, options: TextOptions = []) -> Expr<Bool> {
    tested(.contains, other, options)
  }

  /// Whether the text is not nil and begins with `prefix`. An index serves it without options.
  public func beginsWith(_ prefix: String, options: TextOptions = []) -> Expr<Bool> {
    tested(.beginsWith, prefix, options)
  }

  /// Whether the text is not nil and ends with `suffix`.
  public func endsWith(_ suffix: String, options: TextOptions = []) -> Expr<Bool> {
    tested(.endsWith, suffix, options)
  }

  /// Whether the text is not nil and equals `other` under options.
  public func equals(_ other: String, options: TextOptions) -> Expr<Bool> { tested(.equals, other, options) }

  /// Whether the text is not nil and matches a pattern with `?` and `*`; see the form for text that is not optional.
  public func like(_ pattern: String, options: TextOptions = []) -> Expr<Bool> {
    tested(.like, pattern, options)
  }

  /// Whether the text is not nil and matches a regular expression.
  public func matches(_ pattern: TextPattern, options: TextOptions = []) -> Expr<Bool> {
    tested(.matches, pattern.description, options)
  }

  func tested(_ test: TextTest, _ text: String, _ options: TextOptions) -> Expr<Bool> {
    if test == .equals, options.isEmpty { return self == text }
    let (accessor, matches) = (accessor, test.matcherInRun(text, options))
    let mask: RowMask = { base, stride, count, context in
      let run = context.run
      return rowBits(accessor, base, stride, count, context) { $0.map { matches($0, run) } ?? false }
    }
    return textCondition(self, test, text, options, mask) { $0 }
  }
}

private func textCondition<V: Sendable>(
  _ lhs: Expr<V>, _ test: TextTest, _ text: String, _ options: TextOptions, _ mask: @escaping RowMask,
  _ wrap: (String) -> V
) -> Expr<Bool> {
  guard let path = lhs.source.path else { return Conditions.testing(mask, lhs) }
  var candidates: SearchArgument?
  if test == .beginsWith, options.isEmpty, !text.isEmpty {
    let upper = textAfterAll(beginningWith: text)
    candidates = lhs.compared(at: path).between(
      .inclusive(wrap(text)), upper.map { .exclusive(wrap($0)) }, areAll: false)
  }
  return Expr<Bool>(
    .condition(
      Condition(
        term: .text(path, test, ComparedText(text), options), mask: mask, candidates: candidates,
        dependencies: lhs.dependencies)),
    at: lhs.reads.level)
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
