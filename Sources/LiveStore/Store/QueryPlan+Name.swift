extension QueryPlan.Access {
  /// How explanations call it, for the table of an entity.
  func name(_ info: EntityInfo, _ catalog: Catalog) -> String {
    switch self {
    case .table, .scan: info.name
    case .ids: "id of \(info.name)"
    case .index(let index, _), .order(let index, _): Self.name(info, info.indexes[index])
    case .inverted(let index, _): "\(info.inverted[index].kind) \(info.name).\(info.inverted[index].name)"
    case .linked(let index, _, let table, let access):
      "links \(info.name).\(info.inverted[index].name) by \(access.name(catalog.entities[table], catalog))"
    case .words(let indexes, _):
      "words " + indexes.map { "\(info.name).\(info.inverted[$0].name)" }.joined(separator: " or ")
    case .union(let parts): parts.map { $0.name(info, catalog) }.joined(separator: " or ")
    case .intersection(let parts):
      parts.map { part in
        if case .union = part { "(\(part.name(info, catalog)))" } else { part.name(info, catalog) }
      }.joined(separator: " and ")
    }
  }

  /// How explanations call an index: `index Post.date`, or `index Post.(status, date)`.
  static func name(_ info: EntityInfo, _ index: IndexInfo) -> String { "index \(info.name).\(index.name)" }
}
