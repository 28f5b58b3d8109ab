/// A key path as a `Hashable` value, which the existential `AnyKeyPath & Sendable` is not.
package struct MemberKey: Hashable, Sendable {
  package let keyPath: any AnyKeyPath & Sendable

  package static func == (lhs: MemberKey, rhs: MemberKey) -> Bool {
    (lhs.keyPath as AnyKeyPath) == (rhs.keyPath as AnyKeyPath)
  }
  package func hash(into hasher: inout Hasher) { hasher.combine(keyPath as AnyKeyPath) }
}
