/// Finds the properties of an entity by their names.
enum FilterRoot<Element: Entity> {
  /// The target of the first of some names, and how many names it takes: `address.city` may be one property.
  static func target(
    of names: ArraySlice<String>, spreads: Bool
  ) throws(FilterStepError) -> (target: FilterTarget, count: Int) {
    if let type = Element.self as? any DynamicEntity.Type {
      // The steps after the first look for arrays.
      let count = spreads ? 1 : names.count
      return (dynamic(type, Array(names.prefix(count))), count)
    }
    if names.first == "@links" { return (try backlinks(Array(names.dropFirst().prefix(2))), 3) }
    for count in (1...max(1, names.count)).reversed() {
      let name = names.prefix(count).joined(separator: ".")
      if let target = property(name) { return (target, count) }
    }
    throw unknown(names)
  }

  /// The object itself, as its id.
  static var object: FilterTarget { .field(FilterField(Row<Element>().rowID)) }

  private static func dynamic<Dynamic: DynamicEntity>(_: Dynamic.Type, _ names: [String]) -> FilterTarget {
    .field(FilterField(Row<Dynamic>()[path: names]))
  }

  private static func property(_ name: String) -> FilterTarget? {
    if name == "id" { return object }
    for definition in Element.schema.definitions where definition.name == name {
      if let inverse = definition.inverse { return backlinks(inverse) }
      if let property = definition.typed { return target(of: property) }
    }
    return nil
  }

  private static func target(of property: some TypedProperty<Element>) -> FilterTarget {
    .property(Row<Element>()[property.keyPath])
  }

  private static func backlinks(_ inverse: InverseDefinition) -> FilterTarget {
    func rows<Source: Entity>(_: Source.Type) -> FilterTarget {
      .rows(TypedRows(rows: Row<Element>().linking(Source.self, inverse.keyPaths, inverse.property)))
    }
    return rows(inverse.source)
  }

  /// `@links.Post.author`: the objects of an entity that link to this one by a property. An inverse of the schema has
  /// the entity's type.
  private static func backlinks(_ names: [String]) throws(FilterStepError) -> FilterTarget {
    let inverses = Element.schema.definitions.compactMap(\.inverse)
    guard names.count == 2 else {
      throw FilterStepError(message: "@links is followed by an entity and its property: @links.Post.author")
    }
    guard let inverse = inverses.first(where: { "\($0.source)" == names[0] && $0.property == names[1] })
    else {
      throw FilterStepError(
        message:
          "the schema of \(Element.self) names no inverse of \(names[0]).\(names[1]); add Inverse(\"…\", of: \\\(names[0]).\(names[1]))"
      )
    }
    return backlinks(inverse)
  }

  private static func unknown(_ names: ArraySlice<String>) -> FilterStepError {
    let known = Element.schema.definitions.filter { !$0.isIgnored }.compactMap(\.name) + ["id"]
    let name = names.first ?? ""
    if Element.schema.definitions.contains(where: { $0.isIgnored && $0.name == name }) {
      return FilterStepError(
        message: "\(Element.self).\(name) is ignored by the schema; list it there to filter by it")
    }
    return FilterStepError(
      message: "\(Element.self) has no property \(name)", suggestion: NearestWord.find(name, in: known))
  }
}
