import Foundation

/// What an import of JSON does with each object.
///
/// ```swift
/// try await store.importJSON(Message.self, from: file, mode: .upsert(keeping: \.isUnread))
/// ```
/// | mode | no object has the id | an object has it |
/// |---|---|---|
/// | `insert` | it is added | `duplicateID` |
/// | `upsert` | it is added | it is replaced |
/// | `upsert(keeping:)` | it is added | it is replaced, except for the named properties |
/// | `merge` | it is added | the members that the JSON has are changed |
///
/// Objects that are equal to the stored ones make no version, whatever the mode.
public struct ImportMode<Element: Entity & Decodable>: Sendable {
  /// Given a decoder, makes a function that turns an element of the text into an edit.
  let makeEdit: @Sendable (JSONDecoder) -> @Sendable (JSONValue) throws -> ImportEdit<Element>
}

extension ImportMode {
  /// Adds each object; `duplicateID` if one has its id.
  public static var insert: ImportMode {
    ImportMode { tx, object in try tx.insert(object) }
  }

  /// Adds each object, or replaces the one with its id in place.
  public static var upsert: ImportMode {
    ImportMode { tx, object in try tx.upsert(object) }
  }

  /// Adds each object, or replaces the one with its id except for some properties, which keep their stored values.
  ///
  /// As ``WriteTransaction/upsert(_:keeping:_:)``, for objects from a server that must not overwrite local properties.
  /// The JSON of each object must still have all members that the entity's decoding requires.
  /// - Parameters:
  ///   - property: a property that keeps its stored value.
  ///   - others: further properties.
  public static func upsert<Value, each Other>(
    keeping property: any WritableKeyPath<Element, Value> & Sendable,
    _ others: repeat any WritableKeyPath<Element, each Other> & Sendable
  ) -> ImportMode {
    var keeps = [keep(property)]
    for other in repeat each others { keeps.append(keep(other)) }
    return ImportMode { [keeps] tx, object in
      try tx.upsert(object) { old, new in
        for keep in keeps { keep(old, &new) }
      }
    }
  }

  /// A mode that decodes whole objects and writes them by a closure.
  private init(_ write: @escaping @Sendable (inout WriteTransaction, Element) throws -> Void) {
    makeEdit = { decoder in
      { value in
        let object = try decoder.decode(Element.self, from: value)
        return ImportEdit(id: object.id) { tx in try write(&tx, object) }
      }
    }
  }
}

/// Copies the value of a property from one object to another.
private func keep<Element, Value>(
  _ property: any WritableKeyPath<Element, Value> & Sendable
) -> @Sendable (_ old: Element, _ new: inout Element) -> Void {
  { old, new in new[keyPath: property] = old[keyPath: property] }
}
