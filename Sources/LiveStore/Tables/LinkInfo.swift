// Relations.
//
// An object holds ids, nothing else; there is no graph of objects. For each relation a table has one more
// tree, with an entry for each pair of a target's id and a row that links to it. Backlinks, `contains`,
// `==` with a reference and the delete rules all read that tree.
//
// - **R1** A row is listed in a relation's tree once under the hash of each id that it links to, however
//   often it links to it, and under no other hash. A row without a link is listed under the hash of nil
//   where filters can ask for nil: optional references, and any reference in an optional embedded value.
//   `TableState._checkInvariants` compares with a rebuild.
// - **R2** Ids of equal hashes are listed together, so the id itself is compared before a listed row is
//   used: filters are tested again (Q1), cascade and restrict compare ids, nullify removes exact ids only.
// - **R3** An edit changes only the entries of links that it added or removed, and skips unchanged
//   properties, which lists recognise by their shared memory. Links in embedded values are always compared
//   one by one: the `==` of such a value is user code and may leave links out. So they count as part of the
//   object's value, besides its properties.
// - **R4** Deletion is a worklist (`TransactionState+Deletion.swift`): a row is deleted at most once, and is
//   added by cascade or by ownership. The deleted rows are a closure, so they do not depend on the order in
//   which objects are deleted. The rows that lose links are recorded and edited once, after all rows are
//   deleted, unless they were deleted themselves. So depth costs no stack, time is linear in the rows deleted
//   and edited, and all of it happens within `delete`.
// - **R5** The commit checks the links of new rows, the links that changed rows did not have before, and
//   the rows that still link to an id that existed at the start and does not now. A valid state stays
//   valid: any other link was checked when it was made, and its target still exists. `resolveViolations`
//   deletes and unlinks until these checks would succeed.
// - **R6** A required link is checked in each value that has the property: without an embedded value there
//   is no check.
// - **R7** Schemas do not read one another while they are initialised, since two may name each other's
//   links. Inverses are resolved when a store is made.

/// A relation of one entity.
package final class LinkInfo: InvertedIndex {
  /// The name in messages: `author`, `address.owner`.
  package let name: String
  package let path: Term
  package var kind: String { "links" }
  package let definition: LinkDefinition

  package var target: any Entity.Type { definition.target }
  package var rule: DeleteRule { definition.rule }
  package var isOwned: Bool { definition.isOwned }

  init(_ definition: LinkDefinition, entity: String) throws(StoreError) {
    func invalid(_ message: String) -> StoreError {
      StoreError(
        StoreError.invalidSchema, "The schema of \(entity) \(message)", entity: entity,
        property: definition.names.compactMap(\.self).joined(separator: "."))
    }
    var names: [String] = []
    for (name, keyPath) in zip(definition.names, definition.keyPaths) {
      guard let name, !name.isEmpty else {
        throw invalid("cannot infer the name of \(keyPath). Give it one: Relation(\\.…, \"name\").")
      }
      names.append(name)
    }
    self.definition = definition
    name = names.joined(separator: ".")
    path = definition.path
    if definition.rule == .cascade && definition.cardinality == .many {
      let target = definition.target
      throw invalid(
        "cannot cascade over \(name): that would delete the \(entity) when any \(target) in it is deleted. To delete each \(target) with the \(entity), write Relation(\\.\(names.last ?? name), .owned). To keep the \(entity) and only remove a deleted \(target) from it, leave onDelete out."
      )
    }
    let others = definition.cardinality == .many ? ".restrict" : ".cascade or .restrict"
    if definition.rule == .nullify && definition.cardinality == .one {
      throw invalid(
        "cannot nullify \(name), which always holds a link. Make it optional, or choose \(others).")
    }
    if definition.rule == .nullify && definition.isRequired {
      throw invalid("cannot nullify \(name), which is required. Choose \(others).")
    }
    if definition.rule == .nullify && !definition.isWritable {
      throw invalid("cannot remove links from \(name): make it a var, or choose \(others).")
    }
  }
}

/// The relations among the lines of a schema.
func linkInfos(_ definitions: [LinkDefinition], entity: String) throws(StoreError) -> [LinkInfo] {
  var links: [LinkInfo] = []
  for definition in definitions {
    let link = try LinkInfo(definition, entity: entity)
    if links.contains(where: { $0.path == link.path }) {
      throw StoreError(
        StoreError.invalidSchema, "The schema of \(entity) lists the relation \(link.name) twice.",
        entity: entity, property: link.name)
    }
    links.append(link)
  }
  return links
}

extension LinkInfo {
  /// The hashes that an object is listed under: the hashes of the ids it links to, in order and with
  /// repetitions. An object without links is listed under the hash of nil, where filters can ask for nil.
  package func hashes(_ object: UnsafeRawPointer) -> [UInt64] {
    var hashes: [UInt64] = []
    definition.reader.forEachHash(object) { hashes.append($0) }
    if hashes.isEmpty && definition.listsMissing { hashes.append(noReferenceHash) }
    return hashes
  }

  /// Whether two objects hold the same links: lists in the same order, maps with the same keys.
  package func isSame(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool {
    definition.isSame(lhs, rhs)
  }

  package func isLinked(_ object: UnsafeRawPointer, to target: UnsafeRawPointer) -> Bool {
    definition.reader.isLinked(object, to: target)
  }

  package func isListedAlike(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Bool { isSame(lhs, rhs) }
}
