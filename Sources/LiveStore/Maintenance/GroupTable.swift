import Synchronization

// Groups, sections, distinct.
//
// All three are operators and trees like the rest; nothing else keeps them up to date.
//
// **Distinct** rows take two stages: one ordered by the keys and then as the query is, and one of the first
// rows of each value, in the query's order. A changed row can matter to the first row of its old value and of
// its new one, so both are looked up in the tree before and in the tree after, and the differences are handed
// on as changed rows (L5).
//
// **Groups** are rows of an entity of their own, `ResultGroup`, in a table that is stored beside the trees of
// the stages and is a value, too. So results, change sets and lookups by key work as for any query. The table
// is added to a state, as its last, when an observer reads. A commit's rows are added to and subtracted from
// the sums of their groups: O(*k* log *m*).
//
// The first evaluation adds all rows at once (`GroupFold`), in portions of 64 addresses, and does nothing
// for a row alone that can be done for a portion or for a group:
//
//     keys of a portion ─▶ numbers of their groups      KeyDictionary: a hash table of flat arrays, in a loop of the key's type
//     values, numbers   ─▶ sums by number               GroupSums: an array for each kind of sum, in a loop of the value's type
//     at the end: groups sorted by key; table, sums and result, each a tree built from entries in its own order
//
// A group's key is written as in its first row. A snapshot that groups the rows of one filter folds them as
// the plan visits them, without a result of the rows, and builds no tree of sums; only upkeep reads such
// trees.
//
// - **G1** A group is there if and only if a row of the last stage's window has its key.
// - **G2** A group's aggregate value is a function of its rows, not of their history. Counts and sums of
//   integers are kept in whole numbers of 128 bits and given as the nearest value of their type, so nothing
//   traps and nothing wraps. Sums of doubles are kept as a whole number of 2⁻¹⁰⁷⁴ in as many words as it
//   needs (two to four for most data), from which rows are subtracted exactly, and are rounded once. Least
//   and greatest values are the ends of the group's range in a stage ordered by key and value. (Adding
//   doubles again in a fixed order would cost the group's size each commit.)
// - **G3** Numbers of group rows and their stamps are given once in a process; groups that are evaluated
//   together have a stamp in common, beside numbers of their own. The same groups are on several lines of
//   versions (the newest, a line that went back for a late observer, the baseline of an observer that
//   excludes origins), and trees of different lines are compared: in the difference a number or a stamp must
//   mean the same on both sides.
// - **G4** A key is compared as sorting does: NaN is one key, -0.0 and 0.0 are one, nil is one. Keys
//   without an order are ordered by their hashes; rows of another key with the same hash lie between and
//   are stepped over. Their groups stand in the order of each group's earliest row, which is found in a
//   stage ordered by hash and row number.
// - **G5** The order of rows does not matter to groups, so the last stage takes the order that the groups
//   need, unless its window needs its own; then there is one stage more. So a query's order does not keep
//   two groupings from being shared.
// - **G7** Doubles that are added in bulk are whole numbers of a unit that the first of them selects, in
//   128 bits; one that is more than 2^20 times smaller or larger is added to the long sum by itself. So the
//   sum is as exact as G2 demands: a value has fewer than 2^93 units, and 2^34 of them do not overflow.
//
// **Sections** are groups that count, over a last stage ordered by the section's key first. A section is a
// range of that stage's tree; its beginning is a search for its key, its index a search among the groups.
// Included keys that no group has are found when results are made, by one search for each; nothing is kept
// for them.
//
// - **G6** Positions are found from the d entries that differ: row to key, key to section and to its first
//   row. No section without a difference is looked at. Rows differ by the linked values that the query names,
//   too. Each section has moves of its own, since untouched rows never leave their section; rows that went to
//   another section are further moves.

/// The groups of a query's rows: a table of their values, the sums behind these, and their order.
///
/// ```
/// table    group's number → ResultGroup(key, value)      found by key through the ids, as any entity
/// sums     group's number → rows, values, sums     exact, so rows can be taken away again
/// result   (key or first row, group's number)      what observers read
/// ```
/// A group is there as long as it has rows (G1). Its aggregate value is a function of its rows alone: sums are exact,
/// extremes are looked up in a stage ordered by key and value, and a group whose key has no order stands at the
/// number of its first row (G2). Numbers of groups and stamps are given once (G3).
struct GroupTable<Key: Hashable & Sendable, Value: Equatable & Sendable>: GroupUpkeep {
  typealias Row = ResultGroup<Key, Value>

  let rule: GroupRule<Key, Value>
  private var table: TableState
  private var sums = Tree(.sums)
  private var result = Tree(.sorted)
  /// Whether a group was not found where its key says, or has no row where it must have one.
  private var isInconsistent = false

  init(_ rule: GroupRule<Key, Value>) {
    self.rule = rule
    table = TableState(rule.info)
  }

  /// The groups of rows that were added all at once.
  ///
  /// They have consecutive numbers in the order of the result, and one stamp in common.
  private init(_ fold: GroupFold<Key, Value>, _ source: GroupSource, isMaintained: Bool) {
    rule = fold.rule
    let entries = fold.order()
    let count = entries.count
    let first = GroupNumbers.next(count + 1)
    let stamp = first + UInt64(count)
    func group(_ position: Int) -> Int { Int(entries[position].number) }
    let rows = Tree(rule.info.layout, first, stamp: stamp, count: count) { position in
      fold.row(of: group(position), source)
    }
    table = TableState(
      rows, hashes: ContiguousArray((0..<count).map { fold.keys.hashes[group($0)] }), rule.info)
    if isMaintained { sums = Tree(.sums, first, stamp: 0, count: count) { fold.sums[group($0)] } }
    var builder = TreeBuilder(.sorted)
    builder.append(count: count) { (TreeKey(entries[$0].word, first + UInt64($0)), stamp) }
    result = builder.finish()
  }

  mutating func fill(_ source: GroupSource, isMaintained: Bool, _ add: (inout RowPortions) -> Void) {
    var fold = GroupFold(rule)
    RowPortions.collect(add) { fold.add($0, source.new) }
    self = GroupTable(fold, source, isMaintained: isMaintained)
  }

  /// A group that rows entered or left.
  private struct Touched {
    let key: Key
    /// The group's number, if the group is there.
    let row: UInt64?
    var sum: ExactSum
  }

  mutating func apply(_ rows: [RowChange], _ source: GroupSource) -> Bool {
    // By the hashes of keys: a dictionary traps where keys are inconsistent.
    var touched: [UInt64: [Touched]] = [:]
    for row in rows {
      if let object = row.old { count(object, source.old, isRemoval: true, &touched) }
      if let object = row.new { count(object, source.new, isRemoval: false, &touched) }
    }
    for group in touched.values.joined() {
      // The result may list a group that was removed.
      if isInconsistent { break }
      update(group, source)
    }
    return !isInconsistent
  }

  private func count(
    _ object: UnsafeRawPointer, _ context: ReadContext, isRemoval: Bool,
    _ touched: inout [UInt64: [Touched]]
  ) {
    let key = rule.key(of: object, context)
    let hash = rule.keys.hash(key)
    func add(_ sum: inout ExactSum) {
      sum.rows += isRemoval ? -1 : 1
      if case .sums(let functions, _) = rule.function { functions.add(object, context, isRemoval, &sum) }
    }
    if let index = touched[hash]?.firstIndex(where: { rule.keys.isSame($0.key, key) }) {
      add(&touched[hash, default: []][index].sum)
    } else {
      var group = existing(key)
      add(&group.sum)
      touched[hash, default: []].append(group)
    }
  }

  private func existing(_ key: Key) -> Touched {
    guard let row = find(key) else { return Touched(key: key, row: nil, sum: ExactSum()) }
    guard let sum = sums.payload(first: row) else { preconditionFailure("every group has its sums") }
    // The tree's payloads are sums.
    return Touched(key: key, row: row, sum: sum.object(as: ExactSum.self).pointee)
  }

  private func find(_ key: Key) -> UInt64? {
    table.find(
      hash: rule.keys.hash(key), isMatch: { rule.keys.isSame(group($0).id, key) },
      compare: rule.keys.order.map { order in { order.compare(key, group($0).id) } }
    )?.row
  }

  /// The group in a row of the table.
  private func group(_ row: UnsafeRawPointer) -> Row { row.object(as: Row.self).pointee }

  /// Updates a group's row from its sums.
  private mutating func update(_ touched: Touched, _ source: GroupSource) {
    if touched.sum.rows < 0 { isInconsistent = true }
    guard let row = touched.row else {
      if touched.sum.rows > 0, let new = make(touched.key, touched.sum, source) { insert(new, touched.sum) }
      return
    }
    let old = group(table.existing(row))
    if touched.sum.rows <= 0 {
      remove(row, old)
      return
    }
    sums.set(touched.sum, at: row)
    guard let new = make(old.id, touched.sum, source) else { return }
    if old.firstRow == new.firstRow && isSameValue(old.value, new.value) { return }
    let stamp = GroupNumbers.next()
    if old.firstRow == new.firstRow {
      withEntry(of: old, row) { tree, key, tie in
        tree.setStamp(stamp, at: key, tie: tie)
      }
      replace(row, by: new, stamp)
    } else {
      withEntry(of: old, row) { tree, key, tie in tree.remove(key, tie: tie) }
      replace(row, by: new, stamp)
      enlist(new, row, stamp)
    }
  }

  private mutating func insert(_ new: Row, _ sum: ExactSum) {
    let (row, stamp) = (GroupNumbers.next(), GroupNumbers.next())
    // Groups have a hash of their own.
    let hash = withObject(new) { rule.info.ids.hash($0) }
    table.insert(new, hash: hash, rule.info, row: row, stamp: stamp)
    sums.insert(TreeKey(row, 0), object: sum)
    enlist(new, row, stamp)
  }

  private mutating func remove(_ row: UInt64, _ old: Row) {
    withEntry(of: old, row) { tree, key, tie in tree.remove(key, tie: tie) }
    sums.remove(TreeKey(row, 0))
    table.remove(row, rule.info)
  }

  private mutating func enlist(_ new: Row, _ row: UInt64, _ stamp: UInt64) {
    withEntry(of: new, row) { tree, key, tie in
      tree.insert(key, stamp: stamp, tie: tie)
    }
  }

  /// Edits the entry of a group in the result; every group listed there is in the table as it is ordered.
  private mutating func withEntry(
    of group: Row, _ row: UInt64, _ edit: (inout Tree, TreeKey, (UInt64) -> Int) -> Bool
  ) {
    let (table, order) = (table, rule.order)
    withObject(group) { object in
      let isThere = edit(&result, TreeKey(order.abbreviate(object, .none), row)) {
        order.isExact ? 0 : order.compare(object, .none, table.existing($0), .none)
      }
      if !isThere { isInconsistent = true }
    }
  }

  private mutating func replace(_ row: UInt64, by group: ResultGroup<Key, Value>, _ stamp: UInt64) {
    withObject(group) { _ = table.replace(row, table.existing(row), by: $0, rule.info, stamp: stamp) }
  }

  private mutating func make(_ key: Key, _ sum: ExactSum, _ source: GroupSource) -> Row? {
    let value: Value? =
      switch rule.function {
      case .sums(_, let value): value(sum)
      case .extreme(let end, _, let isNil, let value):
        value(row(at: end, of: key, isNil: isNil, source), source.new)
      }
    guard let value else {
      isInconsistent = true
      return nil
    }
    return Row(id: key, value: value, firstRow: rule.isByFirstRow ? firstRow(key, source) : 0)
  }
}

// MARK: Looking up rows

extension GroupTable {
  /// The row of a group's least or greatest value that is not nil, in the last stage's tree, which is ordered
  /// by key and value.
  ///
  /// - Complexity: O(log *m*), and for keys without an order one step for each row of another key that has
  ///   the same hash.
  private func row(
    at end: Extreme, of key: Key, isNil: (UnsafeRawPointer, ReadContext) -> Bool, _ source: GroupSource
  ) -> UnsafeRawPointer? {
    let tree = source.trees[source.trees.count - 1]
    let rows = source.new.tables[source.table]
    func object(_ second: UInt64) -> UnsafeRawPointer { rows.existing(tree.layout.row(second)) }
    var range = 0..<tree.count
    if let keys = rule.key.source {
      let first = keys.rule.abbreviate(key)
      func compare(_ row: UInt64) -> Int {
        keys.rule.compare(keys.accessor.read(object(row), source.new), key)
      }
      let start = tree.partitionPoint(first: first) { row in
        let sign = compare(row)
        return sign < 0 || (sign == 0 && isNil(object(row), source.new))
      }
      range = start..<max(start, tree.partitionPoint(first: first) { compare($0) <= 0 })
    } else {
      // Nil has the least abbreviation.
      range = tree.partitionPoint(first: 0) { isNil(object($0), source.new) }..<tree.count
    }
    var cursor = TreeCursor(tree, at: end == .greatest ? range.upperBound : range.lowerBound)
    for _ in range {
      guard let entry = end == .greatest ? cursor.previous() : cursor.next() else { return nil }
      let object = object(entry.key.second)
      if rule.keys.isSame(rule.key(of: object, source.new), key) { return object }
    }
    return nil
  }

  /// The number of the first row of a group, in the tree that is ordered by the keys' hashes; in a list,
  /// whose ties are in list order, all rows of the group are looked at.
  private func firstRow(_ key: Key, _ source: GroupSource) -> UInt64 {
    guard let keys = rule.key.source else { return 0 }
    // The last stage is ordered by key and value where extremes are looked up.
    let isLast = if case .extreme = rule.function { false } else { true }
    let tree = source.trees[source.trees.count - (isLast ? 1 : 2)]
    let rows = source.new.tables[source.table]
    let hash = keys.rule.abbreviate(key)
    var cursor = TreeCursor(tree, at: tree.partitionPoint(first: hash) { _ in false })
    var first: UInt64?
    while let entry = cursor.next(), entry.key.first == hash {
      let row = tree.layout.row(entry.key.second)
      guard keys.rule.isSame(keys.accessor.read(rows.existing(row), source.new), key) else { continue }
      first = min(row, first ?? row)
      if !tree.layout.areOccurrences { break }
    }
    return first ?? 0
  }

  var count: Int { result.count }

  func rows(beside state: StoreState) -> GroupedRows {
    let window = ResultWindow(
      table: state.tables.count, tree: result, ranks: 0..<result.count, order: rule.order)
    return GroupedRows(state: state.adding(table, of: rule.info), window: window)
  }
}

/// Numbers for rows and stamps of groups, unique in the process.
///
/// The same groups are maintained along several lines of versions: the newest results, the results at an earlier
/// start position, and the baselines of observers that exclude origins. Their trees are compared, so a number must
/// mean the same in all (G3).
enum GroupNumbers {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { next(1) }

  /// The first of `count` consecutive numbers.
  static func next(_ count: Int) -> UInt64 {
    last.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue + 1
  }
}
