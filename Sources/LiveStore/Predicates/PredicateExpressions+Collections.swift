import Foundation

extension PredicateExpressions.SequenceContains: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    guard let sequence = reader.read(sequence), let element = reader.read(element) else { return nil }
    switch (sequence.source, element.source) {
    case (.constant(let values), _):
      // Other sequences may have no end.
      guard values is any ElementCollection else { return nil }
      return element.membership(Array(values))
    case (.value(let expr), .constant(let element)):
      return sequence.condition(expr.holding(element, behind: LHS.Output.self), true)
    case (.unwrapped(let expr), .constant(let element)):
      return sequence.condition(expr.holding(element, behind: LHS.Output.self), true)
    default: return nil
    }
  }
}

extension PredicateExpressions.SequenceContainsWhere: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    guard let sequence = reader.read(sequence), case .value(let expr) = sequence.source else { return nil }
    return sequence.condition(reader.some(expr, variable, test), sequence.guards.isEmpty)
  }
}

extension PredicateExpressions.SequenceAllSatisfy: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Bool>? {
    guard let sequence = reader.read(sequence), case .value(let expr) = sequence.source else { return nil }
    return sequence.condition(reader.some(expr, variable, test, ofAll: true), sequence.guards.isEmpty)
  }
}

extension PredicateExpressions.DictionaryKeySubscript: ReadableExpression {
  func read(_ reader: PredicateReader) -> ReadValue<Value?>? {
    guard let dictionary = reader.read(wrapped), case .value(let expr) = dictionary.source,
      let key = reader.read(key)?.constant
    else { return nil }
    func member<PlainKey: KnownSendable & Hashable, Member: KnownSendable>(
      _: PlainKey.Type, _: Member.Type
    ) -> ReadValue<Value?>? {
      guard let expr = (expr as Any) as? Expr<[PlainKey: Member]>, let key = key as? PlainKey,
        let member = expr[key] as? Expr<Value?>
      else { return nil }
      return ReadValue(source: .value(member), witness: Witness<Member?>(), guards: dictionary.guards)
    }
    guard let keyType = Key.Output.self as? any (KnownSendable & Hashable).Type,
      let type = Value.self as? any KnownSendable.Type
    else { return nil }
    return member(keyType, type)
  }
}

extension ReadValue where Output: Equatable {
  /// The condition that it is one of some values.
  fileprivate func membership(_ values: [Output]) -> ReadValue<Bool>? {
    switch source {
    case .constant(let value): return .constant(values.contains(value))
    case .value(let expr):
      let hasNil = values.contains { ($0 as? any OptionalValue)?.isNil ?? false }
      return condition(witness.flatMap { expr.membership(values, $0) }, !hasNil)
    case .unwrapped(let expr):
      let values: [Output?] = values
      return condition(witness.flatMap { expr.membership(values, $0) }, true)
    default: return nil
    }
  }
}

extension Expr {
  fileprivate func membership<Known: ValueWitness>(_ values: [Value], _: Known) -> ConditionTree? {
    guard let expr = self as? Expr<Known.Value>, let values = values as? [Known.Value] else { return nil }
    return expr.in(values).filter
  }

  /// Whether an array or a set, optional or not, holds an element of a type of the library.
  fileprivate func holding<Element, Elements>(_ element: Element, behind _: Elements.Type) -> ConditionTree? {
    func filter<Plain: KnownSendable>(_: Plain.Type) -> ConditionTree? {
      guard let element = element as? Plain else { return nil }
      if let expr = self as? Expr<[Plain]> { return expr.contains(element).filter }
      if let expr = self as? Expr<[Plain]?> { return expr.contains(element).filter }
      return (Plain.self as? any (KnownSendable & Hashable).Type).flatMap { hashed($0) }
    }
    func hashed<Plain: KnownSendable & Hashable>(_: Plain.Type) -> ConditionTree? {
      guard let element = element as? Plain else { return nil }
      if let expr = self as? Expr<Set<Plain>> { return expr.contains(element).filter }
      return (self as? Expr<Set<Plain>?>)?.contains(element).filter
    }
    return (Element.self as? any KnownSendable.Type).flatMap { filter($0) }
  }
}

extension PredicateReader {
  /// The condition on some or all elements of an array or a set, if it names the element alone.
  fileprivate func some<Elements, Element>(
    _ expr: Expr<Elements>, _ variable: PredicateExpressions.Variable<Element>,
    _ test: some PredicateExpression<Bool>, ofAll isOfAll: Bool = false
  ) -> ConditionTree? {
    var isRead = true
    func condition<Member: KnownSendable>(_ member: Expr<Member>) -> Expr<Bool> {
      let value = ReadValue<Member>(source: .value(member), witness: Witness<Member>())
      guard let value = value as? ReadValue<Element>,
        let truth = binding(variable, to: value).read(test)?.truth, truth.isDefined == nil,
        !truth.holds.contains(where: { !$0.term.allRows { $0 == 0 && $1 == ObjectIdentifier(Member.self) } })
      else {
        isRead = false
        return Expr<Bool>(.constant(true), at: nil)
      }
      return Expr<Bool>(truth.holds, at: member.level)
    }
    func array<Member: KnownSendable>(_: Member.Type) -> ConditionTree? {
      guard let expr = expr as? Expr<[Member]> else {
        return (Member.self as? any (KnownSendable & Hashable).Type).flatMap { set($0) }
      }
      return isOfAll ? expr.allSatisfy(condition).filter : expr.contains(where: condition).filter
    }
    func set<Member: KnownSendable & Hashable>(_: Member.Type) -> ConditionTree? {
      guard let expr = expr as? Expr<Set<Member>> else { return nil }
      return isOfAll ? expr.allSatisfy(condition).filter : expr.contains(where: condition).filter
    }
    let filter = (Element.self as? any KnownSendable.Type).flatMap { array($0) }
    return isRead ? filter : nil
  }
}
