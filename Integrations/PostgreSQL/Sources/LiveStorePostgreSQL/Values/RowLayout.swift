/// The columns of a table: their names, types and part in the replica identity. All rows of the table share it.
package final class RowLayout: Sendable {
  /// The table's name with its schema.
  package let table: String
  package let names: [String]
  package let types: [PostgresType]
  package let isKey: [Bool]
  /// The names of the columns that are generated, which the rows do not have.
  private let generated: [String]
  /// The kinds of the types, which are read for each value.
  let kinds: [PostgresType.Kind]
  private let indices: [String: Int]

  package init(
    table: String, names: [String], types: [PostgresType], isKey: [Bool]? = nil, generated: [String] = []
  ) {
    precondition(names.count == types.count, "Each column has a name and a type.")
    precondition(isKey == nil || isKey?.count == names.count, "Each column is part of the key or not.")
    (self.table, self.names, self.types, self.generated) = (table, names, types, generated)
    self.isKey = isKey ?? Array(repeating: false, count: names.count)
    kinds = types.map(\.kind)
    indices = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
  }

  package convenience init(
    _ relation: RelationMessage, _ catalog: TypeCatalog, generated: [String] = []
  ) {
    self.init(
      table: "\(relation.namespace).\(relation.name)", names: relation.columns.map(\.name),
      types: relation.columns.map { catalog.type($0.typeID) }, isKey: relation.columns.map(\.isKey),
      generated: generated)
  }

  /// The column of a name: of several that are equal to Swift, as "é" is "e\u{301}", the one of the same bytes.
  package func index(of name: String) -> Int? { indices[name].map { names.index(of: name, at: $0) } }

  /// That a column is missing, as the beginning of a message.
  func absence(of column: String) -> String {
    generated.contains { $0.isSame(as: column) }
      ? "Table \(table) does not send its generated column \(column)"
      : "Table \(table) has no column \(column)"
  }

  /// Whether all columns can be read in binary form.
  package var isBinarySafe: Bool { types.allSatisfy(\.isBinarySafe) }

  /// A row of the table has its columns.
  func check(_ row: TupleData) throws {
    if row.count != names.count {
      throw PostgresError.violation(
        "A row of table \(table) has \(row.count) columns where the table has \(names.count).", table: table)
    }
  }
}

extension [String] {
  /// The index of the element with the bytes of a name; if there is none, that of the element that is equal.
  func index(of name: String, at equal: Int) -> Int {
    if self[equal].utf8.elementsEqual(name.utf8) { return equal }
    return self[equal...].firstIndex { $0.utf8.elementsEqual(name.utf8) } ?? equal
  }
}
