import LiveStore

/// A list as `kubectl get -o json` writes it: an object whose `kind` ends in `List`, with its objects in `items`.
enum KubernetesList {
  private static let keys = ["apiVersion", "items", "kind", "metadata"]
  private static let beginnings = keys.map { Array("{\"\($0)\"".utf8) }

  /// The objects of a list; nil if the object is none: a list has nothing beside a version, a kind, items and metadata.
  static func items(of text: JSONText) -> [JSONValue]? {
    // Hardly another object begins so.
    guard beginnings.contains(where: { text.bytes.starts(with: $0) }) else { return nil }
    var isList = true
    text.forEachMember { key, _ in isList = isList && keys.contains(key.text) }
    guard isList, case .object(let object) = text.value, case .string(let kind)? = object["kind"],
      kind.utf8.suffix(4).elementsEqual("List".utf8), case .array(let items)? = object["items"]
    else { return nil }
    return items
  }
}
