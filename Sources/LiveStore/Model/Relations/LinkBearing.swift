/// A property that holds links, of any object type.
protocol LinkBearing {
  /// The property, for an entity that is the key path's root type.
  func property<Element: Entity>(of _: Element.Type, links: [LinkDefinition]) -> PropertyDefinition<Element>
}

struct LinkBase<Root, Value: Equatable & Sendable>: LinkBearing {
  let keyPath: SendableKeyPath<Root, Value>
  let name: String?

  func property<Element: Entity>(of _: Element.Type, links: [LinkDefinition]) -> PropertyDefinition<Element> {
    guard let keyPath = typedKeyPath(keyPath, Element.self, Value.self) else {
      preconditionFailure("the schema of \(Element.self) lists a property of \(Root.self)")
    }
    return PropertyDefinition(keyPath, name: name, options: [], links: links)
  }
}
