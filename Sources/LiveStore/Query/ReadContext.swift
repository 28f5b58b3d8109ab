/// What an expression may read besides its own row: all tables at one version.
@usableFromInline
package struct ReadContext: Sendable {
  @usableFromInline package let catalog: Catalog
  @usableFromInline package let tables: [TableState]

  /// The version they are those of.
  package let version: UInt64

  package init(catalog: Catalog, tables: [TableState], version: UInt64) {
    self.catalog = catalog
    self.tables = tables
    self.version = version
  }

  /// For expressions that read nothing but their own row.
  static let none = ReadContext(catalog: .empty, tables: [], version: 0)
}
