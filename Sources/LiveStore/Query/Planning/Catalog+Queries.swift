extension Catalog {
  /// The link whose list a query starts from.
  func link(of source: ListSource) -> IncomingLink? { link(of: ObjectIdentifier(source.owner), source.path) }

  /// What is wrong with a query that is to be followed: it goes over a property that is no relation, or reads one
  /// that is ignored.
  ///
  /// - Parameter grouped: the values that its rows are grouped by, and what of them is added up or compared.
  func check(_ stages: [QueryStage], _ table: Int, grouped: [Operand]) -> StoreError? {
    let operands = grouped + stages.flatMap(\.operands)
    var hops = operands.flatMap(\.chains).flatMap(\.hops)
    if let source = stages[0].source {
      hops.append(LinkHop(source: ObjectIdentifier(source.owner), path: source.path, isBackward: false))
    }
    for hop in hops where link(of: hop.source, hop.path) == nil {
      guard let table = types.firstIndex(of: hop.source) else {
        return StoreError(
          StoreError.unknownEntity,
          "A query goes over the link \(hop.path) of an entity that the store does not have.")
      }
      return StoreError(
        StoreError.invalidSchema,
        "A query goes over \(entities[table].name).\(hop.path), which the schema does not list as a relation.",
        entity: entities[table].name, property: "\(hop.path)")
    }
    for operand in operands {
      for (entity, path) in reads(operand, table) where entities[entity].isIgnored(path) {
        return StoreError(
          StoreError.invalidSchema,
          "A query that is followed reads \(entities[entity].name).\(path), which the schema ignores, so nobody is told when it changes. List it in the schema, or leave it out of the query.",
          entity: entities[entity].name, property: "\(path)")
      }
    }
    return nil
  }

  /// The values at the ends of an operand's way, each with its entity.
  private func reads(_ operand: Operand, _ table: Int) -> [(entity: Int, path: PropertyPath)] {
    if operand.chains.isEmpty { return [(table, operand.path)] }
    return operand.chains.compactMap { chain in
      guard let read = chain.read, let entity = chain.tables(in: self).last else { return nil }
      return (entity, read.path)
    }
  }
}
