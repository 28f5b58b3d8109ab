import LiveStore

/// 40 bytes with one string, as in the contract's own figures. `score` and `name` are scattered.
struct Item: Entity, Equatable {
  let id: Int
  var name: String
  var score: Int
  var group: Int32
  var flag: Int32

  static let schema = Schema<Item> {
    \.name
    \.score
    \.group
    \.flag
  }

  init(_ number: Int) {
    id = number
    score = scattered(number)
    name = "row \(score)"
    group = Int32(truncatingIfNeeded: number % 100_000)
    flag = Int32(truncatingIfNeeded: number & 1)
  }

  static func many(_ count: Int) -> [Item] { (0..<count).map { Item($0) } }
}
