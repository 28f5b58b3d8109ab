/// A listed property. An object, so that passing it on counts one reference.
package final class PropertyInfo: Sendable {
  package let name: String
  package let path: Term
  package let options: Set<PropertyOption>
  package let functions: PropertyFunctions
  let merged: MergedProperty
  let elements: ElementFunctions?
  let words: ElementFunctions?

  init<Element>(
    _ definition: PropertyDefinition<Element>, name: String, _ functions: PropertyFunctions,
    _ merged: MergedProperty
  ) {
    self.name = name
    path = Term(definition.keyPath, name: name)
    options = definition.options
    self.functions = functions
    self.merged = merged
    elements = definition.elements
    words = definition.words
  }
}
