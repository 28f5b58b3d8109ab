import LiveStoreSQLite

extension FileVersion {
  /// The entity of a name, or the only one.
  ///
  /// - Throws: a sentence with the entities that there are.
  func entity(_ name: String?) throws -> String {
    let list = entities.isEmpty ? "The file has none." : "The file has \(entities.joined(separator: ", "))."
    if let name {
      if entities.contains(name) { return name }
      let hint = NearestWord.hint(name, among: entities)
      throw ToolFailure.usage("There is no entity \(name)\(hint). \(list)")
    }
    guard entities.count == 1, let only = entities.first else {
      throw ToolFailure.usage("Name an entity after the file. \(list)")
    }
    return only
  }
}
