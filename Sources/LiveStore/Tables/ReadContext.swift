import Synchronization

/// What an expression may read besides its own row: all tables at one version.
@usableFromInline
package struct ReadContext: Sendable {
  @usableFromInline package let catalog: Catalog
  @usableFromInline package let tables: [TableState]

  /// The version of the tables; for tables outside any version, a number that no other context has.
  package let version: UInt64

  package init(catalog: Catalog, tables: [TableState], version: UInt64) {
    self.catalog = catalog
    self.tables = tables
    self.version = version
  }

  /// For expressions that read only their own row.
  static let none = ReadContext(catalog: .empty, tables: [], version: 0)
}

/// How many contexts of tables outside any version there have been.
private let unnumbered = Atomic<UInt64>(0)

extension ReadContext {
  /// Tables outside any version: inside a transaction, or with some commits left out. What is read in them gets
  /// stamps of its own (V1).
  static func unnumbered(_ catalog: Catalog, _ tables: [TableState]) -> ReadContext {
    let number = LiveStore.unnumbered.add(1, ordering: .relaxed).newValue
    return ReadContext(catalog: catalog, tables: tables, version: number | unnumberedBit)
  }

  private static let unnumberedBit: UInt64 = 1 << 62

  /// Whether these are the tables of a version, in which every link leads to an existing object.
  var isCommitted: Bool { version & ReadContext.unnumberedBit == 0 }
}
