public import LiveStore

/// What changed between two results of one query in a repository.
///
/// It is exact, like a change set: remove `deletions` and the `from` of `moves` from the previous results, insert
/// `insertions` and the `to` of `moves`, then replace the `modifications`: the result is the current one.
public struct RepositoryDifference<Element: Entity>: Sendable {
  /// Indices in the previous results of the deleted objects, ascending.
  public let deletions: [Int]
  /// Indices in the current results of the inserted objects, ascending.
  public let insertions: [Int]
  /// Objects in both whose value differs, by new index.
  public let modifications: [Modification<Element, Int>]
  /// The fewest moves that explain the new order, by `to`.
  public let moves: [Move<Element.ID, Int>]

  /// Whether nothing changed; such a difference is never delivered.
  public var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && moves.isEmpty
  }

  init(_ changes: ChangeSet<Element>) {
    deletions = changes.deletions
    insertions = changes.insertions
    modifications = changes.modifications
    moves = changes.moves
  }
}

extension RepositoryDifference {
  /// The difference of two arrays without duplicate ids, as a store would report it: for repositories of your own.
  ///
  /// - Complexity: O(*n* log *n*) for *n* objects.
  public init(from previous: [Element], to current: [Element]) {
    let indices = Dictionary(
      zip(previous.lazy.map(\.id), previous.indices), uniquingKeysWith: { first, _ in first })
    var isDeleted = [Bool](repeating: true, count: previous.count)
    var insertions: [Int] = []
    var retained: [(old: Int, new: Int)] = []
    var modifications: [Modification<Element, Int>] = []
    for (index, object) in current.enumerated() {
      guard let oldIndex = indices[object.id] else {
        insertions.append(index)
        continue
      }
      isDeleted[oldIndex] = false
      retained.append((oldIndex, index))
      if !Element.schema.isSame(previous[oldIndex], object) {
        modifications.append(Modification(previous[oldIndex], at: oldIndex, to: object, at: index))
      }
    }
    deletions = previous.indices.filter { isDeleted[$0] }
    self.insertions = insertions
    self.modifications = modifications
    let modified = Set(modifications.map(\.newIndex))
    moves = fewestMoves(
      of: retained, from: previous.count, to: current.count, isModified: { modified.contains($0.new) }
    )
    .map { Move(current[$0.new].id, $0.old, $0.new) }
  }
}
