import Foundation

/// The row that a predicate tests, without its type.
protocol PredicateRow {
  /// The value of a property.
  func property<Root, Output>(_ keyPath: SendableKeyPath<Root, Output>) -> ReadValue<Output>?
}

struct EntityRow<Element: Entity>: PredicateRow {
  func property<Root, Output>(_ keyPath: SendableKeyPath<Root, Output>) -> ReadValue<Output>? {
    let definition = Element.schema.definitions.first {
      $0.inverse == nil && ($0.keyPath as AnyKeyPath) == (keyPath as AnyKeyPath)
    }
    // No expression reads an ignored property, so a condition on one is evaluated.
    if let definition { return definition.typed.flatMap { value(of: $0) } }
    if (keyPath as AnyKeyPath) == (\Element.id as AnyKeyPath) { return value(Row<Element>().rowID) }
    guard let keyPath = typedKeyPath(keyPath, Element.self, Output.self) else { return nil }
    return ReadValue(source: .value(Row<Element>()[keyPath]), witness: plainWitness(Output.self))
  }

  private func value<Output>(of property: some TypedProperty<Element>) -> ReadValue<Output>? {
    value(Row<Element>()[property.keyPath])
  }

  private func value<Value: Equatable & Sendable, Output>(_ expr: Expr<Value>) -> ReadValue<Output>? {
    (expr as? Expr<Output>).map { ReadValue(source: .value($0), witness: Witness<Value>()) }
  }
}
