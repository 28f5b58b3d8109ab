/// Identity for closures: a closure equals only itself.
package final class ClosureIdentity: Hashable, Sendable {
  package init() {}
  package static func == (lhs: ClosureIdentity, rhs: ClosureIdentity) -> Bool { lhs === rhs }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
