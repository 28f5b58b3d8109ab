extension Catalog {
  /// The link whose list a query starts from.
  func link(of source: ListSource) -> IncomingLink? { link(of: ObjectIdentifier(source.owner), source.path) }

  /// Checks whether a query can be observed: it may not go over a property that is no relation, nor read an ignored
  /// one (V10).
  ///
  /// - Parameter grouping: how its rows are grouped.
  func check(_ stages: [QueryStage], _ table: Int, _ grouping: Grouping?) -> StoreError? {
    let terms = [grouping?.form.key, grouping?.form.value].compactMap(\.self) + stages.flatMap(\.terms)
    let reads = terms.flatMap(\.reads)
    var hops = reads.flatMap(\.hops)
    if let source = stages[0].source {
      hops.append(LinkStep(source: ObjectIdentifier(source.owner), path: source.path, isBackward: false))
    }
    for hop in hops where link(of: hop.source, hop.path) == nil {
      guard let table = types.firstIndex(of: hop.source) else {
        return StoreError(
          StoreError.unknownEntity,
          "A query follows the link \(hop.path) of an entity that is not in this store. Add it to Store(…).")
      }
      return StoreError(
        StoreError.invalidSchema,
        "A query follows \(entities[table].name).\(hop.path), which the schema does not list as a relation.",
        entity: entities[table].name, property: "\(hop.path)")
    }
    for read in reads {
      guard case .property(let path) = read.value,
        let entity = read.hops.isEmpty ? table : read.tables(in: self).last,
        entities[entity].isIgnored(path)
      else { continue }
      let name = path.text(isExact: false)
      return StoreError(
        StoreError.invalidSchema,
        "An observed query reads \(entities[entity].name).\(name), which the schema ignores: its changes are not delivered. List it in the schema, or leave it out of the query.",
        entity: entities[entity].name, property: name)
    }
    return nil
  }
}
