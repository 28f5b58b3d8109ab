/// A kind of ids that are distinguished by a number and all have one hash.
package protocol CollidingID: Hashable, Sendable { init(number: Int) }

/// One with an order, by which colliding ids are found.
package struct OrderedID: CollidingID, Comparable {
  package var number: Int

  package init(number: Int) { self.number = number }

  package func hash(into hasher: inout Hasher) {}
  package static func < (lhs: OrderedID, rhs: OrderedID) -> Bool { lhs.number < rhs.number }
}

/// One without an order: colliding ids are listed.
package struct PlainID: CollidingID {
  package var number: Int

  package init(number: Int) { self.number = number }

  package func hash(into hasher: inout Hasher) {}
}
