/// Rows that ids or indexes lead to.
indirect enum RowSource {
  /// Rows whose ids have these hashes.
  case ids([UInt64])
  /// Key ranges of an index, by the number of the property's index.
  case index(Int, [Range<Int>])
  /// Key ranges of an inverted index, by its number, one for each hash.
  case inverted(Int, [Range<Int>])
  /// Key ranges of an index of links, by its number, to objects of a table that are found in their own way.
  case linked(Int, [Range<Int>], table: Int, by: RowSource)
  /// Key ranges of inverted indexes of words, by their numbers.
  case words([Int], [[Range<Int>]])
  /// The rows that at least one of several ways leads to.
  case union([RowSource])
  /// The rows that all of several ways lead to.
  case intersection([RowSource])
}

extension RowSource {
  /// Calls `body` with each row in insertion order until it returns false: neighbours in the table are neighbours in
  /// memory.
  ///
  /// - Parameter skipped: how many rows at the beginning are passed over; 0 without an ordered list.
  func forEach(
    _ state: TableState, _ info: EntityInfo, skipping skipped: Int, _ work: inout QueryWork,
    _ body: (UInt64) -> Bool
  ) {
    if let list = orderedList(state, info) {
      var rest = skipped
      _ = list.tree.forEachRow(in: list.range.dropFirst(&rest), &work, body)
      return
    }
    precondition(skipped == 0, "rows are passed over in an ordered list alone")
    if case .ids(let hashes) = self, hashes.count == 1 {
      for row in state.rows(ofHash: hashes[0]).sorted() {
        guard body(row) else { return }
      }
    } else {
      // Several ranges may have one row (I4).
      var rows = RowSet(self, state, &work)
      rows.forEach(body)
    }
  }

  /// The range of an index that lists all rows in insertion order, as the rows of one value or hash are; nil
  /// if there is none.
  func orderedList(_ state: TableState, _ info: EntityInfo) -> (tree: Tree, range: Range<Int>)? {
    guard let lists = lists(state)?.filter({ !$0.ranges.isEmpty }), lists.count == 1,
      lists[0].ranges.count == 1
    else { return nil }
    let (tree, range) = (lists[0].tree, lists[0].ranges[0])
    if range.isEmpty { return nil }
    let (first, last) = (tree.entry(at: range.lowerBound).key, tree.entry(at: range.upperBound - 1).key)
    guard first.first == last.first else { return nil }
    guard case .index(let number, _) = self else { return (tree, range) }
    let index = info.indexes[number]
    guard index.hasConsistentOrder else { return nil }
    let order = index.compare.map { $0(state.existing(first.second), state.existing(last.second)) }
    return order ?? 0 == 0 ? (tree, range) : nil
  }

  /// The ranges of indexes that list the rows; nil if something else leads to them.
  fileprivate func lists(_ state: TableState) -> [(tree: Tree, ranges: [Range<Int>])]? {
    switch self {
    case .index(let index, let ranges): [(state.indexes[index], ranges)]
    case .inverted(let index, let ranges), .linked(let index, let ranges, _, _):
      [(state.inverted[index], ranges)]
    case .words(let indexes, let ranges): zip(indexes, ranges).map { (state.inverted[$0], $1) }
    case .ids, .union, .intersection: nil
    }
  }

  /// The name in explanations, for the table of an entity.
  func name(_ info: EntityInfo, _ catalog: Catalog) -> String {
    switch self {
    case .ids: "id of \(info.name)"
    case .index(let index, _): info.name(info.indexes[index])
    case .inverted(let index, _): "\(info.inverted[index].kind) \(info.name).\(info.inverted[index].name)"
    case .linked(let index, _, let table, let source):
      "links \(info.name).\(info.inverted[index].name) by \(source.name(catalog.entities[table], catalog))"
    case .words(let indexes, _):
      "words " + indexes.map { "\(info.name).\(info.inverted[$0].name)" }.joined(separator: " or ")
    case .union(let parts): parts.map { $0.name(info, catalog) }.joined(separator: " or ")
    case .intersection(let parts):
      parts.map { part in
        if case .union = part { "(\(part.name(info, catalog)))" } else { part.name(info, catalog) }
      }.joined(separator: " and ")
    }
  }
}

extension EntityInfo {
  /// The name of an index in explanations: `index Post.date`, or `index Post.(status, date)`.
  func name(_ index: IndexInfo) -> String { "index \(name).\(index.name)" }
}

extension RowSet {
  /// The rows that ids or indexes lead to.
  init(_ source: RowSource, _ state: TableState, _ work: inout QueryWork) {
    if let lists = source.lists(state) {
      let count = lists.reduce(0) { $1.ranges.reduce($0) { $0 + $1.count } }
      work.entriesRead += count
      self.init(state, expecting: count)
      for list in lists { insert(list.ranges, of: list.tree) }
      return
    }
    switch source {
    case .ids(let hashes):
      self.init(state, expecting: hashes.count)
      for hash in hashes { for row in state.rows(ofHash: hash) { insert(row) } }
    case .intersection(let parts):
      self.init(parts[0], state, &work)
      for part in parts.dropFirst() { formIntersection(RowSet(part, state, &work)) }
    case .union(let parts):
      self.init(state, expecting: 0)
      for part in parts { formUnion(RowSet(part, state, &work)) }
    case .index, .inverted, .linked, .words: self.init(state, expecting: 0)
    }
  }
}

extension Tree {
  /// Calls `body` with the row of each entry of a range, in order, until it returns false.
  ///
  /// - Returns: whether `body` always returned true.
  func forEachRow(in range: Range<Int>, _ work: inout QueryWork, _ body: (UInt64) -> Bool) -> Bool {
    if range.isEmpty { return true }
    var cursor = TreeCursor(self, at: range.lowerBound)
    for read in 1...range.count {
      guard let entry = cursor.next(), body(entry.key.second) else {
        work.entriesRead += read
        return false
      }
    }
    work.entriesRead += range.count
    return true
  }
}

extension Range<Int> {
  /// The range without its first `rest` ranks; `rest` is lowered by the number of ranks dropped.
  func dropFirst(_ rest: inout Int) -> Range<Int> {
    let dropped = Swift.min(rest, count)
    rest -= dropped
    return (lowerBound + dropped)..<upperBound
  }
}
