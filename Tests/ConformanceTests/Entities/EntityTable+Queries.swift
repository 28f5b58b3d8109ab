import LiveStore

extension EntityTable {
  func ids(of description: JSONValue, in store: Store) throws -> [Int] {
    let snapshot = store.snapshot()
    let query = try query(description)
    let ids = Array(snapshot.fetch(query).ids)
    try demand("count", expected: ids.count, seen: snapshot.count(query))
    return ids
  }

  /// The query of `where` and `descriptors`.
  func query(_ description: JSONValue) throws(CaseFailure) -> Query<Element> {
    var query = Element.all
    let tree = description["where"]
    if !tree.isNull, !tree["true"].isTrue { query = try filtered(query, tree) }
    for step in try description.optionalElements("descriptors") { query = try applying(step, to: query) }
    return query
  }

  /// The properties of `key_paths`; nil where it is left out.
  func properties(_ description: JSONValue) throws(CaseFailure) -> RowPaths<Element>? {
    if description["key_paths"].isNull { return nil }
    var paths: RowPaths<Element> = []
    for element in try description.elements("key_paths") {
      guard let name = element.text else { throw .malformed("\(element.shortened) is not a key path") }
      if name.hasPrefix("@links") || !columns.contains(where: { $0.name == name }) {
        throw capability(following: name)
      }
      paths.append(try column(name).path)
    }
    return paths
  }

  private func applying(_ step: JSONValue, to query: Query<Element>) throws(CaseFailure) -> Query<Element> {
    if !step["distinct"].isNull { return try distinct(step, query) }
    if !step["limit"].isNull { return query.limit(try step.integer("limit")) }
    if !step["offset"].isNull { return query.offset(try step.integer("offset")) }
    var query = query
    for key in try step.elements("sort") {
      let name = try key.text("key")
      guard let column = columns.first(where: { $0.name == name }) else { throw capability(following: name) }
      query = try column.sorted(query, key["ascending"].isTrue ? .ascending : .descending)
    }
    return query
  }

  private func distinct(_ step: JSONValue, _ query: Query<Element>) throws(CaseFailure) -> Query<Element> {
    let names = try step.elements("distinct").compactMap(\.text)
    guard names.count == 1, let column = columns.first(where: { $0.name == names[0] }) else {
      throw .notApplicable("distinct by \(names)")
    }
    if let path = column.path as? KeyPath<Row<Element>, Expr<Int>> { return query.distinct(by: path) }
    if let path = column.path as? KeyPath<Row<Element>, Expr<String>> { return query.distinct(by: path) }
    throw .notApplicable("distinct by a property of type \(column.type)")
  }

  /// What is missing to follow a path that is not a property of the entity.
  func capability(following path: String) -> CaseFailure {
    if path.hasPrefix("@links") { return .notApplicable("relations: backlinks") }
    let root = path.prefix { $0 != "." }
    guard path.contains("."), let reference = columns.first(where: { $0.name == root })?.reference else {
      return .notApplicable("relations: backlinks or a property that \(name) does not list: \(path)")
    }
    return .notApplicable(reference.capability)
  }
}
