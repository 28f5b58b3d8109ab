extension ReadContext {
  /// The rows of a query in these tables, evaluated now.
  package func evaluate<Element: Entity>(_ query: Query<Element>) -> ResultWindow {
    guard let table = catalog.index(of: Element.self) else {
      // A store without this entity has none of its objects.
      return ResultWindow(table: 0, tree: Tree(.insertionOrder), ranks: 0..<0, order: RowOrder(keys: []))
    }
    return evaluate(query.stages, table)
  }

  package func evaluate(_ stages: [QueryStage], _ table: Int) -> ResultWindow {
    var window = evaluate(stages[0], table)
    for stage in stages.dropFirst() {
      let tree = evaluate(stage, over: window)
      window = ResultWindow(
        table: table, tree: tree, ranks: stage.window(of: tree.count), order: stage.order)
    }
    return window
  }

  private func evaluate(_ stage: QueryStage, _ table: Int) -> ResultWindow {
    let plan = QueryPlan(stage, table, self)
    let tree = plan.run(stage, table, self)
    return ResultWindow(table: table, tree: tree, ranks: stage.window(of: tree.count), order: stage.order)
  }

  /// A stage over the window of the one before it.
  package func evaluate(_ stage: QueryStage, over window: ResultWindow) -> Tree {
    var collector = RowCollector(stage.order, window.table, self)
    var cursor = TreeCursor(window.tree, at: window.ranks.lowerBound)
    for _ in window.ranks {
      guard let entry = cursor.next() else { break }
      collector.offer(window.rowNumber(entry.key), stage.filter)
    }
    return collector.finish()
  }
}

extension TreeLayout {
  /// Results in insertion order: (row number, stamp).
  static let insertionOrder = TreeLayout.keys(order: .first)
  /// Results in another order: (sort key, row number) with a stamp.
  static let sorted = TreeLayout.stamped()
}

/// Collects the rows that a query found and makes their tree.
struct RowCollector {
  private let order: RowOrder
  private let table: TableState
  private let context: ReadContext
  private var found: [Found] = []

  private struct Found {
    var key: TreeKey
    var stamp: UInt64
    var object: UnsafeRawPointer
  }

  init(_ order: RowOrder, _ table: Int, _ context: ReadContext) {
    self.order = order
    self.table = context.tables[table]
    self.context = context
  }

  var count: Int { found.count }

  /// Takes the row if it passes.
  mutating func offer(_ row: UInt64, _ filter: Filter) {
    guard let entry = table.rows.floor(row), entry.key.first == row else { return }
    if filter.matches(entry.payload, context) { add(entry.key, entry.payload) }
  }

  /// Takes the rows of a leaf that pass.
  mutating func offer(_ keys: UnsafePointer<TreeKey>, _ objects: UnsafeRawPointer, _ count: Int, _ filter: Filter) {
    let stride = table.rows.layout.stride
    var bits = filter.mask(objects, stride, count, context)
    while bits != 0 {
      let index = bits.trailingZeroBitCount
      bits &= bits - 1
      add(keys[index], objects + index * stride)
    }
  }

  /// - Parameter key: the row's key in its table.
  private mutating func add(_ key: TreeKey, _ object: UnsafeRawPointer) {
    let sorted = order.keys.isEmpty ? key : TreeKey(order.abbreviate(object, context), key.first)
    found.append(Found(key: sorted, stamp: key.second, object: object))
  }

  /// - Parameter isInOrder: whether the rows came in the result's order.
  consuming func finish(isInOrder: Bool = false) -> Tree {
    let layout: TreeLayout = order.keys.isEmpty ? .insertionOrder : .sorted
    if !isInOrder { sort() }
    var builder = TreeBuilder(layout)
    for row in found {
      builder.append(row.key) { payload in
        if layout.isStamped { payload.initializeMemory(as: UInt64.self, repeating: row.stamp, count: 1) }
      }
    }
    return builder.finish()
  }

  private mutating func sort() {
    let (order, context) = (order, context)
    let isExact = order.isExact
    found.sort { lhs, rhs in
      if lhs.key.first != rhs.key.first { return lhs.key.first < rhs.key.first }
      if !isExact {
        let result = order.compare(lhs.object, context, rhs.object, context)
        if result != 0 { return result < 0 }
      }
      return lhs.key.second < rhs.key.second
    }
  }
}
