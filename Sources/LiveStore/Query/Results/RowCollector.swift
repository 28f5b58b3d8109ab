/// Collects the rows of a query's result and builds their tree.
struct RowCollector: ~Copyable {
  private let order: RowOrder
  private let mask: RowMask
  private let table: TableState
  private let context: ReadContext
  private let stride: Int
  /// The stamp of all entries; nil for the stamps of their rows.
  private let stamp: UInt64?
  private let isList: Bool
  /// The positions of the entries in their list.
  private let positions: ListPositions?
  /// Whether rows are offered in the order of the result.
  private let isInOrder: Bool
  /// How many rows are enough.
  private let limit: Int
  private var count = 0
  /// Rows that are to be tested together, so that their memory is read side by side.
  private var found: ContiguousArray<UInt64> = []
  /// Keys of rows that are to be in insertion order.
  private var keys: ContiguousArray<TreeKey> = []
  /// The tree of these keys, if rows are offered in order.
  private var builder = TreeBuilder(.insertionOrder)
  /// Rows that have a sort, or entries of a list.
  private var entries = SortedEntries()

  init(
    _ order: RowOrder, _ filter: ConditionTree, _ table: Int, _ context: ReadContext, stamp: UInt64?,
    isInOrder: Bool = false, isList: Bool = false, positions: ListPositions? = nil, limit: Int = .max
  ) {
    self.limit = limit
    self.positions = positions
    self.stamp = stamp
    self.isInOrder = isInOrder
    self.isList = isList
    self.order = order
    mask = filter.rowMask
    self.table = context.tables[table]
    self.context = context
    stride = self.table.rows.layout.stride
  }

  var isFull: Bool { count >= limit }

  /// Adds the row if the filter accepts it. Tests it later, and no more rows than may be needed.
  mutating func offer(_ row: UInt64) {
    found.append(row)
    if found.count == 64 || count + found.count >= limit { offerFound() }
  }

  private mutating func offerFound() {
    withUnsafeTemporaryAllocation(of: TreeEntry.self, capacity: 64) { entries in
      var places = 0
      for row in found {
        guard let entry = table.rows.floor(row), entry.key.first == row else { continue }
        entry.prefetch(stride)
        // At most 64 rows are found.
        entries[places] = entry
        places += 1
      }
      found.removeAll(keepingCapacity: true)
      for entry in entries[..<places] {
        entry.withRun { offer($0, $1, 1) }
      }
    }
  }

  /// Adds an entry of a list if the filter accepts its row.
  mutating func offer(listed key: TreeKey) {
    let row = TreeLayout.listed.row(key.second)
    guard let entry = table.rows.floor(row), entry.key.first == row,
      mask(entry.payload, stride, 1, context) != 0
    else { return }
    let position = positions?.label(of: key.second) ?? key.first
    count += 1
    entries.append(
      order.keys.isEmpty ? position : order.abbreviate(entry.payload, context), key.second,
      stamp: stamp ?? entry.key.second, position: position)
  }

  /// Adds the rows of a leaf that the filter accepts.
  mutating func offer(_ keys: LeafKeys, _ objects: UnsafeRawPointer, _ count: Int) {
    let selected = mask(objects, stride, count, context)
    if selected == 0 { return }
    self.count += selected.nonzeroBitCount
    if order.keys.isEmpty {
      add(keys, selected)
    } else {
      add(RowBlock(keys, objects, stride: stride, selected: selected))
    }
  }

  private mutating func add(_ keys: LeafKeys, _ selected: UInt64) {
    if isInOrder { return builder.append(keys, selected: selected, stamp: stamp) }
    for index in SelectedBits(selected) {
      self.keys.append(TreeKey(keys[index].first, stamp ?? keys[index].second))
    }
  }

  private mutating func add(_ block: RowBlock) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 64) { buffer in
      // The buffer has 64 words.
      guard var word = buffer.baseAddress else { return }
      order.abbreviate(block, context, into: word)
      for index in SelectedBits(block.objects.selected) {
        let key = block.keys[index]
        entries.append(word.pointee, key.first, stamp: stamp ?? key.second)
        word += 1
      }
    }
  }

  consuming func finish() -> Tree {
    offerFound()
    if order.keys.isEmpty && !isList {
      if isInOrder { return builder.finish() }
      keys.sort { $0.first < $1.first }
      keys.withUnsafeBufferPointer { builder.append(keys: $0) }
      return builder.finish()
    }
    if !isInOrder { sort() }
    return entries.tree(.result(order, isList: isList))
  }

  private mutating func sort() {
    if order.isExact { return entries.sort(nil) }
    let (order, context, table, isList) = (order, context, table, isList)
    let object: (UInt64) -> UnsafeRawPointer = {
      table.existing(isList ? TreeLayout.listed.row($0) : $0)
    }
    guard let run = context.run, run.isLimited else {
      return entries.sort(Ties(object: object) { order.compare($0, context, $1, context) })
    }
    var comparisons = 0
    entries.sort(
      Ties(object: object) {
        comparisons &+= 1
        if comparisons % FilterRun.comparedTies == 0 { run.visit() }
        return run.goesOn() ? order.compare($0, context, $1, context) : 0
      })
  }
}
