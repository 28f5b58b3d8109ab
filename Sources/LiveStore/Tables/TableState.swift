/// One entity's rows and indexes at one version: a value made of trees.
///
/// ```
/// rows     (row number, stamp) → object      insertion order
/// ids      hash of id → row number           one row for each hash
/// collided (hash of id, row number)          further rows of a hash; ties by `<` of the ids, else by row number
/// indexes  (value in 64 bits, row number)    ties by value, then by row number
/// inverted (hash of a target's id or of an element, or key of a word, row number)
///                                            equal hashes share entries, so readers compare the objects
/// ```
/// A row number is given once, at insertion, and never again (U1). The stamp is the version that last changed the row.
/// Objects are stored once, in `rows`; everything else refers to them by row number.
@usableFromInline
package struct TableState: Sendable {
  package internal(set) var rows: Tree
  package internal(set) var ids = HashIndex()
  package internal(set) var collided = Tree(.rowKeys)
  package internal(set) var indexes: [Tree]
  package internal(set) var inverted: [Tree]
  /// The number of the next row inserted; from 1.
  package internal(set) var nextRow: UInt64 = 1
  /// The rows from this number on are pending: rows and ids have them, and no index lists them yet (P1). Only a
  /// transaction has such rows.
  var firstPending: UInt64 = .max
  /// Insertions whose id had the hash of another id. They make lookups slower.
  package internal(set) var collisions = 0

  package init(_ info: EntityInfo) {
    rows = Tree(info.layout)
    indexes = info.indexes.map { _ in Tree(.rowKeys) }
    inverted = info.inverted.map { _ in Tree(.rowKeys) }
  }

  package var count: Int { rows.count }

  /// The object in a row; nil when there is none. Valid while this value or a copy of it lives.
  @usableFromInline
  package func object(_ row: UInt64) -> UnsafeRawPointer? { rows.payload(first: row) }

  /// The object in a row that an index or a result lists.
  package func existing(_ row: UInt64) -> UnsafeRawPointer { rows.listedObject(row) }
}

extension Tree {
  /// The object in a row that is listed, and therefore in this table.
  func listedObject(_ row: UInt64) -> UnsafeRawPointer {
    guard let object = payload(first: row) else {
      preconditionFailure(
        "an index lists row \(row), which is not in the table: a value has an inconsistent < or hash")
    }
    return object
  }
}

extension TreeLayout {
  /// Shared by all property indexes.
  static let rowKeys = TreeLayout.keys(order: .both)
}
