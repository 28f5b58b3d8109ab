/// A condition of which a term knows only whether it equals another one.
package struct OpaqueCondition: Hashable, Sendable {
  private let condition: any Hashable & Sendable

  package init(_ condition: some Hashable & Sendable) { self.condition = condition }

  package static func == (lhs: OpaqueCondition, rhs: OpaqueCondition) -> Bool {
    AnyHashable(lhs.condition) == AnyHashable(rhs.condition)
  }
  package func hash(into hasher: inout Hasher) { condition.hash(into: &hasher) }
}
