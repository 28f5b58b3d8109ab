import LiveStore

/// A column of the output: where its values stand in an object, and its title.
package struct Column: Hashable, Sendable {
  /// Where the value stands.
  package let path: [String]
  /// What is written above the values.
  package let title: String
  /// Whether the title is another than the path.
  package let hasTitle: Bool

  /// A column; without a title, the path is its title.
  package init(path: [String], title: String? = nil) {
    let name = KeyPathText(steps: path).title
    (self.path, self.title) = (path, title ?? name)
    hasTitle = !self.title.utf8.elementsEqual(name.utf8)
  }

  /// Whether the values stand at a path.
  package func isAt(_ path: [String]) -> Bool {
    self.path.lazy.map(ComparedText.init).elementsEqual(path.lazy.map(ComparedText.init))
  }
}

/// Columns that are found in objects: the paths of what is no object, or as deep as they may be, in the order of appearance.
///
/// Most objects have the same members in the same order, so those of the last one are remembered: a path is looked up only
/// where an object differs from the one before it.
/// ```
/// {"id":7,"owner":{"name":"Ann"},"x":2}
/// ["id"] → 0   ["owner"] {   ["owner", "name"] → 1   ["x"] → 2
/// ```
package struct FoundColumns: Sendable {
  /// A member of the last object.
  private struct Member {
    let key: [UInt8]
    let path: [String]
    let isObject: Bool
    /// Whether it is an object that is looked into.
    let isInner: Bool
    var column: Int?
  }

  /// The columns in order.
  package private(set) var columns: [Column] = []
  private var places: [[ComparedText]: Int] = [:]
  /// Whether an object has a value in a column that is not null.
  private var haveValues: [Bool] = []
  /// The paths of objects that are looked into though they are deep, as a column is in them.
  private var deepObjects: Set<[ComparedText]> = []
  private var members: [Member] = []
  private let limit: Int
  /// Whether an object has its own column even where all values in it have some.
  private let areGiven: Bool

  /// How deep objects are looked into.
  private static let depth = 2

  /// No columns.
  ///
  /// - Parameter limit: how many are found at most.
  package init(limit: Int = .max) { (self.limit, areGiven) = (limit, false) }

  /// Columns that are given, of different paths.
  init(_ columns: [Column]) {
    (limit, areGiven) = (.max, true)
    for column in columns { add(column.path) }
  }

  /// Adds the columns that an object has, the key's first.
  ///
  /// - Parameter other: a member of the object that is none.
  /// - Complexity: O(length of the object)
  package mutating func find(in document: Document, key: [[String]], except other: [String]? = nil) {
    document.withObject { object in
      for path in key where object.range(at: path) != nil { add(path) }
      visit(object) { found, member, range in
        let path = found.members[member].path
        // An object that is part of the key is a column as a whole.
        if found.members[member].column == nil, path != other, !key.contains(where: path.starts) {
          found.members[member].column = found.add(path)
        }
        if let column = found.members[member].column, !object.isNull(at: range) {
          found.haveValues[column] = true
        }
      }
    }
  }

  /// The path of the first value of an object that meets a condition.
  ///
  /// - Complexity: O(length of the object)
  mutating func path(in document: Document, where matches: (ShownValue) -> Bool) -> [String]? {
    document.withObject { object, spellings in
      var match: [String]?
      visit(object) { found, member, range in
        if match == nil, matches(ShownValue(object, at: range, spellings)) {
          match = found.members[member].path
        }
      }
      return match
    }
  }

  /// Adds a column where there is none; nil if there are too many.
  @discardableResult
  mutating func add(_ path: [String]) -> Int? {
    let key = path.map(ComparedText.init)
    if let place = places[key] { return place }
    guard columns.count < limit else { return nil }
    if path.count > Self.depth {
      for count in Self.depth..<path.count where deepObjects.insert(Array(key[..<count])).inserted {
        // Not while members are gone through: in an object that is looked into there is no other.
        members = []
      }
    }
    places[key] = columns.count
    columns.append(Column(path: path))
    haveValues.append(false)
    return columns.count - 1
  }

  /// Removes the columns in which objects have null or nothing, if others have objects there with columns of their own.
  mutating func removeNullObjects() {
    let objects = Set(
      columns.flatMap { column in
        (1..<max(1, column.path.count)).map { column.path[..<$0].map(ComparedText.init) }
      })
    let old = self
    self = FoundColumns(limit: limit)
    for (column, hasValue) in zip(old.columns, old.haveValues)
    where hasValue || !objects.contains(column.path.map(ComparedText.init)) {
      add(column.path)
    }
  }

  /// Puts the places of an object's values in these columns into an array, nil for those that are missing.
  ///
  /// - Complexity: O(length of the object + columns)
  mutating func getRanges(of object: JSONText, _ ranges: inout [Range<Int>?]) {
    ranges.removeAll(keepingCapacity: true)
    ranges.append(contentsOf: repeatElement(nil, count: columns.count))
    visit(object) { found, member, range in
      if let column = found.members[member].column { ranges[column] = range }
    }
  }

  /// Calls a closure with the number of each member of an object that is not looked into, and where its value is; also of
  /// an object with a column of its own, if a value in it has none.
  private mutating func visit(
    _ object: JSONText, _ body: (inout FoundColumns, _ member: Int, Range<Int>) -> Void
  ) {
    var number = 0
    _ = visit(object, at: 0, [], &number, body)
  }

  /// - Returns: whether each value has a column.
  private mutating func visit(
    _ object: JSONText, at place: Int, _ parents: [String], _ number: inout Int,
    _ body: (inout FoundColumns, _ member: Int, Range<Int>) -> Void
  ) -> Bool {
    var isComplete = true
    object.forEachMember(at: place) { key, range in
      let isObject = object.bytes[range.lowerBound] == UInt8(ascii: "{") && range.count > 2
      let member = number
      number += 1
      let isKnown =
        member < members.count && members[member].isObject == isObject
        && members[member].path.count == parents.count + 1 && key.isWritten(members[member].key)
      if !isKnown { replaceMembers(from: member, key, parents, isObject: isObject) }
      if members[member].isInner {
        let hasColumns = visit(object, at: range.lowerBound, members[member].path, &number, body)
        guard areGiven || !hasColumns else { return }
        if members[member].column != nil { return body(&self, member, range) }
      } else {
        body(&self, member, range)
      }
      if members[member].column == nil { isComplete = false }
    }
    return isComplete
  }

  private mutating func replaceMembers(
    from number: Int, _ key: JSONTextKey, _ parents: [String], isObject: Bool
  ) {
    members.removeSubrange(min(number, members.count)...)
    let path = parents + [key.text]
    let compared = path.map(ComparedText.init)
    let isInner = isObject && (path.count < Self.depth || deepObjects.contains(compared))
    members.append(
      Member(
        key: Array(key.bytes), path: path, isObject: isObject, isInner: isInner, column: places[compared]))
  }
}
