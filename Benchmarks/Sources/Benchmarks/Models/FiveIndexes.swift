import LiveStore

/// An `Item` with five indexes, one of them of text.
struct FiveIndexes: Entity, Equatable {
  let id: Int
  var name: String
  var score: Int
  var group: Int32
  var flag: Int32
  var rank: Int

  static let schema = Schema<FiveIndexes> {
    Property(\.name, .indexed)
    Property(\.score, .indexed)
    Property(\.group, .indexed)
    Property(\.flag, .indexed)
    Property(\.rank, .indexed)
  }

  init(_ item: Item) {
    (id, name, score, group, flag) = (item.id, item.name, item.score, item.group, item.flag)
    rank = scattered(-item.id - 1)
  }
}
