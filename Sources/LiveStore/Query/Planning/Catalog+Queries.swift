extension Catalog {
  /// The link whose list a query starts from.
  func link(of source: ListSource) -> IncomingLink? { link(of: ObjectIdentifier(source.owner), source.path) }

  /// Checks whether a query can be observed: it may not go over a property that is no relation, nor read an ignored
  /// one (V10).
  ///
  /// - Parameter grouped: the values that group its rows, and the values that are added up or compared.
  func check(_ stages: [QueryStage], _ table: Int, grouped: [Dependency]) -> StoreError? {
    let dependencies = grouped + stages.flatMap(\.dependencies)
    var hops = dependencies.flatMap(\.chains).flatMap(\.hops)
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
    for operand in dependencies {
      for (entity, path) in reads(operand, table) where entities[entity].isIgnored(path) {
        return StoreError(
          StoreError.invalidSchema,
          "An observed query reads \(entities[entity].name).\(path), which the schema ignores: its changes are not delivered. List it in the schema, or leave it out of the query.",
          entity: entities[entity].name, property: "\(path)")
      }
    }
    return nil
  }

  /// The values that an operand reads at the ends of its links, each with its entity.
  private func reads(_ operand: Dependency, _ table: Int) -> [(entity: Int, path: Term)] {
    let own = (operand.chains.isEmpty ? [operand.path] : []) + operand.ownValues
    let linked = operand.chains.flatMap { chain -> [(entity: Int, path: Term)] in
      guard let read = chain.read, let entity = chain.tables(in: self).last else { return [] }
      return ([read.path] + read.ownValues).map { (entity, $0) }
    }
    return own.map { (table, $0) } + linked
  }
}
