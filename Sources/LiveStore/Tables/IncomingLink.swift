/// A link that leads to an entity, with the number of the table that holds it.
package struct IncomingLink: Hashable, Sendable {
  package let table: Int
  package let link: Int
}
