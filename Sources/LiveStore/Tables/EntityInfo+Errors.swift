// The errors of objects that break a rule of their entity, each in one place. Ids and values may come from outside, so
// messages show the beginning of each, in one line; the fields of the error have them whole.

extension EntityInfo {
  func duplicateID(_ id: String) -> StoreError {
    StoreError(
      StoreError.duplicateID,
      "\(name) \(MessageText.line(id)) already exists. Upsert it, or insert it with another id.",
      entity: name, id: id)
  }

  func identifierChanged(_ id: String, to other: String) -> StoreError {
    StoreError(
      StoreError.identifierChanged,
      "An update changed the id of \(name) \(MessageText.line(id)) to \(MessageText.line(other)). Ids are constant: delete the object, and insert one with the new id.",
      entity: name,
      id: id)
  }

  /// - Parameters:
  ///   - object: the row of the object that was written.
  ///   - other: the row of another object with the same value.
  func uniqueViolation(
    _ object: UnsafeRawPointer, _ other: UnsafeRawPointer, _ index: IndexInfo
  ) -> StoreError {
    let (id, otherID) = (ids.text(object), ids.text(other))
    let values = index.properties.map { shown($0.functions.value(object)) }
    let value = values.count == 1 ? values[0] : "(\(values.joined(separator: ", ")))"
    return StoreError(
      StoreError.uniqueViolation,
      "\(name) \(MessageText.line(id)) and \(name) \(MessageText.line(otherID)) both have \(index.name) \(MessageText.line(value)), which must be unique.",
      entity: name, id: id, property: index.name, value: value)
  }

  func requiredLinkEmpty(_ object: UnsafeRawPointer, _ link: LinkInfo) -> StoreError {
    let id = ids.text(object)
    return StoreError(
      StoreError.requiredLinkEmpty,
      "The link \(link.name) of \(name) \(MessageText.line(id)) is required, but leads to no \(link.target) at the end of the transaction.",
      entity: name, id: id, property: link.name)
  }

  /// - Parameter target: the id that names no object.
  func missingLinkTarget(_ object: UnsafeRawPointer, _ link: LinkInfo, _ target: String) -> StoreError {
    let id = ids.text(object)
    return StoreError(
      StoreError.missingLinkTarget,
      "The link \(link.name) of \(name) \(MessageText.line(id)) leads to \(link.target) \(MessageText.line(target)), which does not exist. Insert it in the same transaction, or leave the link out.",
      entity: name, id: id, property: link.name, value: target)
  }
}

extension StoreError {
  @usableFromInline
  static func unknownEntity(_ type: any Entity.Type) -> StoreError {
    StoreError(
      StoreError.unknownEntity, "The store has no entity \(type). Add it to Store(…).", entity: "\(type)")
  }

  static func notFound(_ type: any Entity.Type, _ id: String) -> StoreError {
    StoreError(
      StoreError.notFound, "There is no \(type) with id \(MessageText.line(id)) to update.",
      entity: "\(type)", id: id)
  }
}

extension StoreError {
  /// The error of a store that was closed.
  static func storeClosed() -> StoreError {
    StoreError(StoreError.closed, "The store was closed. Make a new store to write and observe.")
  }
}
