/// The names that tables of entities may have, and columns of properties.
enum TableNames {
  static func isAllowed(_ name: String) -> Bool {
    let name = name.lowercased()
    return !name.isEmpty && !name.hasPrefix("sqlite_") && !name.hasPrefix("livestore_")
      && !name.utf8.contains(0)
  }

  static func isAllowed(column name: String) -> Bool {
    !["_place", "_check"].contains(name.lowercased()) && !name.utf8.contains(0)
  }
}
