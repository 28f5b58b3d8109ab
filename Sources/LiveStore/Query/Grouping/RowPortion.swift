/// Up to 64 rows in a certain order; a row of a list may be there several times.
struct RowPortion {
  /// The addresses of the objects.
  let objects: IndirectValues
  /// The numbers of the rows.
  let rows: UnsafePointer<UInt64>

  static let capacity = 64
}

/// Collects rows and calls a closure with portions of them.
package struct RowPortions {
  private let objects: UnsafeMutablePointer<UnsafeRawPointer>
  private let rows: UnsafeMutablePointer<UInt64>
  private var count = 0
  private let body: (RowPortion) -> Void

  /// Calls `add` with portions to which it adds rows, and `body` with each full portion and the last.
  ///
  /// The objects stay where they are until `add` returns.
  static func collect(_ add: (inout RowPortions) -> Void, _ body: (RowPortion) -> Void) {
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: RowPortion.capacity) { objects in
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: RowPortion.capacity) { rows in
        guard let object = objects.baseAddress, let row = rows.baseAddress else { return }
        withoutActuallyEscaping(body) { body in
          var portions = RowPortions(objects: object, rows: row, body: body)
          add(&portions)
          portions.flush()
        }
      }
    }
  }

  private init(
    objects: UnsafeMutablePointer<UnsafeRawPointer>, rows: UnsafeMutablePointer<UInt64>,
    body: @escaping (RowPortion) -> Void
  ) {
    self.objects = objects
    self.rows = rows
    self.body = body
  }

  @inline(__always)
  mutating func append(_ row: UInt64, _ object: UnsafeRawPointer) {
    (rows + count).initialize(to: row)
    (objects + count).initialize(to: object)
    count &+= 1
    if count == RowPortion.capacity { flush() }
  }

  /// Adds the selected rows of a block.
  @inline(__always)
  mutating func append(_ block: RowBlock) {
    for index in SelectedBits(block.objects.selected) {
      append(block.keys[index].first, block.objects.first + index &* block.objects.stride)
    }
  }

  private mutating func flush() {
    if count == 0 { return }
    body(RowPortion(objects: IndirectValues(wholes: objects, count: count, offset: 0), rows: rows))
    count = 0
  }
}

extension ResultWindow {
  /// Adds the rows of the window in its order.
  ///
  /// - Parameter table: the state of their table.
  /// - Complexity: O(*m*) in the table's own order, else O(*m* log *n*).
  func append(to portions: inout RowPortions, _ table: TableState) {
    if tree.layout.holdsObjects {
      let stride = tree.layout.stride
      return tree.forEachLeaf(in: ranks) { keys, objects, count in
        for index in 0..<count { portions.append(keys[index].first, objects + index &* stride) }
        return true
      }
    }
    tree.forEachLeaf(in: ranks) { keys, _, count in
      for index in 0..<count {
        let row = rowNumber(keys[index])
        portions.append(row, table.existing(row))
      }
      return true
    }
  }
}
