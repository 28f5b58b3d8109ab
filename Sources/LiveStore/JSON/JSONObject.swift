import Foundation

/// The members of a JSON object: each key once, in the order of the source.
///
/// The order of the keys only matters for printing. Equality, hashing and the order of two objects use the keys in
/// ascending order, so `{"a":1,"b":2}` equals `{"b":2,"a":1}`. Two objects are ordered by their first difference as
/// lists of key-value pairs in ascending order of the keys; if one list is a prefix of the other, the shorter one is
/// first.
///
/// ```swift
/// let object: JSONObject = ["b": 2, "a": 1]
/// object["a"]                  // 1
/// object.map(\.key)            // ["b", "a"]
/// ```
public struct JSONObject: Sendable {
  /// A key and its value.
  package struct Member: Sendable {
    let key: String
    var value: JSONValue
  }

  /// The members in the order of the source, each key once.
  private var members: [Member]
  /// For objects larger than `smallCount`: the ascending order of their keys.
  private var index: Positions?

  /// Positions of members in ascending order of their keys. A separate object, so that small objects, which have
  /// none, are copied by retaining one array.
  private final class Positions: Sendable {
    let positions: [Int32]

    init(_ positions: [Int32]) {
      self.positions = positions
    }
  }

  /// Up to this many keys a linear search is faster than an index.
  static let smallCount = 16

  /// An object without members.
  public init() {
    members = []
  }

  /// An object of these members; of equal keys the last value counts, at the position of the first.
  /// - Complexity: O(n log n), linear for small objects.
  public init(_ members: some Sequence<(key: String, value: JSONValue)>) {
    self.init(members: members.map { Member(key: $0.key, value: $0.value) })
  }

  /// An object of these members; of equal keys the last value counts, at the position of the first.
  package init(members: [Member]) {
    self.members = members
    if members.count > Self.smallCount {
      indexLarge()
    } else if members.count > 1 {
      mergeSmall()
    }
  }

  /// The value of a key, or nil if there is none.
  /// - Complexity: O(log n)
  public subscript(key: String) -> JSONValue? {
    position(of: key).map { members[$0].value }
  }

  private func position(of key: String) -> Int? {
    guard let ascending = index?.positions else { return members.firstIndex { isSameText($0.key, key) } }
    let place = ascending.partitionPoint { String.textOrder(members[Int($0)].key, key) < 0 }
    guard place < ascending.count else { return nil }
    let position = Int(ascending[place])
    return isSameText(members[position].key, key) ? position : nil
  }

  /// The members in ascending order of their keys.
  private var ascending: some Sequence<Member> {
    (index?.positions ?? Self.ascendingPositions(members)).lazy.map { members[Int($0)] }
  }

  private static func ascendingPositions(_ members: [Member]) -> [Int32] {
    (0..<Int32(members.count)).sorted { one, other in
      let order = String.textOrder(members[Int(one)].key, members[Int(other)].key)
      return order == 0 ? one < other : order < 0
    }
  }

  /// Merges equal keys by comparing each with those before it.
  private mutating func mergeSmall() {
    var position = 1
    while position < members.count {
      let key = members[position].key
      if let first = members[..<position].firstIndex(where: { isSameText($0.key, key) }) {
        members[first].value = members.remove(at: position).value
      } else {
        position += 1
      }
    }
  }

  /// Sorts the positions and merges equal keys, which are then neighbours with the first one in front.
  private mutating func indexLarge() {
    let ascending = Self.ascendingPositions(members)
    var isKept = [Bool](repeating: true, count: members.count)
    var first = Int(ascending[0])
    for position in ascending.dropFirst().map(Int.init) {
      if isSameText(members[position].key, members[first].key) {
        members[first].value = members[position].value
        isKept[position] = false
      } else {
        first = position
      }
    }
    if isKept.allSatisfy({ $0 }) {
      index = Positions(ascending)
    } else {
      self = JSONObject(members: zip(members, isKept).filter(\.1).map(\.0))
    }
  }
}

extension JSONObject: RandomAccessCollection, ExpressibleByDictionaryLiteral {
  /// The position of the first member.
  public var startIndex: Int { 0 }
  /// The position after the last member.
  public var endIndex: Int { members.count }

  /// The member at a position in the order of the source.
  public subscript(position: Int) -> (key: String, value: JSONValue) {
    (members[position].key, members[position].value)
  }

  /// An object of these members; of equal keys the last value counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements.map { (key: $0.0, value: $0.1) })
  }
}

extension JSONObject: Hashable, Comparable {
  /// True if both have the same keys with equal values, in any order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.count == right.count else { return false }
    if left.members.elementsEqual(right.members, by: { isSameText($0.key, $1.key) }) {
      return left.members.elementsEqual(right.members) { $0.value == $1.value }
    }
    return left.members.allSatisfy { right[$0.key] == $0.value }
  }

  /// True if the left object is first, see ``JSONObject``.
  public static func < (left: JSONObject, right: JSONObject) -> Bool {
    order(left, right) < 0
  }

  /// Hashes the members so that their order does not matter.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for (key, value) in self {
      var member = hasher
      member.combine(textHash(key))
      member.combine(value)
      sum &+= member.finalize()
    }
    hasher.combine(count)
    hasher.combine(sum)
  }

  /// Negative, zero or positive, in one traversal.
  package static func order(_ left: JSONObject, _ right: JSONObject) -> Int {
    for (a, b) in zip(left.ascending, right.ascending) {
      let keys = String.textOrder(a.key, b.key)
      if keys != 0 { return keys }
      let order = JSONValue.order(a.value, b.value)
      if order != 0 { return order }
    }
    return left.count - right.count
  }
}
