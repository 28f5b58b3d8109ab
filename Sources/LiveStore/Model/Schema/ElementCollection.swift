/// A collection that filters test for an element: an array or a set, which may be optional.
protocol ElementCollection<Member>: SendableMetatype {
  associatedtype Member
  /// Calls `body` with each element, duplicates included.
  func forEachMember(_ body: (Member) -> Void)
}

extension Array: ElementCollection {
  func forEachMember(_ body: (Element) -> Void) { forEach(body) }
}

extension Set: ElementCollection {
  func forEachMember(_ body: (Element) -> Void) { forEach(body) }
}

extension Optional: ElementCollection where Wrapped: ElementCollection {
  func forEachMember(_ body: (Wrapped.Member) -> Void) { self?.forEachMember(body) }
}
