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
    func member(_ witness: (any ValueWitness)?, of expr: Expr<some Any>) -> ReadValue<Member>? {
      (witness as? any CollectionWitness)?.member(of: expr, isCount: isCount, guards) as? ReadValue<Member>
    }
    switch source {
    case .value(let expr): return member(witness, of: expr)
    case .unwrapped(let expr): return member(plainWitness(Output.self), of: expr)
    default: return nil
    }
  }
}

/// The witness of a type of collections: it reads those of this type, and those of its optional.
private protocol CollectionWitness {
  /// The number of elements or whether there are none, as a `ReadValue`.
  func member<Output>(of expr: Expr<Output>, isCount: Bool, _ guards: [ReadGuard]) -> Any?
}

extension Witness: CollectionWitness where Value: Collection {
  func member<Output>(of expr: Expr<Output>, isCount: Bool, _ guards: [ReadGuard]) -> Any? {
    func plain<Member: KnownSendable>(_ member: Expr<Member>) -> ReadValue<Member> {
      ReadValue<Member>(source: .value(member), witness: Witness<Member>(), guards: guards)
    }
    func unwrapped<Member: KnownSendable>(_ member: Expr<Member?>) -> ReadValue<Member> {
      ReadValue<Member>(source: .unwrapped(member), witness: Witness<Member?>(), guards: guards)
    }
    if let expr = expr as? Expr<Value> { return isCount ? plain(expr.count) : plain(expr.isEmpty) }
    guard let expr = expr as? Expr<Value?> else { return nil }
    let (count, isEmpty): (Expr<Int?>, Expr<Bool?>) = (expr.count, expr.isEmpty)
    return isCount ? unwrapped(count) : unwrapped(isEmpty)
  }
}
