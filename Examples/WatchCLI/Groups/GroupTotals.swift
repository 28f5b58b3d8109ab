package import LiveStore

/// The counts and totals of groups, kept up to date by the objects that come and go.
///
/// ```
/// places   "a" → 0   "b" → 2
/// groups   a, 3 objects │ (free) │ b, 1 object
/// totals   a₁ a₂        │        │ b₁ b₂          as many as paths are totalled
/// ```
package struct GroupTotals {
  /// A group, but for its totals.
  struct Group {
    /// The values that its objects share.
    var key: [JSONValue]
    /// How many objects it has; with a trend, in the newest window.
    var count = 0
    /// The counts of the last windows, the newest last; none where no trend is shown.
    var trend: [Int] = []

    /// Whether it is removed.
    var isEmpty: Bool { count == 0 && trend.allSatisfy { $0 == 0 } }
  }

  let options: GroupOptions
  /// The names of a group's values.
  let titles: [String]
  /// What is needed of each path of which there are totals.
  let paths: [PathNeeds]
  /// The path of each total, by its index in `paths`.
  let totalPaths: [Int]
  private var places: [JSONValue: Int32] = [:]
  /// The groups, by their places.
  private(set) var groups: [Group] = []
  private var totals: [PathTotals] = []
  /// The places of which the group has no objects and has been removed; their totals are empty.
  private var free: [Int32] = []
  /// The places of the groups that have changed since `takeChanges`.
  private var changed: Set<Int32> = []
  /// The windows of time, if objects are grouped by them.
  var windows = GroupWindows()

  /// No groups.
  ///
  /// - Parameter areKept: whether objects may be removed.
  package init(_ options: GroupOptions, areKept: Bool = true) {
    self.options = options
    titles = options.titles
    paths = options.needs(areKept: areKept)
    let indices = Dictionary(zip(paths.map(\.steps), paths.indices)) { first, _ in first }
    totalPaths = options.totals.map { indices[$0.path.steps] ?? 0 }
    if options.isWhole { changed.insert(place(of: [])) }
  }

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
    if let every = options.every { return add(document, every) }
    add(sign, values(of: document), at: place(of: key(of: document)))
  }

  /// The values by which an object is grouped.
  func key(of document: Document) -> [JSONValue] {
    options.paths.map { document.value(at: $0.steps) ?? .null }
  }

  /// The place of the group of some values.
  mutating func place(of key: [JSONValue]) -> Int32 {
    let id = Self.id(of: key)
    if let place = places[id] { return place }
    let place = free.popLast() ?? Int32(groups.count)
    if place == groups.count {
      groups.append(Group(key: key))
      totals.append(contentsOf: repeatElement(PathTotals(), count: paths.count))
    } else {
      groups[Int(place)] = Group(key: key)
    }
    places[id] = place
    if options.splitsByWindow { windows.add(place, to: key[0]) }
    return place
  }

  /// What identifies a group of some values.
  static func id(of key: [JSONValue]) -> JSONValue { key.count == 1 ? key[0] : .array(key) }

  /// The values of an object that are totalled.
  func values(of document: Document) -> [GroupValue] {
    paths.isEmpty ? [] : paths.map(document.groupValue)
  }

  /// Adds what an object contributes to its group, or subtracts it.
  mutating func add(_ sign: Int, _ values: some Collection<GroupValue>, at place: Int32) {
    groups[Int(place)].count += sign
    if groups[Int(place)].count == 0 { return empty(place) }
    let first = Int(place) * paths.count
    for (index, value) in values.enumerated() {
      totals[first + index].add(value, isRemoval: sign < 0, paths[index])
    }
    changed.insert(place)
  }

  /// Changes the counts of a group's last windows.
  mutating func updateTrend(at place: Int32, _ update: (inout [Int]) -> Void) {
    update(&groups[Int(place)].trend)
    changed.insert(place)
  }

  /// Removes all objects.
  mutating func removeAll() {
    for place in groups.indices where groups[place].count > 0 { empty(Int32(place)) }
  }

  /// Removes the objects of a group.
  mutating func empty(_ place: Int32) {
    groups[Int(place)].count = 0
    for index in totalIndices(place) { totals[index] = PathTotals() }
    changed.insert(place)
  }

  private func totalIndices(_ place: Int32) -> Range<Int> {
    Int(place) * paths.count..<(Int(place) + 1) * paths.count
  }

  /// The groups that have changed, as objects that are put or removed.
  ///
  /// - Complexity: O(changed groups · log(changed groups))
  package mutating func takeChanges() -> [InputChange] {
    defer { changed = [] }
    return changed.sorted().map { place in
      let group = groups[Int(place)]
      let key = shownKey(of: group)
      if !group.isEmpty || options.isWhole {
        let body = body(group, key, Array(totals[totalIndices(place)]))
        return .put(Document(id: Self.id(of: key), body: body))
      }
      places[Self.id(of: group.key)] = nil
      groups[Int(place)] = Group(key: [])
      free.append(place)
      return .remove(Document(id: Self.id(of: key), body: .null))
    }
  }
}

// MARK: Groups as objects

extension GroupTotals {
  /// The values of a group as they are shown: the beginning of its window in the place of the window's number.
  func shownKey(of group: Group) -> [JSONValue] {
    guard options.splitsByWindow, let every = options.every else { return group.key }
    return [title(of: group.key[0], every)] + group.key.dropFirst()
  }

  /// A group as an object.
  func body(_ group: Group, _ key: [JSONValue], _ totals: [PathTotals]) -> JSONValue {
    var values = key
    if options.showsTrend, let every = options.every {
      values.insert(title(of: JSONValue(windows.newest ?? 0), every), at: 0)
    }
    if options.hasCount { values.append(JSONValue(group.count)) }
    if let every = options.every { values.append(JSONValue(Double(group.count) / every.seconds)) }
    for (total, index) in zip(options.totals, totalPaths) {
      values.append(totals[index].value(of: total.kind))
    }
    if options.showsTrend { values.append(.array(group.trend.map { JSONValue($0) })) }
    return .object(JSONObject(zip(titles, values).map { (key: $0, value: $1) }))
  }

  private func title(of window: JSONValue, _ every: GroupWindow) -> JSONValue {
    guard case .number(let number) = window, let number = number.integer else { return .null }
    return every.title(of: number)
  }
}
