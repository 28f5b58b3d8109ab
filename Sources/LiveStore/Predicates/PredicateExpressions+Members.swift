import Foundation

extension PredicateExpressions.KeyPath: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Output>? {
    guard let root = reader.read(root) else { return nil }
    switch root.source {
    case .constant(let value): return .constant(value[keyPath: keyPath])
    case .row(let row): return row.property(keyPath)
    case .value(let expr):
      if let kind { return root.member(kind) }
      return ReadValue(
        source: .value(expr[dynamicMember: keyPath]), witness: plainWitness(Output.self), guards: root.guards)
    case .unwrapped(let expr):
      if let kind { return root.member(kind) }
      return member(behind: expr, root.guards)
    case .condition, .failure: return nil
    }
  }

  /// A member of a value behind an optional.
  private func member(behind expr: Expr<Root.Output?>, _ guards: [ReadGuard]) -> ReadValue<Output>? {
    /// The member if it is optional itself, as one optional.
    func flat<Member: OptionalValue>(_: Member.Type) -> ReadValue<Output>? {
      guard let keyPath = typedKeyPath(keyPath, Root.Output.self, Member.Wrapped?.self) else { return nil }
      let member: Expr<Member.Wrapped?> = expr[dynamicMember: keyPath]
      return (member as? Expr<Output>).map {
        ReadValue(source: .value($0), witness: plainWitness(Output.self), guards: guards)
      }
    }
    if let type = Output.self as? any OptionalValue.Type { return flat(type) }
    let member: Expr<Output?> = expr[dynamicMember: keyPath]
    return ReadValue(source: .unwrapped(member), witness: plainWitness(Output?.self), guards: guards)
  }
}

extension ReadValue {
  /// The number of elements of a collection, or whether there are none.
  fileprivate func member<Member, Root: PredicateExpression>(
    _ kind: PredicateExpressions.KeyPath<Root, Member>.CommonKeyPathKind
  ) -> ReadValue<Member>? {
    let isCount: Bool
    switch kind {
    case .collectionCount: isCount = true
    case .collectionIsEmpty: isCount = false
    default: return nil
    }
    switch source {
    case .value(let expr):
      guard let witness = witness as? any CollectionWitness else { return nil }
      let source: Any? =
        isCount ? witness.count(expr).map(plain) : witness.isEmpty(expr).map(plain)
      return source as? ReadValue<Member>
    case .unwrapped(let expr):
      func member<Elements: KnownSendable & Collection>(_: Elements.Type) -> Any? {
        guard let expr = expr as? Expr<Elements?> else { return nil }
        let count: Expr<Int?> = expr.count
        let isEmpty: Expr<Bool?> = expr.isEmpty
        return isCount ? behindOptional(count) : behindOptional(isEmpty)
      }
      let value = (Output.self as? any (KnownSendable & Collection).Type).flatMap { member($0) }
      return value as? ReadValue<Member>
    default: return nil
    }
  }

  private func plain<Value: KnownSendable>(_ expr: Expr<Value>) -> ReadValue<Value> {
    ReadValue<Value>(source: .value(expr), witness: Witness<Value>(), guards: guards)
  }

  private func behindOptional<Value: KnownSendable>(_ expr: Expr<Value?>) -> ReadValue<Value> {
    ReadValue<Value>(source: .unwrapped(expr), witness: Witness<Value?>(), guards: guards)
  }
}

/// The witness of a type of collections.
private protocol CollectionWitness {
  func count<Output>(_ expr: Expr<Output>) -> Expr<Int>?
  func isEmpty<Output>(_ expr: Expr<Output>) -> Expr<Bool>?
}

extension Witness: CollectionWitness where Value: Collection {
  func count<Output>(_ expr: Expr<Output>) -> Expr<Int>? { (expr as? Expr<Value>)?.count }
  func isEmpty<Output>(_ expr: Expr<Output>) -> Expr<Bool>? { (expr as? Expr<Value>)?.isEmpty }
}
