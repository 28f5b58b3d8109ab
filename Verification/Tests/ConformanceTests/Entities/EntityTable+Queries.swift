import LiveStore

/// A query that a case describes, over rows of one of its types.
protocol OpenQuery: Sendable {
  /// The ids at the newest version.
  func ids(in store: Store) throws -> [Int]
  func observe(in store: Store, excluding origins: Set<String>) -> Observation<CollectionEvent>
}

private struct TypedQuery<Element: CaseEntity>: OpenQuery {
  let query: Query<Element>
  let properties: RowPaths<Element>?

  func ids(in store: Store) throws -> [Int] {
    let snapshot = store.snapshot()
    let ids = Array(snapshot.fetch(query).ids)
    try demand("count", expected: ids.count, seen: snapshot.count(query))
    return ids
  }

  func observe(in store: Store, excluding origins: Set<String>) -> Observation<CollectionEvent> {
    Observation { recorder in
      store.observe(query, properties: properties, excluding: origins) { change in
        switch change {
        case .initial(let results): recorder.add(.initial(Array(results.ids)))
        case .update(let results, let changes):
          recorder.add(
            .update(
              IndexChanges(changes.batchUpdates), previous: Array(changes.previous.ids),
              current: Array(results.ids)))
        case .error(let error): recorder.add(.error("\(error)"))
        }
      }
    }
  }
}

extension EntityTable {
  /// The query of a description: of all rows, or of a list where that is its kind.
  func open(_ description: JSONValue, _ tables: Tables) throws(CaseFailure) -> any OpenQuery {
    guard description["kind"] == "list" else { return try open(Element.all, description, tables) }
    return try column(description.text("prop")).list(of: description.integer("id"), description, tables)
  }

  /// The query of a description, which starts from some rows.
  func open(
    _ rows: Query<Element>, _ description: JSONValue, _ tables: Tables
  ) throws(CaseFailure) -> any OpenQuery {
    TypedQuery(query: try query(rows, description, tables), properties: try properties(description, tables))
  }

  func open(text: String, _ arguments: [any Sendable]) throws -> any OpenQuery {
    guard columns.allSatisfy({ $0.name == $0.storedName }) else {
      throw CaseFailure.notApplicable("texts over structs with other names of properties")
    }
    let query = try Element.query(format: text, arguments: arguments)
    return TypedQuery(query: query, properties: nil)
  }

  /// The query of `where` and `descriptors`.
  func query(
    _ rows: Query<Element>, _ description: JSONValue, _ tables: Tables
  ) throws(CaseFailure) -> Query<Element> {
    var query = rows
    let tree = description["where"]
    if !tree.isNull, !tree["true"].isTrue {
      let condition = try condition(tree, Scope(tables: tables))
      query = query.where { _ in condition }
    }
    for step in try description.optionalElements("descriptors") {
      query = try applying(step, to: query, tables)
    }
    return query
  }

  /// The properties of `key_paths`; nil where it is left out.
  func properties(_ description: JSONValue, _ tables: Tables) throws(CaseFailure) -> RowPaths<Element>? {
    if description["key_paths"].isNull { return nil }
    var paths: RowPaths<Element> = []
    for element in try description.elements("key_paths") {
      guard let name = element.text else { throw .malformed("\(element.shortened) is not a key path") }
      paths.append(try find(Way(name, tables)).reading().path)
    }
    return paths
  }

  private func applying(
    _ step: JSONValue, to query: Query<Element>, _ tables: Tables
  ) throws(CaseFailure) -> Query<Element> {
    if !step["distinct"].isNull { return try distinct(step, query, tables) }
    if !step["limit"].isNull { return query.limit(try step.integer("limit")) }
    if !step["offset"].isNull { return query.offset(try step.integer("offset")) }
    var query = query
    for key in try step.elements("sort") {
      let reading = try find(Way(try key.text("key"), tables)).reading()
      query = try reading.sorted(query, key["ascending"].isTrue ? .ascending : .descending)
    }
    return query
  }

  private func distinct(
    _ step: JSONValue, _ query: Query<Element>, _ tables: Tables
  ) throws(CaseFailure) -> Query<Element> {
    var readings: [any Reading<Element>] = []
    for name in try step.elements("distinct").compactMap(\.text) {
      readings.append(try find(Way(name, tables)).reading())
    }
    switch readings.count {
    case 1: return readings[0].distinct(query)
    case 2: return readings[0].distinct(query, and: readings[1])
    default: throw .notApplicable("distinct by \(readings.count) properties")
    }
  }
}
