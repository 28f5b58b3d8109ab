/// Values whose order makes no difference: equal if they are the same, in any order.
package struct UnorderedMembers<Member: Hashable>: Hashable {
  /// The values, in the order in which they were given.
  package let members: [Member]

  init(_ members: [Member]) { self.members = members }

  /// - Complexity: O(*n* log *n*), more where hashes are equal.
  package static func == (lhs: UnorderedMembers, rhs: UnorderedMembers) -> Bool {
    guard lhs.members.count == rhs.members.count else { return false }
    guard lhs.members.count > 1 else { return lhs.members == rhs.members }
    let (left, right) = (lhs.byHash, rhs.byHash)
    guard zip(left, right).allSatisfy({ $0.hash == $1.hash }) else { return false }
    var start = 0
    while start < left.count {
      let end = left[start...].firstIndex { $0.hash != left[start].hash } ?? left.count
      var rest = right[start..<end].map(\.member)
      for (_, member) in left[start..<end] {
        guard let index = rest.firstIndex(of: member) else { return false }
        rest.remove(at: index)
      }
      start = end
    }
    return true
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(members.reduce(members.count) { $0 &+ $1.hashValue })
  }

  private var byHash: [(hash: Int, member: Member)] {
    members.map { (hash: $0.hashValue, member: $0) }.sorted { $0.hash < $1.hash }
  }
}

extension UnorderedMembers: Sendable where Member: Sendable {}
