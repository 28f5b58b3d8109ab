public import Foundation

extension WriteTransaction {
  /// Changes the members that a JSON merge patch has, in the object with an id, as a `PATCH` request does.
  ///
  /// ```swift
  /// // {"title": "Tea", "due": null}: changes the title, removes the due date, leaves all else.
  /// let task = try await store.write { tx in try tx.merge(Task.self, id, JSONValue(parsing: body)) }
  /// ```
  /// The patch is one as in RFC 7396: the members of an object within the object are merged, too; an array is replaced as a
  /// whole; a null removes the member, so the property becomes nil. A property that no member changes keeps its stored
  /// value, also if the entity's coding leaves it out or rounds it. An object that is equal afterwards makes no version.
  ///
  /// The patch may write every property that the entity decodes. If a client may not, take out the members
  /// that it must not set, or decode the request as a type of its own and use ``update(_:_:_:)``.
  /// ``ImportMode/merge`` does the same for many objects, and adds those that do not exist.
  /// - Parameters:
  ///   - type: the entity.
  ///   - id: the object's id. The patch need not have it, and cannot change it.
  ///   - patch: the members to change.
  ///   - decoder: decodes the object.
  ///   - encoder: writes the format that the decoder reads. If nil, an encoder with the decoder's strategies;
  ///     custom strategies and date formatters need an encoder of their own.
  /// - Returns: the object as it is now.
  /// - Throws: `notFound` if there is none; `invalidJSON` if the patch is no object, or if the object cannot be decoded
  ///   afterwards, with the `codingPath` of the member; `identifierChanged`; what the encoder throws. Then the object is as it
  ///   was.
  /// - Complexity: O(size of the object and the patch) for coding, then as ``update(_:)``.
  @discardableResult
  public func merge<Element: Entity & Codable>(
    _ type: Element.Type, _ id: Element.ID, _ patch: JSONValue, decoder: JSONDecoder = JSONDecoder(),
    encoder: JSONEncoder? = nil
  ) throws -> Element {
    let table = try state.writableTable(of: type)
    guard let stored = self[type, id] else { throw StoreError.notFound(type, shown(id)) }
    guard case .object = patch else {
      throw StoreError(
        StoreError.invalidJSON, "Only an object can be merged with a \(type).", entity: "\(type)",
        id: shown(id))
    }
    let coder = MergeCoder<Element>(
      decoder: decoder, encoder: encoder ?? JSONEncoder(matching: decoder))
    do {
      guard let object = try coder.merged(patch, with: stored, in: self) else { return stored }
      guard isEqualValue(object.id, id) else {
        throw state.catalog.entities[table].identifierChanged(shown(id), to: shown(object.id))
      }
      try update(object)
      return object
    } catch let error as DecodingError {
      var error = StoreError.decodingError(error, entity: "\(type)")
      error.id = shown(id)
      throw error
    }
  }
}
