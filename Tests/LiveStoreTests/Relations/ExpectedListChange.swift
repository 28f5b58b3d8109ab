import LiveStore
import TestSupport

/// What a change set of a result must say in which an object may stand several times: which of its entries is which
/// is the change set's to say, as long as it keeps its law.
struct ExpectedListChange<E: Social> {
  /// An entry as the observer sees it: the object, and the values that it receives.
  private struct Entry: Equatable {
    let object: E
    let values: [String]

    static func == (one: Entry, other: Entry) -> Bool {
      one.object.id == other.object.id && one.values == other.values
    }
  }

  private let previous: [Entry]
  private let current: [Entry]

  init(_ queryCase: LinkedCase<E>, _ before: ModelStore, _ after: ModelStore, isLimited: Bool) {
    func entries(_ model: ModelStore) -> [Entry] {
      queryCase.expectedRows(model).map { object in
        let values =
          isLimited
          ? E.observed.values(object, model).map(\.value)
          : ["\(object)"] + queryCase.named(object, model).map(\.value)
        return Entry(object: object, values: values)
      }
    }
    (previous, current) = (entries(before), entries(after))
  }

  var isEmpty: Bool { previous == current }

  private static func ids(_ entries: [Entry]) -> [Int] { entries.map(\.object.id) }

  func check(_ changes: ChangeSet<E>, mayBeEmpty: Bool) throws {
    let what = "\(changes), from \(Self.ids(previous)) to \(Self.ids(current))"
    try require(changes.previous.elementsEqual(previous.map(\.object)), "previous of \(what)")
    try require(changes.current.elementsEqual(current.map(\.object)), "current of \(what)")
    try require(mayBeEmpty || !changes.isEmpty, "an empty event: \(what)")
    try require(changes.isEmpty == isEmpty, "isEmpty of \(what)")
    try checkCounts(changes, what)
    let pairs = try pairs(changes, what)
    let fewest = pairs.count - longestIncreasing(pairs.map(\.old))
    try require(changes.moves.count == fewest, "\(fewest) moves would do for \(what)")
    let modified = pairs.filter { previous[$0.old] != current[$0.new] }
    try require(
      changes.modifications.map(\.newIndex) == modified.map(\.new)
        && changes.modifications.map(\.oldIndex) == modified.map(\.old),
      "modified are \(modified) in \(what)")
    let batch = changes.batchUpdates
    var ids = Self.ids(previous)
    for index in batch.deletions.reversed() { ids.remove(at: index) }
    for index in batch.insertions { ids.insert(current[index].object.id, at: index) }
    try require(ids == Self.ids(current), "batch updates of \(what)")
  }

  /// Of each object as many entries are deleted or inserted as there are fewer or more.
  private func checkCounts(_ changes: ChangeSet<E>, _ what: String) throws {
    func counts(_ entries: [Entry]) -> [Int: Int] {
      Dictionary(Self.ids(entries).map { ($0, 1) }, uniquingKeysWith: +)
    }
    func surplus(_ counts: [Int: Int], over others: [Int: Int]) -> [Int: Int] {
      counts.reduce(into: [:]) { $0[$1.key] = $1.value - (others[$1.key] ?? 0) }.filter { $0.value > 0 }
    }
    let (before, after) = (counts(previous), counts(current))
    try require(
      counts(changes.deletions.map { previous[$0] }) == surplus(before, over: after), "deletions of \(what)")
    try require(
      counts(changes.insertions.map { current[$0] }) == surplus(after, over: before), "insertions of \(what)")
  }

  /// Which entry is which: moved ones as the change set says, the others in order.
  private func pairs(_ changes: ChangeSet<E>, _ what: String) throws -> [(old: Int, new: Int)] {
    let leaving = Set(changes.deletions + changes.moves.map(\.from))
    let arriving = Set(changes.insertions + changes.moves.map(\.to))
    let (stayed, stays) = (
      previous.indices.filter { !leaving.contains($0) }, current.indices.filter { !arriving.contains($0) }
    )
    try require(stayed.count == stays.count, "entries that stay in \(what)")
    var pairs = zip(stayed, stays).map { (old: $0, new: $1) }
    pairs += changes.moves.map { (old: $0.from, new: $0.to) }
    for pair in pairs {
      try require(previous[pair.old].object.id == current[pair.new].object.id, "the law of \(what)")
    }
    return pairs.sorted { $0.new < $1.new }
  }
}
