import TestSupport

import LiveStore

/// The states of a store of items after each of some random commits.
struct ItemHistory {
  let states: [StoreState]

  init(_ random: inout SplitMix64, commits: Int = 8, items: Int = 24) throws {
    let store = try Store(Item.self)
    var states: [StoreState] = []
    for commit in 0..<commits {
      try store.write { tx in
        for _ in 0..<(commit == 0 ? items : random.int(0...6)) {
          let id = random.int(0...items)
          if commit > 0, random.chance(1, in: 4) {
            try tx.delete(Item.self, id)
          } else {
            try tx.upsert(random.item(id))
          }
        }
      }
      states.append(store.snapshot().state)
    }
    self.states = states
  }

  /// Two of the states, in either order: upkeep leads in either direction (L6).
  func pair(_ random: inout SplitMix64) -> (old: StoreState, new: StoreState) {
    (random.pick(states), random.pick(states))
  }
}

extension SplitMix64 {
  /// An item whose values many others have, too.
  fileprivate mutating func item(_ id: Int) -> Item {
    Item(
      id, name: pick(["", "a", "ab", "abcdefgh-1", "abcdefgh-2"]), rank: int(0...6), group: int(0...3),
      score: pick([nil, .nan, -1, 0, 0.5, 2]), isDone: chance(1, in: 2))
  }
}

extension StoreState {
  /// All items with the numbers of their rows, in insertion order.
  var items: [(row: UInt64, item: Item)] {
    var cursor = TreeCursor(tables[0].rows)
    var items: [(row: UInt64, item: Item)] = []
    while let entry = cursor.next() { items.append((entry.key.first, item(entry.key.first))) }
    return items
  }

  /// The item in a row that is there.
  func item(_ row: UInt64) -> Item { tables[0].existing(row).object(as: Item.self).pointee }

  /// The rows in which another state differs from this one.
  func changes(to new: StoreState) -> [RowChange] { StoreChanges(from: self, to: new).rows(in: 0) }

  /// The tree of a query's first stage.
  func tree(_ query: Query<Item>) -> Tree { MaintainedTrees(query.stages, 0, at: self).kept.trees[0] }

  /// A step to another state, with trees in their slots.
  func step(to new: StoreState, _ trees: [Tree]) -> UpkeepStep {
    var kept = ChainTrees()
    kept.trees = trees
    return UpkeepStep(0, [], kept, from: self, to: new)
  }
}

extension Tree {
  /// The rows that the entries name, in order.
  var rows: [UInt64] { entries.map(\.row) }

  /// Rows and stamps of the entries, in order.
  var entries: [(row: UInt64, stamp: UInt64)] {
    let difference = Tree.difference(from: Tree(layout), in: 0..<0, to: self, in: 0..<count)
    return difference.added.map {
      (layout.order == .first ? $0.key.first : layout.row($0.key.second), $0.stamp)
    }
  }
}

extension RowChange {
  /// The items before and after, as one text.
  var text: String {
    func item(_ object: UnsafeRawPointer?) -> String {
      object.map { "\($0.object(as: Item.self).pointee)" } ?? "none"
    }
    return "\(row): \(item(old)) to \(item(new))"
  }

  /// Whether the items before and after differ; NaN equals itself.
  var isDifferent: Bool {
    guard let old, let new else { return true }
    return "\(old.object(as: Item.self).pointee)" != "\(new.object(as: Item.self).pointee)"
  }
}

/// A step of a query and what it does to an array.
struct ArrayStep: Sendable {
  typealias Items = [(row: UInt64, item: Item)]

  let text: String
  let query: @Sendable (Query<Item>) -> Query<Item>
  let array: @Sendable (Items) -> Items

  static func filter(
    _ text: String, _ query: @escaping @Sendable (Query<Item>) -> Query<Item>,
    _ holds: @escaping @Sendable (Item) -> Bool
  ) -> ArrayStep {
    ArrayStep(text: ".where \(text)", query: query) { $0.filter { holds($0.item) } }
  }

  /// - Parameter compare: negative, zero or positive.
  static func order(
    _ text: String, _ query: @escaping @Sendable (Query<Item>) -> Query<Item>,
    _ compare: @escaping @Sendable (Item, Item) -> Int
  ) -> ArrayStep {
    ArrayStep(text: ".sorted \(text)", query: query) { items in
      items.sorted {
        let sign = compare($0.item, $1.item)
        return sign == 0 ? $0.row < $1.row : sign < 0
      }
    }
  }

  static func limit(_ offset: Int, _ limit: Int) -> ArrayStep {
    ArrayStep(text: ".offset(\(offset)).limit(\(limit))", query: { $0.offset(offset).limit(limit) }) {
      Array($0.dropFirst(offset).prefix(limit))
    }
  }

  static let filters: [ArrayStep] = [
    .filter("rank > 2", { $0.where { $0.rank > 2 } }, { $0.rank > 2 }),
    .filter("group in 1, 2", { $0.where { $0.group.in([1, 2]) } }, { [1, 2].contains($0.group) }),
    .filter("name begins with a", { $0.where { $0.name.beginsWith("a") } }, { $0.name.hasPrefix("a") }),
    .filter("is done, by a closure", { $0.filter { $0.isDone } }, { $0.isDone }),
    .filter("all", { $0.where { $0.rank >= 0 } }, { _ in true }),
    .filter("none", { $0.where { $0.rank > 9 } }, { _ in false }),
  ]

  static let orders: [ArrayStep] = [
    .order("by rank", { $0.sorted(by: \.rank) }, { compare($0.rank, $1.rank) }),
    .order("by rank, descending", { $0.sorted(by: \.rank, .descending) }, { compare($1.rank, $0.rank) }),
    .order("by name", { $0.sorted(by: \.name) }, { compare($0.name, $1.name) }),
    .order("by score", { $0.sorted(by: \.score) }, { compare(place($0), place($1)) }),
    .order(
      "by group, then name, descending",
      { $0.sorted(by: \.group).sorted(by: \.name, .descending) },
      { $0.group == $1.group ? compare($1.name, $0.name) : compare($0.group, $1.group) }),
  ]

  static let distinct = ArrayStep(text: ".distinct by group", query: { $0.distinct(by: \.group) }) { items in
    var groups: Set<Int> = []
    return items.filter { groups.insert($0.item.group).inserted }
  }

  private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left == right ? 0 : left < right ? -1 : 1
  }

  /// Nil before NaN before numbers.
  private static func place(_ item: Item) -> Double {
    guard let score = item.score else { return -.infinity }
    return score.isNaN ? -.greatestFiniteMagnitude : score
  }
}
