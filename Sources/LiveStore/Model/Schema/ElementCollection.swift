/// A collection that filters test for an element: an array or a set, which may be optional.
protocol ElementCollection<Member>: SendableMetatype {
  associatedtype Member
  /// The number of elements, duplicates included.
  var memberCount: Int { get }
  /// Calls `body` with each element, duplicates included.
  func forEachMember(_ body: (Member) -> Void)
  /// Whether a test holds for some element.
  func contains(where test: (Member) throws -> Bool) rethrows -> Bool
}

extension Array: ElementCollection {
  var memberCount: Int { count }
  func forEachMember(_ body: (Element) -> Void) { forEach(body) }
}

extension Set: ElementCollection {
  var memberCount: Int { count }
  func forEachMember(_ body: (Element) -> Void) { forEach(body) }
}

extension Optional: ElementCollection where Wrapped: ElementCollection {
  var memberCount: Int { self?.memberCount ?? 0 }
  func contains(where test: (Wrapped.Member) throws -> Bool) rethrows -> Bool {
    try self?.contains(where: test) ?? false
  }
  func forEachMember(_ body: (Wrapped.Member) -> Void) { self?.forEachMember(body) }
}
