/// A condition of which a term knows only whether it equals another one.
package struct OpaqueCondition: Hashable, Sendable {
  private let condition: any Hashable & Sendable

  package init(_ condition: some Hashable & Sendable) { self.condition = condition }

  /// The condition, if it is of this type.
  func value<Value>(as _: Value.Type = Value.self) -> Value? { condition as? Value }

  package static func == (lhs: OpaqueCondition, rhs: OpaqueCondition) -> Bool {
    AnyHashable(lhs.condition) == AnyHashable(rhs.condition)
  }
  package func hash(into hasher: inout Hasher) { condition.hash(into: &hasher) }
}
