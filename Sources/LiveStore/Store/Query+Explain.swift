extension Query {
  /// How this query would be evaluated in a snapshot, in one line: shows whether an index serves it.
  ///
  /// ```swift
  /// Post.where { $0.likeCount >= 10 }.explain(in: snapshot)
  /// // index Post.likeCount: 120 of 5000 rows, filter likeCount >= 10
  /// ```
  /// For a ``DynamicEntity`` it also names the paths at which no object has a value, which are probably misspelt: `no
  /// object has statsu`. This looks at all objects.
  public func explain(in snapshot: Snapshot) -> String {
    let context = snapshot.state.context
    guard let table = context.catalog.index(of: Element.self) else { return "no entity \(Element.self)" }
    let stage = stages[0]
    if let source = stage.source {
      let count = source.window(table, context, stamp: nil).count
      return "list \(source.owner).\(source.path) of \(source.id): \(count) entries"
        + stages.map { stage in
          var rest = stage
          rest.source = nil
          return rest.description.isEmpty ? "" : ", then\(rest.description)"
        }.joined()
    }
    let plan = QueryPlan(stage, table, context)
    let info = context.catalog.entities[table]
    let total = context.tables[table].count
    var parts: [String] = []
    switch plan.access {
    case .table: parts.append("table \(info.name): \(total) rows in insertion order")
    case .scan: parts.append("scan \(info.name): \(total) rows")
    case .rows(let source):
      parts.append("\(source.name(info, context.catalog)): \(plan.estimate) of \(total) rows")
    case .order(let index, _):
      parts.append(
        "\(info.name(info.indexes[index])) in order: until \(plan.needed ?? total) of \(plan.estimate) rows match"
      )
    }
    if stage.filter != .constant(true) { parts.append("filter \(stage.filter)") }
    if case .order = plan.access {
    } else if !stage.order.keys.isEmpty {
      parts.append("sort by \(stage.order.keys.map(\.description).joined(separator: ", "))")
    }
    if stage.offset > 0 || stage.limit != nil {
      parts.append("rows \(stage.offset)..<\(stage.limit.map { "\(stage.offset)+\($0)" } ?? "end")")
    }
    parts += stages.dropFirst().map { "then\($0.description)" }
    return (parts + missingPaths(in: snapshot).map { "no object has \($0)" }).joined(separator: ", ")
  }
}

extension Query {
  /// The paths of a dynamic entity that the query names and no object has, each once.
  ///
  /// - Complexity: O(objects · paths), less where objects have the paths.
  private func missingPaths(in snapshot: Snapshot) -> [Term] {
    guard let resolve = Element.schema.resolver else { return [] }
    var missing: [Term] = []
    for path in stages.flatMap(\.terms).flatMap(\.reads).compactMap(\.ownMember)
    where path.dynamicNames != nil && !missing.contains(path) {
      missing.append(path)
    }
    for object in snapshot.fetch(Element.all) {
      if missing.isEmpty { break }
      missing.removeAll { !resolve(object, $0.dynamicNames ?? []).isNull }
    }
    return snapshot.count(Element.all) == 0 ? [] : missing
  }
}
