/// Collects the rows of a query's result and builds their tree.
struct RowCollector {
  private let order: RowOrder
  private let mask: RowMask
  private let table: TableState
  private let context: ReadContext
  private let stride: Int
  /// The stamp of all entries; nil for the stamps of their rows.
  private let stamp: UInt64?
  /// Whether rows are entries of a list.
  private let isList: Bool
  /// The positions of the entries in their list.
  private let positions: ListPositions?
  /// Keys in insertion order, if there is no sort.
  private var keys: ContiguousArray<TreeKey> = []
  /// Rows to sort.
  private var found: ContiguousArray<Found> = []

  private struct Found {
    var key: TreeKey
    /// Orders ties: the row number, or the position in a list.
    var position: UInt64
    var stamp: UInt64
    var object: UnsafeRawPointer
  }

  init(
    _ order: RowOrder, _ filter: ConditionTree, _ table: Int, _ context: ReadContext, stamp: UInt64?,
    isList: Bool = false, positions: ListPositions? = nil
  ) {
    self.positions = positions
    self.stamp = stamp
    self.isList = isList
    self.order = order
    mask = filter.rowMask
    self.table = context.tables[table]
    self.context = context
    stride = self.table.rows.layout.stride
  }

  var count: Int { keys.count + found.count }

  /// Adds the row if the filter accepts it.
  mutating func offer(_ row: UInt64) {
    guard let entry = table.rows.floor(row), entry.key.first == row else { return }
    if mask(entry.payload, stride, 1, context) != 0 { add(entry.key, entry.payload) }
  }

  /// Adds an entry of a list if the filter accepts its row.
  mutating func offer(listed key: TreeKey) {
    let row = TreeLayout.listed.row(key.second)
    guard let entry = table.rows.floor(row), entry.key.first == row,
      mask(entry.payload, stride, 1, context) != 0
    else { return }
    let position = positions?.label(of: key.second) ?? key.first
    let first = order.keys.isEmpty ? position : order.abbreviate(entry.payload, context)
    found.append(
      Found(
        key: TreeKey(first, key.second), position: position, stamp: stamp ?? entry.key.second,
        object: entry.payload))
  }

  /// Adds the rows of a leaf that the filter accepts.
  mutating func offer(_ keys: UnsafePointer<TreeKey>, _ objects: UnsafeRawPointer, _ count: Int) {
    var bits = mask(objects, stride, count, context)
    if order.keys.isEmpty && stamp == nil {
      while bits != 0 {
        self.keys.append(keys[bits.trailingZeroBitCount])
        bits &= bits - 1
      }
      return
    }
    while bits != 0 {
      let index = bits.trailingZeroBitCount
      bits &= bits - 1
      add(keys[index], objects + index * stride)
    }
  }

  /// - Parameter key: the row's key in its table.
  private mutating func add(_ key: TreeKey, _ object: UnsafeRawPointer) {
    if order.keys.isEmpty {
      keys.append(TreeKey(key.first, stamp ?? key.second))
    } else {
      let sorted = TreeKey(order.abbreviate(object, context), key.first)
      found.append(Found(key: sorted, position: key.first, stamp: stamp ?? key.second, object: object))
    }
  }

  /// - Parameter isInOrder: whether the rows were added in the result's order.
  consuming func finish(isInOrder: Bool = false) -> Tree {
    var builder = TreeBuilder(.result(order, isList: isList))
    if order.keys.isEmpty && !isList {
      if !isInOrder { keys.sort { $0.first < $1.first } }
      keys.withUnsafeBufferPointer { builder.append(keys: $0, stamps: nil) }
    } else {
      if !isInOrder { sort() }
      let keys = ContiguousArray(found.map(\.key))
      let stamps = ContiguousArray(found.map(\.stamp))
      keys.withUnsafeBufferPointer { keys in
        stamps.withUnsafeBufferPointer { builder.append(keys: keys, stamps: $0.baseAddress) }
      }
    }
    return builder.finish()
  }

  private mutating func sort() {
    let (order, context) = (order, context)
    if order.isExact {
      found.sort { ($0.key.first, $0.position) < ($1.key.first, $1.position) }
      return
    }
    found.sort { lhs, rhs in
      if lhs.key.first != rhs.key.first { return lhs.key.first < rhs.key.first }
      let result = order.compare(lhs.object, context, rhs.object, context)
      return result == 0 ? lhs.position < rhs.position : result < 0
    }
  }
}
