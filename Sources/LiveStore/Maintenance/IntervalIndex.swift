/// Which of many closed intervals of 64-bit words hold a word: a treap that knows the highest end below
/// each node (interval trees after Cormen et al.; treaps after Seidel and Aragon, 1996).
///
/// Nodes lie in one array and refer to each other by index; priorities are a hash of the member and the interval's
/// beginning. It is seeded, since clients choose what intervals begin with.
package struct IntervalIndex {
  private struct Node {
    let lower: UInt64
    let upper: UInt64
    let member: UInt64
    let priority: UInt64
    var highest: UInt64
    var left = -1
    var right = -1
  }

  private var nodes: [Node] = []
  private var free: [Int] = []
  private var root = -1

  package init() {}

  package var isEmpty: Bool { root < 0 }

  /// Adds an interval of a member; a member may have several that begin at different words.
  ///
  /// - Complexity: O(log *q*) expected.
  package mutating func insert(_ lower: UInt64, _ upper: UInt64, _ member: UInt64) {
    let node = Node(
      lower: lower, upper: upper, member: member, priority: mix(member ^ mix(lower ^ Self.seed)),
      highest: upper)
    let index: Int
    if let reused = free.popLast() {
      nodes[reused] = node
      index = reused
    } else {
      nodes.append(node)
      index = nodes.count - 1
    }
    let (left, right) = split(root, before: (lower, member))
    root = merge(merge(left, index), right)
  }

  /// Removes an interval that was added.
  ///
  /// - Complexity: O(log *q*) expected.
  package mutating func remove(_ lower: UInt64, _ member: UInt64) {
    let (left, rest) = split(root, before: (lower, member))
    let (removed, right) = split(rest, before: (lower, member &+ 1))
    if removed >= 0 { free.append(removed) }
    root = merge(left, right)
  }

  /// Calls `body` with the member of every interval that holds `word`.
  ///
  /// - Parameter limit: the number of members after which it stops.
  /// - Returns: whether there were no more.
  /// - Complexity: O(log *q* + hits) expected.
  @discardableResult
  package func forEach(holding word: UInt64, atMost limit: Int = .max, _ body: (UInt64) -> Void) -> Bool {
    guard root >= 0 else { return true }
    var stack = [root]
    var rest = limit
    while let index = stack.popLast() {
      let node = nodes[index]
      if node.highest < word { continue }
      if node.left >= 0 { stack.append(node.left) }
      if node.lower <= word {
        if node.upper >= word {
          if rest == 0 { return false }
          rest -= 1
          body(node.member)
        }
        if node.right >= 0 { stack.append(node.right) }
      }
    }
    return true
  }

  private static let seed = UInt64.random(in: 0 ... .max)

  private func mix(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  private mutating func renew(_ index: Int) {
    var highest = nodes[index].upper
    if nodes[index].left >= 0 { highest = max(highest, nodes[nodes[index].left].highest) }
    if nodes[index].right >= 0 { highest = max(highest, nodes[nodes[index].right].highest) }
    nodes[index].highest = highest
  }

  /// Parts the nodes whose (lower, member) is below `key` from the rest.
  private mutating func split(_ index: Int, before key: (UInt64, UInt64)) -> (Int, Int) {
    guard index >= 0 else { return (-1, -1) }
    if (nodes[index].lower, nodes[index].member) < key {
      let (left, right) = split(nodes[index].right, before: key)
      nodes[index].right = left
      renew(index)
      return (index, right)
    }
    let (left, right) = split(nodes[index].left, before: key)
    nodes[index].left = right
    renew(index)
    return (left, index)
  }

  /// Joins two parts, all of the first before all of the second.
  private mutating func merge(_ left: Int, _ right: Int) -> Int {
    if left < 0 { return right }
    if right < 0 { return left }
    if nodes[left].priority > nodes[right].priority {
      nodes[left].right = merge(nodes[left].right, right)
      renew(left)
      return left
    }
    nodes[right].left = merge(left, nodes[right].left)
    renew(right)
    return right
  }
}
