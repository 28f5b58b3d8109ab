/// The list entries on both sides of a difference that only their object identifies. A list may have an
/// object several times.
///
/// Entries are named by their index among the removed and among the added ones.
struct RepeatedEntries {
  private struct Group {
    /// An entry of the object.
    let object: UnsafeRawPointer
    /// Ascending.
    var old: [Int] = []
    var new: [Int] = []
  }

  private let ids: IDFunctions
  private var groups: [Group] = []
  /// The group of each added entry.
  private var groupOfNew: [Int: Int] = [:]
  /// The groups of objects whose ids have one hash.
  private var byHash: [UInt64: [Int]] = [:]

  init(_ ids: IDFunctions) { self.ids = ids }

  /// Adds a removed entry; in ascending order, and before any added entry.
  mutating func add(old index: Int, _ object: UnsafeRawPointer) {
    let hash = ids.hash(object)
    if let group = group(of: object, hash) {
      groups[group].old.append(index)
    } else {
      byHash[hash, default: []].append(groups.count)
      groups.append(Group(object: object, old: [index]))
    }
  }

  /// Adds an added entry, in ascending order. Entries of objects without a removed entry are skipped.
  mutating func add(new index: Int, _ object: UnsafeRawPointer) {
    guard let group = group(of: object, ids.hash(object)) else { return }
    groups[group].new.append(index)
    groupOfNew[index] = group
  }

  private func group(of object: UnsafeRawPointer, _ hash: UInt64) -> Int? {
    byHash[hash]?.first { ids.isSame(groups[$0].object, object) }
  }

  /// Whether some entry can be paired in more than one way.
  var areAmbiguous: Bool { groups.contains { !$0.new.isEmpty && $0.old.count + $0.new.count > 2 } }

  /// How many pairs are possible.
  var candidateCount: Int {
    groups.reduce(0) { sum, group in
      let (product, isOver) = group.old.count.multipliedReportingOverflow(by: group.new.count)
      return isOver ? .max : sum.addingReportingOverflow(product).overflow ? .max : sum + product
    }
  }

  /// All possible pairs.
  var candidates: [(old: Int, new: Int)] {
    groups.flatMap { group in group.new.flatMap { new in group.old.map { (old: $0, new: new) } } }
  }

  /// The first with the first, the second with the second.
  var pairsInOrder: [(old: Int, new: Int)] {
    groups.flatMap { group in zip(group.old, group.new).map { (old: $0, new: $1) } }
  }

  /// Removes two entries that have been paired.
  ///
  /// - Complexity: O(*g*) for an object with *g* entries.
  mutating func remove(_ pair: (old: Int, new: Int)) {
    guard let group = groupOfNew[pair.new] else { return }
    groups[group].old.removeAll { $0 == pair.old }
    groups[group].new.removeAll { $0 == pair.new }
  }
}
