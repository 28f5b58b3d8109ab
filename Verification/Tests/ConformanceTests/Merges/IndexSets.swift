import LiveStore

/// One of the change sets that a case composes: deletions before it, insertions and modifications after it;
/// both ends of a move are among them.
struct IndexSets {
  let deletions: Set<Int>
  let insertions: Set<Int>
  let modifications: Set<Int>
  let moves: [(from: Int, to: Int)]

  init(_ json: JSONValue) throws(CaseFailure) {
    var moves: [(from: Int, to: Int)] = []
    for move in try json.optionalElements("moves") {
      let ends = try (move.elements ?? []).integers()
      guard ends.count == 2 else { throw .malformed("\(move.shortened) is not a move") }
      moves.append((ends[0], ends[1]))
    }
    self.moves = moves
    deletions = Set(try json.integers("deletions")).union(moves.map(\.from))
    insertions = Set(try json.integers("insertions")).union(moves.map(\.to))
    modifications = Set(try json.integers("modifications"))
  }

  /// One past the largest index that must be there before this set.
  var oldCountAtLeast: Int {
    let after = max(insertions.max() ?? -1, modifications.max() ?? -1) + 1
    return max(after - insertions.count + deletions.count, (deletions.max() ?? -1) + 1)
  }

  /// The order after this set; `makeID` names the new rows.
  func order(after old: [Int], makeID: () -> Int) throws(CaseFailure) -> [Int] {
    guard deletions.allSatisfy(old.indices.contains) else { throw .malformed("a deletion is out of range") }
    var order = old.indices.filter { !deletions.contains($0) }.map { old[$0] }
    for index in insertions.sorted() {
      guard index <= order.count else { throw .malformed("an insertion is out of range") }
      let source = moves.first { $0.to == index }?.from
      order.insert(source.map { old[$0] } ?? makeID(), at: index)
    }
    guard modifications.allSatisfy(order.indices.contains) else {
      throw .malformed("a modification is out of range")
    }
    return order
  }
}
