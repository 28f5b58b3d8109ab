import Foundation
import LiveStore

/// An `Item` with an index of `score`.
struct OneIndex: Entity, Equatable {
  let id: Int
  var name: String
  var score: Int
  var group: Int32
  var flag: Int32

  static let schema = Schema<OneIndex> {
    \.name
    Property(\.score, .indexed)
    \.group
    \.flag
  }

  init(_ item: Item) {
    (id, name, score, group, flag) = (item.id, item.name, item.score, item.group, item.flag)
  }
}

/// An `Item` with indexes of `score` and `group`. As many values of `group` as rows, scattered.
struct TwoIndexes: Entity, Equatable {
  let id: Int
  var name: String
  var score: Int
  var group: Int32
  var flag: Int32

  static let schema = Schema<TwoIndexes> {
    \.name
    Property(\.score, .indexed)
    Property(\.group, .indexed)
    \.flag
  }

  init(_ item: Item) {
    (id, name, score, flag) = (item.id, item.name, item.score, item.flag)
    group = Int32(scattered(-item.id - 1))
  }
}

/// An `Item` whose id is a UUID.
struct UniversalItem: Entity, Equatable {
  let id: UUID
  var name: String
  var score: Int
  var group: Int32
  var flag: Int32

  static let schema = Schema<UniversalItem> {
    \.name
    \.score
    \.group
    \.flag
  }

  init(_ item: Item) {
    (id, name, score) = (Self.id(item.id), item.name, item.score)
    (group, flag) = (item.group, item.flag)
  }

  /// The id for a number, the same in each run.
  static func id(_ number: Int) -> UUID {
    let high = SplitMix64.mix(UInt64(number) &+ 1)
    let low = SplitMix64.mix(high)
    return withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.load(as: uuid_t.self)) }
  }
}
