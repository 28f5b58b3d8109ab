/// The names that tables of entities may have, and columns of properties.
enum TableNames {
  static func isAllowed(_ name: String) -> Bool {
    let name = name.lowercased()
    return !name.isEmpty && !name.hasPrefix("sqlite_") && !name.hasPrefix("livestore_")
      && !name.utf8.contains(0)
  }

  static func isAllowed(column name: String) -> Bool {
    !["_place", "_check"].contains(name.lowercased()) && !isRetired(column: name)
  }

  /// Whether a column holds what a property had that is gone.
  static func isRetired(column name: String) -> Bool { name.lowercased().hasPrefix(retiredPrefix) }

  private static let retiredPrefix = "_unused_"

  /// The name of the column of a property that is gone, which no other column has.
  static func retired(column name: String, _ columns: ColumnNames) -> String {
    let taken = Set(columns.names.map { $0.lowercased() })
    var (retired, count) = (retiredPrefix + name, 1)
    while taken.contains(retired.lowercased()) {
      count += 1
      retired = "\(retiredPrefix)\(name)_\(count)"
    }
    return retired
  }
}
