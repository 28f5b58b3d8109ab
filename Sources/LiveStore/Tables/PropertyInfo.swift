/// A listed property.
package struct PropertyInfo: Sendable {
  package let name: String
  package let path: PropertyPath
  package let options: Set<PropertyOption>
  package let functions: PropertyFunctions
  let merged: MergedProperty
  let elements: ElementFunctions?
  let words: ElementFunctions?
}
