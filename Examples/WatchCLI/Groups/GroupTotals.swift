import Foundation
package import LiveStore

/// The counts and sums of groups, kept up to date by the objects that come and go.
///
/// Sums are exact, so that what is added and subtracted again leaves nothing behind.
///
/// ```
/// places   "a" → 0   "b" → 2
/// groups   a, 3 objects │ (free) │ b, 1 object
/// sums     a₁ a₂        │        │ b₁ b₂          as many as paths are summed
/// ```
package struct GroupTotals {
  private struct Group {
    var key: JSONValue
    var count = 0
  }

  private let options: GroupOptions
  private var places: [JSONValue: Int32] = [:]
  private var groups: [Group] = []
  private var sums: [DecimalSum] = []
  /// The places of which the group has no objects and has been removed; their sums are zero.
  private var free: [Int32] = []
  /// The places of the groups that have changed since `takeChanges`.
  private var changed: Set<Int32> = []

  /// No groups.
  package init(_ options: GroupOptions) {
    self.options = options
  }

  /// How many sums a group has.
  var sumCount: Int { options.sums.count }

  /// Takes in an event of the objects' query.
  ///
  /// - Complexity: O(changes)
  package mutating func apply(_ change: CollectionChange<Document>) {
    switch change {
    case .initial(let results): for document in results { add(document, 1) }
    case .update(_, let changes):
      for index in changes.deletions { add(changes.previous[index], -1) }
      for index in changes.insertions { add(changes.current[index], 1) }
      for modification in changes.modifications {
        add(modification.old, -1)
        add(modification.new, 1)
      }
    case .error: break
    }
  }

  /// Takes in an object that comes, or goes.
  package mutating func add(_ document: Document, _ sign: Int) {
    let place = place(of: document)
    add(sign, numbers(of: document), at: place)
  }

  /// The place of an object's group.
  mutating func place(of document: Document) -> Int32 {
    let values = options.paths.map { document.value(at: $0.steps) ?? .null }
    let key = values.count == 1 ? values[0] : .array(values)
    if let place = places[key] { return place }
    let place = free.popLast() ?? Int32(groups.count)
    if place == groups.count {
      groups.append(Group(key: key))
      sums.append(contentsOf: repeatElement(DecimalSum(), count: sumCount))
    } else {
      groups[Int(place)] = Group(key: key)
    }
    places[key] = place
    return place
  }

  /// The numbers of an object that are summed; zero for what is none.
  func numbers(of document: Document) -> [DecimalSum.Summand] {
    options.sums.isEmpty ? [] : options.sums.map { document.summand(at: $0.steps) ?? .decimal(0) }
  }

  /// Adds what an object contributes to its group, or subtracts it.
  mutating func add(_ sign: Int, _ numbers: some Collection<DecimalSum.Summand>, at place: Int32) {
    groups[Int(place)].count += sign
    if groups[Int(place)].count == 0 { return empty(place) }
    for (index, number) in zip(sumIndices(place), numbers) {
      sums[index].add(number, isRemoval: sign < 0)
    }
    changed.insert(place)
  }

  /// Removes all objects.
  mutating func removeAll() {
    for place in groups.indices where groups[place].count > 0 { empty(Int32(place)) }
  }

  private mutating func empty(_ place: Int32) {
    groups[Int(place)].count = 0
    for index in sumIndices(place) { sums[index] = DecimalSum() }
    changed.insert(place)
  }

  private func sumIndices(_ place: Int32) -> Range<Int> {
    Int(place) * sumCount..<(Int(place) + 1) * sumCount
  }

  /// The groups that have changed, as objects that are put or removed.
  ///
  /// - Complexity: O(changed groups · log(changed groups))
  package mutating func takeChanges() -> [InputChange] {
    defer { changed = [] }
    return changed.sorted().map { place in
      let group = groups[Int(place)]
      if group.count > 0 { return .put(Document(id: group.key, body: body(group, sumIndices(place)))) }
      places[group.key] = nil
      groups[Int(place)].key = .null
      free.append(place)
      return .remove(Document(id: group.key, body: .null))
    }
  }

  private func body(_ group: Group, _ indices: Range<Int>) -> JSONValue {
    let values =
      if options.paths.count > 1, case .array(let values) = group.key { values } else { [group.key] }
    var members = zip(options.paths, values).map { (key: $0.title, value: $1) }
    if options.hasCount { members.append(("count", JSONValue(group.count))) }
    for (path, index) in zip(options.sums, indices) {
      // Null beyond the numbers of JSON values.
      let sum = try? JSONValue(parsing: sums[index].description)
      members.append((GroupOptions.title(ofSum: path), sum ?? .null))
    }
    return .object(JSONObject(members))
  }
}
