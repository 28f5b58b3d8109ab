/// The names that tables of entities may have.
enum TableNames {
  static func isAllowed(_ name: String) -> Bool {
    let name = name.lowercased()
    return !name.isEmpty && !name.hasPrefix("sqlite_") && !name.hasPrefix("livestore_")
      && !name.utf8.contains(0)
  }
}
