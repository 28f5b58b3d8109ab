import Foundation

extension PredicateExpressions.OptionalFlatMap: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Result?>? {
    guard let base = reader.read(wrapped), case .value(let optional) = base.source else { return nil }
    guard let isMissing = base.isMissing(optional) else { return nil }
    let binding = ReadGuard(variable: variable.key, condition: isMissing.negated)
    let value = ReadValue<Wrapped>(
      source: .unwrapped(optional), witness: base.witness, guards: base.guards + [binding])
    guard let result = reader.binding(variable, to: value).read(transform) else { return nil }
    let guards = result.guards.filter { $0.variable != variable.key }
    let isDerived = guards.count < result.guards.count
    switch result.source {
    case .condition(let truth):
      return ReadValue(source: .condition(truth.ofVariable(variable.key, isMissing: isMissing, base.guards)))
    case .unwrapped(let expr):
      // The result is the expression that is nil where the variable's value is nil.
      guard isDerived, let expr = expr as? Expr<Result?> else { return nil }
      return ReadValue(source: .value(expr), witness: result.witness, guards: guards)
    case .value(let expr):
      guard isDerived, let expr = expr as? Expr<Result?> else { return nil }
      return ReadValue(source: .value(expr), witness: result.witness, guards: guards)
    case .constant, .row, .failure: return nil
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Wrapped>? {
    // Nested optionals are read as one, which cannot tell them apart.
    guard !(Wrapped.self is any OptionalValue.Type), let inner = reader.read(inner) else { return nil }
    switch inner.source {
    case .constant(let value): return value.map { .constant($0) } ?? ReadValue(source: .failure)
    case .value(let optional):
      guard let isMissing = inner.isMissing(optional) else { return nil }
      let unwrapping = ReadGuard(variable: nil, condition: isMissing.negated)
      return ReadValue(
        source: .unwrapped(optional), witness: inner.witness, guards: inner.guards + [unwrapping])
    default: return nil
    }
  }
}

extension PredicateExpressions.NilCoalesce: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<RHS.Output>? {
    guard let optional = reader.read(lhs), let fallback = reader.read(rhs) else { return nil }
    switch (optional.source, fallback.source) {
    case (.constant(let value?), _): return .constant(value)
    case (.constant(nil), _): return fallback
    case (.condition(let truth), _):
      guard let other = (fallback as? ReadValue<Bool>)?.truth else { return nil }
      return ReadValue(source: .condition(truth.coalescing(other)))
    case (.value(let expr), .constant(let value)):
      guard let result = expr.coalescing(value) else { return nil }
      // Behind an unbound variable, it is the default, which nothing there asks for.
      guard optional.guards.isEmpty else { return nil }
      return ReadValue(source: .value(result), witness: plainWitness(RHS.Output.self))
    default: return nil
    }
  }
}

extension ReadValue {
  /// The condition that an optional value of it is nil.
  fileprivate func isMissing<Wrapped>(_ optional: Expr<Wrapped?>) -> ConditionTree? {
    let none: Wrapped? = nil
    return witness.flatMap { optional.compared(.equal, none, $0) } ?? optional.missing(isNil: true)
  }
}

extension Expr {
  /// The value or a default, for types of the library.
  fileprivate func coalescing<Wrapped>(_ value: Wrapped) -> Expr<Wrapped>? where Value == Wrapped? {
    func result<Plain: KnownSendable>(_: Plain.Type) -> Expr<Wrapped>? {
      guard let expr = self as? Expr<Plain?>, let value = value as? Plain else { return nil }
      return (expr ?? value) as? Expr<Wrapped>
    }
    return (Wrapped.self as? any KnownSendable.Type).flatMap { result($0) }
  }
}
