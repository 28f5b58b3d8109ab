/// The indexes of a schema: of single properties, and of several together.
///
/// - Throws: `invalidSchema`.
func indexInfos(
  _ properties: [PropertyInfo], _ compounds: [CompoundIndex], ignored: [PropertyPath], entity: String
) throws(StoreError) -> [IndexInfo] {
  var indexes: [IndexInfo] = []
  for property in properties where !property.options.isDisjoint(with: [.indexed, .unique]) {
    indexes.append(
      try IndexInfo([property], isUnique: property.options.contains(.unique), entity: entity))
  }
  for compound in compounds {
    let members = try members(compound, properties, ignored: ignored, entity: entity)
    let index = try IndexInfo(members, isUnique: compound.option == .unique, entity: entity)
    if indexes.contains(where: { $0.properties.map(\.path) == compound.paths }) {
      throw invalid(
        "lists the index of \(index.name) twice. List it once; .unique includes .indexed.", entity, index)
    }
    indexes.append(index)
  }
  return indexes

  func invalid(_ message: String, _ entity: String, _ index: IndexInfo) -> StoreError {
    StoreError(
      StoreError.invalidSchema, "The schema of \(entity) \(message)", entity: entity, property: index.name)
  }
}

/// The listed properties of an index over several.
private func members(
  _ compound: CompoundIndex, _ properties: [PropertyInfo], ignored: [PropertyPath], entity: String
) throws(StoreError) -> [PropertyInfo] {
  let names = compound.paths.map { path in
    properties.first { $0.path == path }?.name ?? path.description
  }
  func invalid(_ message: String, _ name: String) -> StoreError {
    StoreError(
      StoreError.invalidSchema,
      "The schema of \(entity) has an index of (\(names.joined(separator: ", "))) \(message)", entity: entity,
      property: name)
  }
  guard compound.option == .indexed || compound.option == .unique else {
    throw invalid(
      "with \(compound.option.map(\.description) ?? "no option"), which is for single properties. Write .indexed or .unique.",
      names[0])
  }
  var members: [PropertyInfo] = []
  for (path, name) in zip(compound.paths, names) {
    if members.contains(where: { $0.path == path }) { throw invalid("that names \(name) twice.", name) }
    if name == "id" {
      throw invalid("that names the id, which no two objects have in common. Leave it out.", name)
    }
    if let own = path.ownPath, ignored.contains(where: own.begins) {
      throw invalid("that names \(name), which the schema ignores. List \(name), or leave it out.", name)
    }
    guard let property = properties.first(where: { $0.path == path }) else {
      throw invalid("that names \(name), which is no property of the schema.", name)
    }
    members.append(property)
  }
  return members
}
