package import LiveStore

/// A small entity with one of everything that this package's tests need.
package struct Item: Entity, Equatable {
  package let id: Int
  package var name: String
  package var rank: Int
  package var group: Int
  package var score: Double?
  package var isDone: Bool

  package init(
    _ id: Int, name: String = "", rank: Int = 0, group: Int = 0, score: Double? = nil, isDone: Bool = false
  ) {
    self.id = id
    self.name = name
    self.rank = rank
    self.group = group
    self.score = score
    self.isDone = isDone
  }

  package static let schema = Schema<Item> {
    \.name
    Property(\.rank, .indexed)
    Property(\.group, .indexed)
    \.score
    \.isDone
  }
}
