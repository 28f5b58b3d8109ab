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
  /// The hashes that an object is listed under: those of the ids it links to, in order and with repetitions. An
  /// object without links is listed under the hash of nil, where filters can ask for nil.
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
