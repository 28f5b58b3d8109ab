import Foundation

/// Merges patches with stored objects.
struct MergeCoder<Element: Entity & Codable>: Sendable {
  let decoder: JSONDecoder
  let encoder: JSONEncoder

  /// Merges a patch with the object that has an id, or adds one if there is none.
  func upsert(_ patch: JSONValue, _ id: Element.ID, in tx: borrowing WriteTransaction) throws {
    guard let stored = tx[Element.self, id] else {
      let object = try decoder.decode(Element.self, from: JSONValue.null.merging(patch))
      guard isEqualValue(object.id, id) else { throw differentID(shown(id), shown(object.id)) }
      return try tx.insert(object)
    }
    guard let object = try merged(patch, with: stored, in: tx) else { return }
    guard isEqualValue(object.id, id) else { throw differentID(shown(id), shown(object.id)) }
    try tx.update(object)
  }

  /// An object with a patch applied to it; nil if that changes nothing. Writes nothing.
  func merged(
    _ patch: JSONValue, with stored: Element, in tx: borrowing WriteTransaction
  ) throws -> Element? {
    let before = try encoder.encodedValue(of: stored)
    let after = before.merging(patch)
    if after == before { return nil }
    try decoder.requireReadable(patch)
    var object = try decoder.decode(Element.self, fromOwn: after)
    let info = tx.state.catalog.entities[try tx.state.catalog.require(Element.self)]
    let unmerged = try decodeAgain(before, stored.id)
    // A property that is the same with and without the patch (J5).
    if let name = info.restore(stored, in: &object, unlessChangedFrom: unmerged) {
      throw StoreError(
        StoreError.invalidJSON,
        "The property \(name) of \(Element.self) \(MessageText.line(shown(stored.id))) would change, though the JSON does not change it: decoding does not restore its value, and it is a let. Declare it as var.",
        entity: "\(Element.self)", id: shown(stored.id), property: name)
    }
    return object
  }

  /// The stored object, encoded and decoded.
  private func decodeAgain(_ value: JSONValue, _ id: Element.ID) throws -> Element {
    do {
      return try decoder.decode(Element.self, fromOwn: value)
    } catch {
      throw StoreError(
        StoreError.invalidJSON,
        "\(Element.self) \(MessageText.line(shown(id))) cannot be merged, since the decoder does not read what the encoder writes of it. Pass an encoder that matches the decoder, as encoder:.",
        entity: "\(Element.self)", id: shown(id))
    }
  }

  private func differentID(_ id: String, _ other: String) -> StoreError {
    StoreError(
      StoreError.invalidJSON,
      "The \(Element.self) with the id \(MessageText.line(id)) in the JSON is decoded as one with the id \(MessageText.line(other)). Name the member that has the id: .merge(id: \"…\").",
      entity: "\(Element.self)", id: id)
  }
}
