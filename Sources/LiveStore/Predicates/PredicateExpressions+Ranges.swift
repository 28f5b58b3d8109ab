import Foundation

extension PredicateExpressions.Range: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Swift.Range<LHS.Output>>? {
    guard let low = reader.read(lower)?.constant, let high = reader.read(upper)?.constant else { return nil }
    return low <= high ? .constant(low..<high) : ReadValue(source: .failure)
  }
}

extension PredicateExpressions.ClosedRange: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Swift.ClosedRange<LHS.Output>>? {
    guard let low = reader.read(lower)?.constant, let high = reader.read(upper)?.constant else { return nil }
    // Foundation ends the process for bounds in the wrong order.
    return low <= high ? .constant(low...high) : ReadValue(source: .failure)
  }
}

extension PredicateExpressions.RangeExpressionContains: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    // Foundation orders text by the `<` of String, which differs from the store's order for decomposed text.
    guard ValueOrder<Element.Output>.ofText() == nil, let range = reader.read(range) else { return nil }
    if case .failure = range.source { return .condition(.failure) }
    guard let range = range.constant, let element = reader.read(element) else { return nil }
    switch element.source {
    case .constant(let value): return .constant(range.contains(value))
    case .value(let expr):
      let witness = element.witness as? any OrderedWitness
      return element.condition(witness.flatMap { $0.contain(range, expr) }, true)
    case .unwrapped(let expr):
      let witness = plainWitness(Element.Output.self) as? any OrderedWitness
      return element.condition(witness?.contain(range, expr), true)
    default: return nil
    }
  }
}
