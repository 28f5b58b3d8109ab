/// The stages of a query as maintained trees, and how they follow their tables.
///
/// Everything a live result is lies in its trees; this is a function from trees and changed rows to trees.
/// Entries leave while every entry's row can be read as it was ordered, in the old state, and come back in
/// the new one; in between the tree holds rows that did not change at all (L2).
///
/// Filters and values of types that may contradict themselves are watched: where an entry is not as its row says,
/// all is evaluated anew (L8). So no tree ever has an entry of a row that is gone.
struct MaintainedTrees: Sendable {
  let table: Int
  let stages: [QueryStage]
  private(set) var trees: [Tree]
  /// The entries of the list that the first stage starts from; nil where that is the table.
  private(set) var base: Tree?
  /// Where these stand; nil where no stage has an order of its own.
  private var places: ListPlaces?
  /// Values of linked rows by which rows differ, too.
  let linked: [Operand]
  let grouping: Grouping?
  /// What the last stage's rows are grouped into.
  private(set) var groups: (any GroupUpkeep)?
  /// Whether something contradicted itself since these were evaluated, or made them out of order.
  private var isDoubtful = false
  /// How the values of the first stage's filter lead to the query, where they may contradict themselves.
  private let routes: [Router.Route]
  /// Whether all rows of the first stage lead to the query so.
  private(set) var isRoutable = true

  /// Whether these are rows that are given one by one, whatever their table has: those of a baseline.
  let isGiven: Bool

  /// Whether the stages have predicates that may throw.
  private let mayThrow: Bool
  /// What they threw; then the trees are those of no state, and stay as they are.
  private(set) var failures: FilterFailures?

  /// Evaluates all stages at a state.
  init(_ stages: [QueryStage], _ table: Int, _ grouping: Grouping? = nil, at state: StoreState) {
    guard stages.mayThrow else {
      self.init(evaluating: stages, table, grouping, at: state, mayThrow: false)
      return
    }
    let (evaluated, failures) = FilterFailures.collect {
      MaintainedTrees(evaluating: stages, table, grouping, at: state, mayThrow: true)
    }
    self = evaluated
    self.failures = failures
  }

  private init(
    evaluating stages: [QueryStage], _ table: Int, _ grouping: Grouping?, at state: StoreState, mayThrow: Bool
  ) {
    self.mayThrow = mayThrow
    isGiven = false
    self.table = table
    self.stages = stages
    self.grouping = grouping
    routes = Router.Route.doubtful(stages[0].filter)
    linked = stages.linkedOperands + (grouping?.operands.filter { !$0.chains.isEmpty } ?? [])
    let stamp = linked.isEmpty ? nil : state.context.linkedStamp
    if let source = stages[0].source {
      var window = source.window(table, state.context, stamp: stamp)
      base = window.tree
      if stages.needPlaces { places = ListPlaces(window.tree) }
      window.places = places
      trees = [state.context.evaluate(stages[0], over: window, stamp: stamp, isEdited: true)]
    } else {
      let plan = QueryPlan(stages[0], table, state.context, isComplete: true)
      trees = [plan.run(stages[0], table, state.context, stamp: stamp)]
    }
    for index in stages.indices.dropFirst() {
      trees.append(
        state.context.evaluate(stages[index], over: inner(index - 1), stamp: stamp, isEdited: true))
    }
    groups = grouping?.makeTable()
    let (rows, source) = (inner(stages.count - 1), GroupSource(trees, table, state, state))
    if groups?.fill(from: rows, source) == false { isDoubtful = true }
    if stages.indices.contains(where: { !isInOrder($0, state) }) { isDoubtful = true }
    isRoutable = findsAll(state)
  }

  /// The rows of a result as a stage of their own, to which rows are given from here on, and the stages behind it that
  /// groups want in other orders.
  ///
  /// - Parameter last: the observer's own last stage, for its window.
  /// - Complexity: O(1) for a whole result, O(*w* log *w*) for a window of *w* rows.
  init(givenRowsOf other: MaintainedTrees, _ last: QueryStage, at state: StoreState) {
    var first = other.stages.count - 1
    while other.grouping != nil, first > 0, other.stages[first].isOrderOnly { first -= 1 }
    let isLast = first == other.stages.count - 1
    var stage = QueryStage()
    stage.order = isLast ? last.order : other.stages[first].order
    self.init(given: [stage] + other.stages[(first + 1)...], other)
    let rows = isLast ? other.result(last) : other.inner(first)
    trees = [state.context.evaluate(stage, over: rows, stamp: linkedStamp(state.context), isEdited: true)]
    trees += other.trees[(first + 1)...]
    groups = other.groups
    isDoubtful = other.isDoubtful
  }

  private init(given stages: [QueryStage], _ other: MaintainedTrees) {
    isGiven = true
    mayThrow = false
    table = other.table
    self.stages = stages
    grouping = other.grouping
    linked = other.linked
    routes = []
    trees = []
  }

  /// The same rows and some more or less, put in order once more.
  private func evaluated(giving rows: [RowChange], at state: StoreState) -> MaintainedTrees {
    let window = inner(0)
    var known = Set((0..<window.count).map { window.row(at: $0) })
    for row in rows { if row.new == nil { known.remove(row.row) } else { known.insert(row.row) } }
    var tree = Tree(.insertionOrder)
    let all = state.tables[table].rows
    for row in known.sorted() {
      guard let entry = all.floor(row), entry.key.first == row else { continue }
      tree.insert(TreeKey(row, entry.key.second))
    }
    var next = MaintainedTrees(given: stages, self)
    var given = ResultWindow(table: table, tree: tree, ranks: 0..<tree.count, order: RowOrder(keys: []))
    for (index, stage) in stages.enumerated() {
      next.trees.append(
        state.context.evaluate(stage, over: given, stamp: linkedStamp(state.context), isEdited: true))
      given = next.inner(index)
    }
    next.groups = grouping?.makeTable()
    let source = GroupSource(next.trees, table, state, state)
    if next.groups?.fill(from: given, source) == false { next.isDoubtful = true }
    if !stages.indices.allSatisfy({ next.isInOrder($0, state) }) { next.isDoubtful = true }
    return next
  }

  /// Finds out whether all rows lead to the query.
  ///
  /// - Complexity: O(*m*) for a filter that may contradict itself, otherwise O(1).
  private func findsAll(_ state: StoreState) -> Bool {
    if routes.isEmpty { return true }
    let rows = trees[0]
    var cursor = TreeCursor(rows)
    while let entry = cursor.next() {
      let row = rows.layout.order == .first ? entry.key.first : rows.layout.row(entry.key.second)
      let object = state.tables[table].existing(row)
      if !routes.allSatisfy({ $0.leads(from: object, state.context) }) { return false }
    }
    return true
  }

  /// Whether the entries of a stage's tree stand in the order of their values; asked where that may contradict
  /// itself.
  private func isInOrder(_ index: Int, _ state: StoreState) -> Bool {
    if stages[index].order.isConsistent { return true }
    return (1..<max(1, trees[index].count)).allSatisfy { isInOrder(index, at: $0, state.context) }
  }

  /// Whether the entry at a rank does not stand before the one before it.
  private func isInOrder(_ index: Int, at rank: Int?, _ context: ReadContext) -> Bool {
    guard let rank else { return false }
    let (tree, order) = (trees[index], stages[index].order)
    guard rank > 0, rank < tree.count else { return true }
    let (before, after) = (tree.entry(at: rank - 1).key, tree.entry(at: rank).key)
    if before.first != after.first { return before.first < after.first }
    func object(_ key: TreeKey) -> UnsafeRawPointer {
      context.tables[table].existing(tree.layout.row(key.second))
    }
    return order.compare(object(before), context, object(after), context) <= 0
  }

  /// Whether the result is the table itself, which needs no upkeep.
  var isTable: Bool { stages.count == 1 && beginsWithTable && grouping == nil }

  /// Whether a row of the table is in a result that has all its rows.
  ///
  /// - Complexity: O(log *m*).
  func has(_ row: FoundRow, _ context: ReadContext) -> Bool {
    isTable || inner(stages.count - 1).position(of: row.row, row.object, context) != nil
  }

  /// The rows in which an observer's results differ, in windows of trees of one line.
  ///
  /// - Parameter last: the observer's own last stage.
  func changes(
    to other: MaintainedTrees, _ last: QueryStage, _ old: StoreState, _ new: StoreState
  ) -> [RowChange] {
    windowChanges(from: result(last), to: other.result(last), old, new)
  }

  /// Whether the first stage's tree is the table's own.
  private var beginsWithTable: Bool {
    stages[0].filter == .constant(true) && stages[0].order.keys.isEmpty && linked.isEmpty
      && stages[0].source == nil && !isGiven
  }

  /// The window that a stage hands to the next.
  private func inner(_ index: Int) -> ResultWindow { window(index, stages[index]) }

  private func window(_ index: Int, _ stage: QueryStage) -> ResultWindow {
    let tree = trees[index]
    return ResultWindow(
      table: table, tree: tree, ranks: stage.window(of: tree.count), order: stage.order, places: places)
  }

  /// The result under the window of an observer's own last stage.
  func result(_ last: QueryStage) -> ResultWindow { window(stages.count - 1, isGiven ? stages[0] : last) }

  /// Whether both hold the same trees.
  func isIdentical(to other: MaintainedTrees) -> Bool {
    isGiven == other.isGiven && base?.root === other.base?.root
      && zip(trees, other.trees).allSatisfy { $0.isIdentical(to: $1) }
  }

  /// Follows changed rows of the table, and rows of which linked values may have changed: all that can matter
  /// to the first stage.
  ///
  /// - Returns: whether the result was evaluated anew because most of it changed, or contradicted itself.
  /// - Complexity: O(*k* log *m*) for *k* rows.
  mutating func apply(_ rows: [RowChange], from old: StoreState, to new: StoreState) -> Bool {
    if isTable {
      trees[0] = new.tables[table].rows
      return false
    }
    guard mayThrow else { return bring(rows, from: old, to: new) }
    guard failures == nil else { return false }
    let (isEvaluated, thrown) = FilterFailures.collect { bring(rows, from: old, to: new) }
    if let thrown { failures = thrown }
    return isEvaluated
  }

  private mutating func bring(_ rows: [RowChange], from old: StoreState, to new: StoreState) -> Bool {
    let before = isGiven ? self : nil
    if !isDoubtful {
      if follow(rows, from: old, to: new) { return true }
      if !isDoubtful { return false }
    }
    self = before?.evaluated(giving: rows, at: new) ?? MaintainedTrees(stages, table, grouping, at: new)
    return true
  }

  private mutating func follow(_ rows: [RowChange], from old: StoreState, to new: StoreState) -> Bool {
    if base == nil, !isGiven, rows.count > 1_024, rows.count > new.tables[table].count / 2 {
      self = MaintainedTrees(stages, table, grouping, at: new)
      return true
    }
    var rows = rows
    let oldPlaces = places
    if let base, let source = stages[0].source {
      let next = self.base(base, of: source, rows, from: old, to: new)
      self.base = next
      rows = windowChanges(from: baseWindow(base), to: baseWindow(next), old, new)
      if rows.isEmpty { return false }
      places?.follow(rows)
    }
    for index in stages.indices {
      var before = index + 1 < stages.count || groups != nil ? inner(index) : nil
      before?.places = oldPlaces
      if index == 0 && beginsWithTable {
        trees[0] = new.tables[table].rows
      } else {
        update(index, rows, old.context, new.context, oldPlaces)
      }
      guard let before, !isDoubtful else { break }
      rows = windowChanges(from: before, to: inner(index), old, new)
      if rows.isEmpty { break }
      if index + 1 == stages.count {
        let source = GroupSource(trees, table, old, new)
        if groups?.apply(rows, source) == false { isDoubtful = true }
      } else if !stages[index + 1].distinct.isEmpty {
        let step = DistinctStep(stages[index + 1].distinct, table, old, new, (oldPlaces, places))
        let changed = rows
        rows = step.changes(rows, from: before.tree, to: trees[index])
        if hasOthers(index + 1, changed, than: rows, old.context, oldPlaces) { isDoubtful = true }
        if rows.isEmpty || isDoubtful { break }
      }
    }
    return false
  }

  /// What enters, leaves and changes in the window between two stages, or in a result.
  private func windowChanges(
    from before: ResultWindow, to after: ResultWindow, _ old: StoreState, _ new: StoreState
  ) -> [RowChange] {
    let (oldTable, newTable) = (old.tables[table], new.tables[table])
    let order = after.order
    let difference = Tree.difference(
      from: before.tree, in: before.ranks, to: after.tree, in: after.ranks
    ) {
      let result =
        order.keys.isEmpty
        ? 0
        : order.compare(
          oldTable.existing(before.row($0.second)), old.context, newTable.existing(after.row($1.second)),
          new.context)
      return result != 0
        ? result : ListPlaces.compare($0.second, before.places, $1.second, after.places)
    }
    var added = Dictionary(
      difference.added.map { (after.identity($0.key), $0) }, uniquingKeysWith: { first, _ in first })
    func change(
      _ identity: UInt64, _ old: TreeDifference.Entry?, _ new: TreeDifference.Entry?
    ) -> RowChange {
      let row = after.tree.layout.order == .first ? identity : after.row(identity)
      return RowChange(
        row: identity, old: old == nil ? nil : oldTable.object(row),
        new: new == nil ? nil : newTable.object(row), stamp: new?.stamp ?? 0,
        places: (old?.key.first ?? 0, new?.key.first ?? 0))
    }
    let removed = difference.removed.map { entry in
      let identity = before.identity(entry.key)
      return change(identity, entry, added.removeValue(forKey: identity))
    }
    return removed + added.map { change($0.key, nil, $0.value) }
  }

  /// Whether the first rows of values that may contradict themselves are others than those that were found so.
  private func hasOthers(
    _ index: Int, _ rows: [RowChange], than found: [RowChange], _ old: ReadContext, _ places: ListPlaces?
  ) -> Bool {
    if stages[index].distinct.allSatisfy(\.isConsistent) { return false }
    let known = Set(found.lazy.filter { $0.old != nil }.map(\.row))
    return rows.contains { row in
      guard let before = row.old, !known.contains(row.row) else { return false }
      let (key, tie) = place(of: row, before, index, old, places)
      return trees[index].rank(of: key, tie: tie) != nil
    }
  }

  /// Where the entry of a row stands in a stage's tree: its key, and how it compares with entries of its first word.
  private func place(
    of row: RowChange, _ object: UnsafeRawPointer, _ index: Int, _ context: ReadContext, _ places: ListPlaces?
  ) -> (key: TreeKey, tie: (UInt64) -> Int) {
    let (order, layout, table) = (stages[index].order, trees[index].layout, context.tables[table])
    if order.keys.isEmpty {
      // Entries of a list stand where they stand in it.
      let isListed = base != nil && stages[0].source?.isOrdered == true
      return (isListed ? TreeKey(row.places.old, row.row) : TreeKey(row.row, 0), { _ in 0 })
    }
    let isExact = order.isExact
    return (
      TreeKey(order.abbreviate(object, context), row.row),
      {
        let result = isExact ? 0 : order.compare(object, context, table.existing(layout.row($0)), context)
        return result != 0 ? result : ListPlaces.compare(row.row, places, $0, places)
      }
    )
  }

  private mutating func update(
    _ index: Int, _ rows: [RowChange], _ old: ReadContext, _ new: ReadContext, _ oldPlaces: ListPlaces?
  ) {
    let newPlaces = places
    let stage = stages[index]
    let newTable = new.tables[table]
    let isSorted = !stage.order.keys.isEmpty
    let isExact = stage.order.isExact
    let (isFilterLawful, isOrderLawful) = (stage.filter.isConsistent, stage.order.isConsistent)
    // Entries of a list stand where they stand in it, where there is no order of their own.
    let isListed = base != nil && stages[0].source?.isOrdered == true && !isSorted
    let layout = trees[index].layout
    var arriving: [RowChange] = []
    for row in rows {
      let wasIn = row.old.map { stage.filter.matches($0, old) } ?? false
      let isIn = row.new.map { stage.filter.matches($0, new) } ?? false
      if index == 0, isIn, isRoutable, let after = row.new {
        isRoutable = routes.allSatisfy { $0.leads(from: after, new) }
      }
      if wasIn || !isFilterLawful, let before = row.old {
        let (key, tie) = place(of: row, before, index, old, oldPlaces)
        let rank = isFilterLawful && isOrderLawful ? nil : trees[index].rank(of: key, tie: tie)
        if !isFilterLawful, (rank != nil) != wasIn { isDoubtful = true }
        if !wasIn {
          if isIn { arriving.append(row) }
          continue
        }
        let isInPlace =
          isSorted
          ? row.new == nil || ListPlaces.compare(row.row, oldPlaces, row.row, newPlaces) == 0
          : !isListed || row.places.old == row.places.new
        if isIn, isInPlace, let after = row.new,
          !isSorted || stage.order.compare(before, old, after, new) == 0
        {
          if !isSame(row, old, new), !restamp(index, key, stamp(row, new), tie) { isDoubtful = true }
          continue
        }
        let isRemoved = trees[index].remove(key, tie: tie)
        if !isRemoved || !isOrderLawful && !isInOrder(index, at: rank, old) { isDoubtful = true }
      }
      if isIn { arriving.append(row) }
    }
    if isDoubtful { return }
    for row in arriving {
      guard let after = row.new else { continue }
      // An entry that merely stands elsewhere is told to the stage after, too.
      let isMoved = row.old != nil && ListPlaces.compare(row.row, oldPlaces, row.row, newPlaces) != 0
      let stamp = isMoved ? new.linkedStamp : stamp(row, new)
      let key =
        isSorted
        ? TreeKey(stage.order.abbreviate(after, new), row.row)
        : isListed ? TreeKey(row.places.new, row.row) : TreeKey(row.row, stamp)
      let isInserted = trees[index].insert(
        key, stamp: stamp,
        tie: {
          let result = isExact ? 0 : stage.order.compare(after, new, newTable.existing(layout.row($0)), new)
          return result != 0 ? result : ListPlaces.compare(row.row, newPlaces, $0, newPlaces)
        })
      if !isInserted { isDoubtful = true }
    }
  }

  /// The stamp of a row that has changed.
  func stamp(_ row: RowChange, _ context: ReadContext) -> UInt64 {
    linkedStamp(context) ?? row.stamp
  }

  /// The stamp of rows read in a state; nil for that of each row itself.
  func linkedStamp(_ context: ReadContext) -> UInt64? { linked.isEmpty ? nil : context.linkedStamp }

  /// Whether a row that is as it was has the same linked values, too.
  func isSame(_ row: RowChange, _ old: ReadContext, _ new: ReadContext) -> Bool {
    guard row.isLinked, let before = row.old, let after = row.new else { return false }
    return linked.allSatisfy { $0.isSame?(before, old, after, new) ?? false }
  }

  /// The row stays in its place with another value; false if it is not there.
  private mutating func restamp(
    _ index: Int, _ key: TreeKey, _ stamp: UInt64, _ tie: (UInt64) -> Int
  ) -> Bool {
    trees[index].setStamp(stamp, at: key, tie: tie)
  }
}
