/// A piece of a filter's text.
struct FilterToken: Hashable, Sendable {
  /// What was read.
  let kind: Kind
  /// The character at which it begins, counted from 1.
  let column: Int
  /// The word in upper case, if this is one that may be a keyword.
  let keyword: String?

  init(kind: Kind, column: Int) {
    (self.kind, self.column) = (kind, column)
    if case .word(let steps, isQuoted: false) = kind, steps.count == 1 {
      keyword = steps[0].uppercased()
    } else {
      keyword = nil
    }
  }

  /// The kinds of pieces.
  enum Kind: Hashable, Sendable {
    /// A keyword or a key path, split at its points; `isQuoted` if written `#like.this`, never a keyword.
    case word([String], isQuoted: Bool)
    /// A number without its sign, a string with its escapes resolved, a date …
    case literal(FilterLiteral)
    /// `@count`, the name without the mark.
    case at(String)
    /// `%@`, or `%K` for a path.
    case argument(isPath: Bool)
    /// An operator or a bracket.
    case symbol(String)
    /// The end of the text.
    case end
  }

  /// True for this operator or bracket.
  func isSymbol(_ symbol: String) -> Bool {
    if case .symbol(symbol) = kind { true } else { false }
  }

  /// True for this keyword, in any case.
  func isKeyword(_ word: String) -> Bool {
    keyword == word
  }
}

extension FilterToken: CustomStringConvertible {
  /// The piece as error messages name it.
  var description: String {
    switch kind {
    case .word(let steps, _): "\"\(steps.joined(separator: "."))\""
    case .literal(.text(let text)):
      "the string \(JSONValue.string(text.count > 24 ? text.prefix(20) + "…" : text))"
    case .literal(let literal): "\(literal)"
    case .at(let name): "@\(name)"
    case .argument(let isPath): isPath ? "%K" : "%@"
    case .symbol(let symbol): symbol
    case .end: "the end of the filter"
    }
  }
}
