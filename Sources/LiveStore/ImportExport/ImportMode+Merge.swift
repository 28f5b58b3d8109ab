public import Foundation

extension ImportMode where Element: Encodable, Element.ID: Decodable {
  /// Adds each object, or changes those members of the one with its id that the JSON has.
  ///
  /// As ``merge(id:encoder:)``, by the member `id`.
  public static var merge: ImportMode { merge() }

  /// Adds each object, or changes those members of the one with its id that the JSON has.
  ///
  /// ```swift
  /// // {"id": 7, "title": "Tea", "due": null}: changes the title, removes the due date, leaves all else.
  /// try await store.importJSON(Task.self, from: data, mode: .merge)
  /// ```
  /// The JSON is a merge patch as in RFC 7396: the members of an object within the object are merged, too; an array is
  /// replaced as a whole; a null removes the member, so the property becomes nil. A property that no member changes
  /// keeps its stored value, also if the entity's coding leaves it out or rounds it. If no object has the id, the JSON
  /// must have all members that the entity's decoding requires.
  ///
  /// Merged objects are decoded within the transaction, since they depend on what is stored.
  /// - Parameters:
  ///   - id: the member that has the object's id.
  ///   - encoder: writes what the import's decoder reads. If nil, one with the decoder's strategies; custom
  ///     ones and date formatters need an encoder of their own.
  public static func merge(id: String = "id", encoder: JSONEncoder? = nil) -> ImportMode {
    ImportMode { decoder in
      let coder = MergeCoder<Element>(
        decoder: decoder, encoder: encoder ?? JSONEncoder(matching: decoder))
      return { patch in
        guard case .object(let members) = patch else {
          throw StoreError(StoreError.invalidJSON, "Only an object can be merged.")
        }
        guard let member = members[id], !member.isNull else {
          var error = StoreError(
            StoreError.invalidJSON,
            "The object has no member \(id) with its id. Name the one that has it: .merge(id: \"…\").")
          error.codingPath = id
          throw error
        }
        let objectID = try decoder.decode(Element.ID.self, from: member, at: id)
        return ImportEdit(id: objectID) { tx in try coder.merge(patch, objectID, in: &tx) }
      }
    }
  }
}

/// Merges patches with stored objects.
private struct MergeCoder<Element: Entity & Codable>: Sendable {
  let decoder: JSONDecoder
  let encoder: JSONEncoder

  func merge(_ patch: JSONValue, _ id: Element.ID, in tx: inout WriteTransaction) throws {
    guard let stored = tx[Element.self, id] else {
      let object = try decoder.decode(Element.self, from: JSONValue.null.merging(patch))
      guard object.id == id else { throw differentID(shown(id), shown(object.id)) }
      return try tx.insert(object)
    }
    let before = try encoder.encodedValue(of: stored)
    let after = before.merging(patch)
    if after == before { return }
    var object = try decoder.decode(Element.self, from: after)
    let info = tx.state.catalog.entities[try tx.state.catalog.require(Element.self)]
    let unmerged = try decodeAgain(before, id)
    // A property that is the same with and without the patch (J5).
    if let name = info.restore(stored, in: &object, unlessChangedFrom: unmerged) {
      throw StoreError(
        StoreError.invalidJSON,
        "The property \(name) of \(Element.self) \(shown(id)) would change, though the JSON does not change it: decoding does not restore its value, and it is a let. Declare it as var.",
        entity: "\(Element.self)", id: shown(id), property: name)
    }
    guard object.id == id else { throw differentID(shown(id), shown(object.id)) }
    try tx.update(object)
  }

  /// The stored object, encoded and decoded.
  private func decodeAgain(_ value: JSONValue, _ id: Element.ID) throws -> Element {
    do {
      return try decoder.decode(Element.self, from: value)
    } catch {
      throw StoreError(
        StoreError.invalidJSON,
        "\(Element.self) \(shown(id)) cannot be merged, since the decoder does not read what the encoder writes of it. Pass an encoder that matches the decoder: .merge(encoder: …).",
        entity: "\(Element.self)", id: shown(id))
    }
  }

  private func differentID(_ id: String, _ other: String) -> StoreError {
    StoreError(
      StoreError.invalidJSON,
      "The \(Element.self) with the id \(id) in the JSON is decoded as one with the id \(other). Name the member that has the id: .merge(id: \"…\").",
      entity: "\(Element.self)", id: id)
  }
}
