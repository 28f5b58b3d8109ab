import Foundation

// Foundation compares text by characters, as the store does. Tests by locale and without case are evaluated.

extension PredicateExpressions.CollectionContainsCollection: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    guard let text = reader.read(base), let part = reader.read(other)?.constant as? String else { return nil }
    return text.tested(.contains, part)
  }
}

extension PredicateExpressions.SequenceStartsWith: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    guard let text = reader.read(base), let part = reader.read(prefix)?.constant as? String else {
      return nil
    }
    // `hasPrefix` compares the bytes of ASCII, where a carriage return and the newline after it are two.
    guard part.unicodeScalars.last != "\r" else { return nil }
    return text.tested(.beginsWith, part)
  }
}

extension ReadValue {
  /// The test of a text of the row, optional or not.
  fileprivate func tested(_ test: TextTest, _ part: String) -> ReadValue<Bool>? {
    switch source {
    case .value(let expr): condition((expr as? Expr<String>)?.tested(test, part, []).filter, true)
    case .unwrapped(let expr): condition((expr as? Expr<String?>)?.tested(test, part, []).filter, true)
    default: nil
    }
  }
}
