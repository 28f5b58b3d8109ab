/// The links inside values of a type, which the store follows only where the schema declares them (`Embedded`).
///
/// They are found by the types of stored properties, through optionals, collections of the standard library,
/// structs and tuples. Links in the cases of an enumeration or in objects of a class are not found.
struct NestedLinks {
  /// The members that lead from the value to each link; none where the value is a collection of links.
  private(set) var paths: [[String]] = []
  /// The types that are being searched: a type may hold an array of itself.
  private var open: Set<ObjectIdentifier> = []

  /// - Parameter type: the type of a property. If it is a link itself, its links are not included.
  init(in type: Any.Type) {
    if !(type is any RelationValue.Type) { search(type, at: []) }
  }

  private mutating func search(_ type: Any.Type, at path: [String]) {
    if type is any RelationValue.Type { return paths.append(path) }
    if type is any KnownSendable.Type { return }
    if let type = type as? any ValueWithParts.Type {
      _ = type.allParts { part in
        search(part, at: path)
        return true
      }
      return
    }
    guard open.insert(ObjectIdentifier(type)).inserted else { return }
    for field in StoredFields.of(type) {
      // A wrapped property is stored under another name.
      search(field.type, at: path + [String(field.name.unicodeScalars.drop { $0 == "_" || $0 == "$" })])
    }
    open.remove(ObjectIdentifier(type))
  }
}

extension Schema {
  /// Finds links inside nested values that the schema does not declare: they would lead to objects that need not exist.
  ///
  /// - Throws: `invalidSchema`.
  func checkNestedLinks() throws(StoreError) {
    for definition in definitions where definition.functions != nil {
      let found = NestedLinks(in: type(of: definition.keyPath as AnyKeyPath).valueType).paths
      if found.isEmpty { continue }
      let declared = definition.links.map { link -> String? in
        let members = link.keyPaths.dropFirst().map { memberName(of: $0) }
        let scalars = members.compactMap(\.self).joined(separator: ".").unicodeScalars
        return members.contains(nil) ? nil : String(scalars.filter { $0 != "?" })
      }
      // Where a link is declared through a computed property, the stored properties behind it are not known.
      if declared.contains(nil) { continue }
      guard let path = found.map({ $0.joined(separator: ".") }).first(where: { !declared.contains($0) })
      else { continue }
      throw undeclaredLink(path, in: definition.name ?? "?")
    }
  }

  private func undeclaredLink(_ path: String, in name: String) -> StoreError {
    let remedy =
      path.isEmpty
      ? "Make the property a RefList, RefSet or RefMap"
      : "Declare it: Embedded(\\.\(name)) { Relation(\\.\(path)) }, in an array Embedded(each: \\.\(name)) { … }"
    return StoreError(
      StoreError.invalidSchema,
      "The property \(name) of \(Element.self) holds a link that the schema does not declare"
        + (path.isEmpty ? "" : ", \(name).\(path)")
        + ". It would not be checked or followed. \(remedy); or keep the id of the object instead of a Ref.",
      entity: "\(Element.self)", property: path.isEmpty ? name : "\(name).\(path)")
  }
}
