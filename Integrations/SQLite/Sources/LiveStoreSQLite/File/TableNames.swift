/// The names that tables of entities may have, and columns of properties.
enum TableNames {
  /// How many marks a letter of a name may have: no more than in Unicode's Stream-Safe Text Format (UAX #15). Names are hashed
  /// and compared for each row.
  static let maximumMarks = 30

  /// Whether a name can be hashed and compared in a short time.
  static func isReadable(_ name: String) -> Bool {
    name.utf8.count <= 1 << 20 && !name.hasMarks(beyond: maximumMarks)
  }

  static func isAllowed(_ name: String) -> Bool {
    guard isReadable(name) else { return false }
    let name = name.foldedAsName
    return !name.isEmpty && !name.utf8.starts(with: "sqlite_".utf8)
      && !name.utf8.starts(with: "livestore_".utf8)
      && !name.utf8.contains(0)
  }

  static func isAllowed(column name: String) -> Bool {
    isReadable(name) && !["_place", "_check"].contains(name.foldedAsName) && !name.utf8.contains(0)
  }
}

extension String {
  /// The name in one form for all that are the same to SQLite: there, case makes no difference from A to Z alone.
  var foldedAsName: String {
    String(decoding: utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
