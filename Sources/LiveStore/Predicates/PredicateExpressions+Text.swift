import Foundation

// Foundation compares text by characters, as the store does. Tests by locale and without case are evaluated.

extension PredicateExpressions.CollectionContainsCollection: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    guard let text = reader.read(base), let part = reader.read(other)?.constant as? String else { return nil }
    return text.condition(
      text.textCondition {
        $0.contains(part)
      } _: {
        $0.contains(part)
      }, true)
  }
}

extension PredicateExpressions.SequenceStartsWith: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    guard let text = reader.read(base), let part = reader.read(prefix)?.constant as? String else {
      return nil
    }
    // `hasPrefix` compares the bytes of ASCII, where a carriage return and the newline after it are two.
    guard part.unicodeScalars.last != "\r" else { return nil }
    return text.condition(
      text.textCondition {
        $0.beginsWith(part)
      } _: {
        $0.beginsWith(part)
      }, true)
  }
}

extension ReadValue {
  /// The condition on a text of the row, optional or not.
  fileprivate func textCondition(
    _ test: (Expr<String>) -> Expr<Bool>, _ optionalTest: (Expr<String?>) -> Expr<Bool>
  ) -> ConditionTree? {
    switch source {
    case .value(let expr): (expr as? Expr<String>).map { test($0).filter }
    case .unwrapped(let expr): (expr as? Expr<String?>).map { optionalTest($0).filter }
    default: nil
    }
  }
}
