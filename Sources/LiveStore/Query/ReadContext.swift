/// What an expression may read besides its own row: all tables at one version.
@usableFromInline
package struct ReadContext: Sendable {
  @usableFromInline package let catalog: Catalog
  @usableFromInline package let tables: [TableState]

  package init(catalog: Catalog, tables: [TableState]) {
    self.catalog = catalog
    self.tables = tables
  }

  /// For expressions that read nothing but their own row.
  static let none = ReadContext(catalog: .empty, tables: [])
}
