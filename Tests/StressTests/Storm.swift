import LiveStore
import TestSupport

/// A branch is deleted with the one it grows from.
struct Branch: Entity, Equatable {
  let id: Int
  var name: String
  var weight: Int
  var parent: Ref<Branch>?
  static let schema = Schema<Branch> {
    \.name
    Property(\.weight, .indexed)
    Relation(\.parent, onDelete: .cascade)
  }
}

/// A leaf is deleted with its branch, and loses deleted marks.
struct Leaf: Entity, Equatable {
  let id: Int
  var text: String
  var branch: Ref<Branch>
  var mark: Ref<Mark>?
  var marks = RefList<Mark>()
  static let schema = Schema<Leaf> {
    \.text
    Relation(\.branch, onDelete: .cascade)
    Relation(\.mark, onDelete: .nullify)
    Relation(\.marks)
  }
}

struct Mark: Entity, Equatable {
  let id: Int
  var name: String
  static let schema = Schema<Mark> { \.name }
}

/// Trees of objects and what happens to them: of `roots` branches, each with three above it and leaves on all.
enum Storm {
  static let roots = 6
  static let marks = 8

  static func open() async throws -> Store {
    var configuration = Store.Configuration()
    configuration.historyCommits = 50
    let store = try Store(Branch.self, Leaf.self, Mark.self, configuration: configuration)
    try await store.write { tx in
      var random = SplitMix64(seed: 0)
      for id in 0..<marks { try tx.insert(Mark(id: id, name: "mark \(id % 3)")) }
      for root in 0..<roots { try grow(root, tx, &random) }
    }
    return store
  }

  private static func grow(_ root: Int, _ tx: borrowing WriteTransaction, _ random: inout SplitMix64) throws {
    for number in 0..<4 {
      let id = root * 10 + number
      // The parent is always one of a smaller number.
      let parent = number == 0 ? nil : Ref<Branch>(root * 10 + random.int(0...number - 1))
      try tx.upsert(
        Branch(id: id, name: random.pick(["oak", "elm", "ash"]), weight: random.int(0...9), parent: parent))
      for leaf in 0..<random.int(0...3) {
        try tx.upsert(
          Leaf(id: id * 10 + leaf, text: "\(random.int(0...9))", branch: Ref(id), mark: anyMark(tx, &random)))
      }
    }
  }

  private static func anyMark(_ tx: borrowing WriteTransaction, _ random: inout SplitMix64) -> Ref<Mark>? {
    tx[Mark.self, random.int(0...marks - 1)].map { Ref($0.id) }
  }

  /// One of the things that happen.
  static func rage(_ tx: borrowing WriteTransaction, _ random: inout SplitMix64) throws {
    let root = random.int(0...roots - 1)
    let mark = random.int(0...marks - 1)
    switch random.int(0...9) {
    case 0: try tx.delete(Branch.self, root * 10)
    case 1, 2:
      try tx.delete(Branch.self, root * 10)
      try grow(root, tx, &random)
    case 3: try tx.delete(Branch.self, root * 10 + random.int(1...3))
    case 4:
      try tx.delete(Mark.self, mark)
      if random.chance(1, in: 2) { try tx.insert(Mark(id: mark, name: "mark \(random.int(0...3))")) }
    case 5: try tx.upsert(Mark(id: mark, name: "mark \(random.int(0...3))"))
    case 6:
      // Undone: a cascade that leaves nothing.
      try? tx.savepoint { tx in
        try tx.delete(Branch.all)
        throw CancellationError()
      }
      if tx[Branch.self, root * 10] == nil { try grow(root, tx, &random) }
    case 7:
      let branches = tx.fetch(Branch.where { $0.parent == nil })
      guard let from = branches.first, let to = branches.last else { return }
      try tx.update(Leaf.where { $0.branch == from.ref }) { $0.branch = to.ref }
    default:
      let leaves = tx.fetch(Leaf.all.offset(random.int(0...20)).limit(3)).map(\.id)
      let links = (0..<random.int(0...4)).compactMap { _ in anyMark(tx, &random)?.id }
      for leaf in leaves {
        try tx.update(Leaf.self, leaf) {
          $0.marks = RefList(ids: links)
          $0.text = "\(random.int(0...9))"
        }
      }
    }
  }

  /// What is wrong with a version; nil when nothing is.
  static func breach(_ snapshot: Snapshot) throws -> String? {
    for branch in snapshot.fetch(Branch.all) {
      if let parent = branch.parent, snapshot[parent] == nil { return "\(branch) grows from nothing" }
    }
    var below: [Int: Int] = [:]
    for leaf in snapshot.fetch(Leaf.all) {
      if snapshot[leaf.branch] == nil { return "\(leaf) is on no branch" }
      if leaf.mark.map({ snapshot[$0] == nil }) ?? false { return "\(leaf) has no such mark" }
      if leaf.marks.contains(where: { snapshot[$0] == nil }) { return "\(leaf) has no such marks" }
      below[leaf.branch.id, default: 0] += 1
    }
    for count in 0...4 {
      let found = snapshot.count(Branch.where { $0.linking(\Leaf.branch).count == count })
      let expected = snapshot.fetch(Branch.all).filter { below[$0.id] ?? 0 == count }.count
      if found != expected { return "\(found) branches with \(count) leaves, not \(expected)" }
    }
    return try snapshot.breachOfTables()
  }
}
