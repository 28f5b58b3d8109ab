import LiveStore

/// A row of 40 bytes with one string.
struct Item: Entity {
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
    name = "row \(number)"
    score = scattered(number)
    group = Int32(number % 1_000)
    flag = Int32(number & 1)
  }
}

/// The same with an index of scattered values.
struct Indexed: Entity {
  let id: Int
  var name: String
  var score: Int

  static let schema = Schema<Indexed> {
    \.name
    Property(\.score, .indexed)
  }

  init(_ number: Int) {
    (id, name, score) = (number, "row \(number)", scattered(number))
  }
}

/// A value below a million, always the same for a number.
func scattered(_ number: Int) -> Int {
  var z = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15
  z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
  z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
  return Int((z ^ (z >> 31)) % 1_000_000)
}
