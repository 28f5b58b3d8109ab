public import LiveStore

/// What changed between two results of one query in a repository.
///
/// The law is that of change sets: taking `deletions` and the `from` of `moves` out of what there was, then
/// putting `insertions` and the `to` of `moves` in, then replacing `modifications`, gives what there is.
public struct RepositoryDifference<Element: Entity>: Sendable {
  /// Indices in the previous results of the objects that are gone, ascending.
  public let deletions: [Int]
  /// Indices in the current results of the objects that are new, ascending.
  public let insertions: [Int]
  /// Objects in both whose value differs, by new index.
  public let modifications: [Modification<Element>]
  /// The fewest objects whose move explains the new order, by `to`.
  public let moves: [Move<Element.ID>]

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
  /// The difference of two arrays, in each of which an id is there once, as a store would tell it.
  ///
  /// - Complexity: O(*n*) for *n* objects, and O(*r*²) for *r* objects in both if they are in another order.
  public init(from previous: [Element], to current: [Element]) {
    let places = Dictionary(
      zip(previous.lazy.map(\.id), previous.indices), uniquingKeysWith: { first, _ in first })
    var isGone = [Bool](repeating: true, count: previous.count)
    var insertions: [Int] = []
    var kept: [Kept] = []
    for (index, object) in current.enumerated() {
      guard let place = places[object.id] else {
        insertions.append(index)
        continue
      }
      isGone[place] = false
      let isModified = !Element.schema.isSame(previous[place], object)
      kept.append(Kept(from: place, to: index, isModified: isModified))
    }
    deletions = previous.indices.filter { isGone[$0] }
    self.insertions = insertions
    modifications = kept.lazy.filter(\.isModified).map {
      Modification(previous[$0.from], at: $0.from, to: current[$0.to], at: $0.to)
    }
    moves = Self.moved(kept).map { Move(current[$0.to].id, $0.from, $0.to) }
  }

  /// An object in both results.
  private struct Kept {
    let from: Int
    let to: Int
    let isModified: Bool
  }

  /// All but a longest increasing subsequence: of several, the one that keeps the most unmodified objects in
  /// place, and of these the one whose objects stand last in the new order. That is the store's choice.
  private static func moved(_ kept: [Kept]) -> [Kept] {
    if zip(kept, kept.dropFirst()).allSatisfy({ $0.from < $1.from }) { return [] }
    // For each object the best chain that ends with it: its length, how many in it are unmodified, and the
    // object before it.
    var chains: [(length: Int, unmodified: Int, previous: Int)] = []
    var best = (length: 0, unmodified: 0, last: -1)
    for (index, object) in kept.enumerated() {
      var before = (length: 0, unmodified: 0, last: -1)
      for earlier in 0..<index where kept[earlier].from < object.from {
        let chain = (chains[earlier].length, chains[earlier].unmodified, earlier)
        if chain > before { before = chain }
      }
      let unmodified = before.unmodified + (object.isModified ? 0 : 1)
      chains.append((before.length + 1, unmodified, before.last))
      let chain = (before.length + 1, unmodified, index)
      if chain > best { best = chain }
    }
    var isInPlace = [Bool](repeating: false, count: kept.count)
    var last = best.last
    while last >= 0 {
      isInPlace[last] = true
      last = chains[last].previous
    }
    return kept.indices.filter { !isInPlace[$0] }.map { kept[$0] }
  }
}
