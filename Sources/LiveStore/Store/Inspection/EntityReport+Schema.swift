extension StoreInspection.EntityReport {
  init(_ info: EntityInfo, _ table: TableState) {
    func properties<Element: Entity>(_: Element.Type) -> [StoreInspection.PropertyReport] {
      Element.schema.definitions.filter { $0.inverse == nil }.map { definition in
        StoreInspection.PropertyReport(
          name: definition.name ?? "?",
          type: "\(type(of: definition.keyPath as AnyKeyPath).valueType)",
          options: definition.options.map { String($0.description.dropFirst()) }.sorted()
            + (definition.isIgnored ? ["ignored"] : []),
          relation: definition.links.first { !$0.isNested }.map { StoreInspection.RelationReport($0) })
      }
    }
    let nested = info.links.filter(\.definition.isNested).map { link in
      StoreInspection.PropertyReport(
        name: link.name,
        type: "\(type(of: link.definition.keyPaths[link.definition.keyPaths.count - 1]).valueType)",
        options: [], relation: StoreInspection.RelationReport(link.definition))
    }
    self.init(
      name: info.name, rows: table.count, bytes: table.rows.estimatedBytes,
      properties: properties(info.type) + nested, indexes: StoreInspection.IndexReport.all(of: info, table))
  }
}

extension StoreInspection.RelationReport {
  fileprivate init(_ link: LinkDefinition) {
    self.init(
      target: "\(link.target)", isToMany: link.cardinality == .many, isRequired: link.isRequired,
      isOwned: link.isOwned, deleteRule: link.rule)
  }
}

extension StoreInspection.IndexReport {
  fileprivate static func all(of info: EntityInfo, _ table: TableState) -> [StoreInspection.IndexReport] {
    let ids = StoreInspection.IndexReport(
      name: "id", kind: .ids, isUnique: true, entries: table.count,
      bytes: table.ids.estimatedBytes + table.collided.estimatedBytes)
    let values = zip(info.indexes, table.indexes).map { index, tree in
      StoreInspection.IndexReport(
        name: index.name, kind: .values, isUnique: index.isUnique, entries: tree.count,
        bytes: tree.estimatedBytes)
    }
    let inverted = zip(info.inverted, table.inverted).map { index, tree in
      StoreInspection.IndexReport(
        name: index.name, kind: Kind(rawValue: index.kind) ?? .elements, isUnique: false, entries: tree.count,
        bytes: tree.estimatedBytes)
    }
    return [ids] + values + inverted
  }
}
