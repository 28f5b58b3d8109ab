/// The members of a JSON object: each key once, in the order of the source.
///
/// The order of the keys matters to printing only. Equality, hashing and the order of two objects go by the
/// keys in ascending order, so `{"a":1,"b":2}` equals `{"b":2,"a":1}`. Two objects are ordered by their first
/// difference when each is read as the list of its key-value pairs in ascending order of the keys; where one
/// list is a prefix of the other, the shorter one stands first.
///
/// ```swift
/// let object: JSONObject = ["b": 2, "a": 1]
/// object["a"]                  // 1
/// object.map(\.key)            // ["b", "a"]
/// ```
public struct JSONObject: Sendable {
  /// The keys in the order of the source, each once.
  package private(set) var keys: [String]
  /// The values, in the order of `keys`.
  package private(set) var values: [JSONValue]
  /// For objects larger than `smallCount`, the positions in ascending order of their keys, else empty.
  package private(set) var ascending: [Int32]

  /// Up to so many keys a plain search beats an index.
  static let smallCount = 16

  /// An object without members.
  public init() {
    (keys, values, ascending) = ([], [], [])
  }

  /// An object of these members; of equal keys the last value stands, at the place of the first.
  public init(_ members: some Sequence<(key: String, value: JSONValue)>) {
    var (keys, values): ([String], [JSONValue]) = ([], [])
    for (key, value) in members {
      keys.append(key)
      values.append(value)
    }
    self.init(keys: keys, values: values)
  }

  /// An object of parallel lists of keys and values; of equal keys the last value stands, at the place of
  /// the first.
  /// - Complexity: O(n log n), linear for what is small.
  package init(keys: [String], values: [JSONValue]) {
    (self.keys, self.values, ascending) = (keys, values, [])
    if keys.count > Self.smallCount {
      indexLarge()
    } else if keys.count > 1 {
      mergeSmall()
    }
  }

  /// The value of a key, or nil if there is none.
  /// - Complexity: O(log n)
  public subscript(key: String) -> JSONValue? {
    position(of: key).map { values[$0] }
  }

  private func position(of key: String) -> Int? {
    if ascending.isEmpty { return keys.firstIndex(of: key) }
    var (low, high) = (0, ascending.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[Int(ascending[middle])] < key { low = middle + 1 } else { high = middle }
    }
    guard low < ascending.count else { return nil }
    let position = Int(ascending[low])
    return keys[position] == key ? position : nil
  }

  /// The positions in ascending order of the keys.
  var ascendingPositions: [Int32] {
    ascending.isEmpty ? Self.sorted(keys) : ascending
  }

  private static func sorted(_ keys: [String]) -> [Int32] {
    (0..<Int32(keys.count)).sorted { (keys[Int($0)], $0) < (keys[Int($1)], $1) }
  }

  /// Merges equal keys by comparing each with those before it.
  private mutating func mergeSmall() {
    var position = 1
    while position < keys.count {
      if let first = keys[..<position].firstIndex(of: keys[position]) {
        values[first] = values[position]
        keys.remove(at: position)
        values.remove(at: position)
      } else {
        position += 1
      }
    }
  }

  /// Sorts the positions and merges equal keys, which are then neighbours with the first one in front.
  private mutating func indexLarge() {
    let sorted = Self.sorted(keys)
    var isKept = [Bool](repeating: true, count: keys.count)
    var first = Int(sorted[0])
    for position in sorted.dropFirst().map(Int.init) {
      if keys[position] == keys[first] {
        values[first] = values[position]
        isKept[position] = false
      } else {
        first = position
      }
    }
    if isKept.allSatisfy({ $0 }) {
      ascending = sorted
    } else {
      let kept = keys.indices.filter { isKept[$0] }
      self = JSONObject(keys: kept.map { keys[$0] }, values: kept.map { values[$0] })
    }
  }
}

extension JSONObject: RandomAccessCollection, ExpressibleByDictionaryLiteral {
  /// The position of the first member.
  public var startIndex: Int { 0 }
  /// The position after the last member.
  public var endIndex: Int { keys.count }

  /// The member at a position in the order of the source.
  public subscript(position: Int) -> (key: String, value: JSONValue) {
    (keys[position], values[position])
  }

  /// An object of these members; of equal keys the last value stands.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements.map { (key: $0.0, value: $0.1) })
  }
}

extension JSONObject: Hashable, Comparable {
  /// True if both have the same keys with equal values, in any order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.count == right.count else { return false }
    if left.keys == right.keys { return left.values == right.values }
    return left.allSatisfy { right[$0.key] == $0.value }
  }

  /// True if the left object stands first, see ``JSONObject``.
  public static func < (left: JSONObject, right: JSONObject) -> Bool {
    order(left, right) == .ascending
  }

  /// Feeds the members into a hasher so that their order does not matter.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for (key, value) in self {
      var member = hasher
      member.combine(key)
      member.combine(value)
      sum &+= member.finalize()
    }
    hasher.combine(count)
    hasher.combine(sum)
  }

  /// Compares two objects in one walk.
  package static func order(_ left: JSONObject, _ right: JSONObject) -> JSONOrder {
    for (i, j) in zip(left.ascendingPositions, right.ascendingPositions) {
      let (a, b) = (left.keys[Int(i)], right.keys[Int(j)])
      if a != b { return a < b ? .ascending : .descending }
      let order = JSONValue.order(left.values[Int(i)], right.values[Int(j)])
      if order != .same { return order }
    }
    return left.count == right.count ? .same : left.count < right.count ? .ascending : .descending
  }
}
