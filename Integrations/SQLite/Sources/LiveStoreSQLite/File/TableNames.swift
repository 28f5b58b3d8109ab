/// The names that tables of entities may have, and columns of properties.
enum TableNames {
  static func isAllowed(_ name: String) -> Bool {
    let name = name.lowercased()
    return !name.isEmpty && !name.utf8.starts(with: "sqlite_".utf8)
      && !name.utf8.starts(with: "livestore_".utf8)
      && !name.utf8.contains(0)
  }

  static func isAllowed(column name: String) -> Bool {
    !["_place", "_check"].contains(name.lowercased()) && !name.utf8.contains(0)
  }
}
