public import Foundation

extension ImportMode where Element: Encodable, Element.ID: Decodable {
  /// Adds each object; if the store has one with its id, changes only the members that the JSON has.
  ///
  /// As ``merge(id:encoder:)``, by the member `id`.
  public static var merge: ImportMode { merge() }

  /// Adds each object; if the store has one with its id, changes only the members that the JSON has.
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
  /// Merged objects are decoded within the transaction, since they depend on the stored objects.
  /// - Parameters:
  ///   - id: the member that has the object's id.
  ///   - encoder: writes the format that the import's decoder reads. If nil, an encoder with the decoder's
  ///     strategies; custom strategies and date formatters need an encoder of their own.
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
        return ImportEdit(id: objectID) { tx in try coder.upsert(patch, objectID, in: tx) }
      }
    }
  }
}
