import LiveStore

/// Composing consecutive change sets, folding operations on lists, and differences of two orders.
enum MergeCases {
  static func run(_ content: JSONValue, _ report: inout CaseReport) async throws {
    for value in try content.elements("cases") { await report.run(value, compose) }
    for value in try content.optionalElements("list_operation_cases") { await report.run(value, fold) }
    for value in try content.optionalElements("diff_cases") { await report.run(value, difference) }
  }

  /// Makes each set by a transaction and composes the store's own change sets.
  ///
  /// An observer that was paused all the time must receive the same.
  private static func compose(_ value: JSONValue) async throws {
    var sets: [IndexSets] = []
    for name in ["first", "second", "third", "fourth"] where !value[name].isNull {
      sets.append(try IndexSets(value[name]))
    }
    var (count, growth) = (value["old_count_at_least"].integer ?? 0, 0)
    for set in sets {
      count = max(count, set.oldCountAtLeast - growth)
      growth += set.insertions.count - set.deletions.count
    }
    var lines = try await LineStore(ids: Array(0..<count))
    let (each, late) = (try await LineObservation(lines), try await LineObservation(lines))
    late.pause()
    let start = lines.store.snapshot().fetch(Line.inOrder)
    var composed = start.changes(to: start)
    var modifiedIDs: Set<Int> = []
    for (index, set) in sets.enumerated() {
      let old = lines.ids
      let new = try set.order(after: old) { lines.makeID() }
      let modified = Set(set.modifications.map { new[$0] })
      modifiedIDs.formUnion(modified)
      try await lines.reorder(new, placed: Set(set.moves.map { old[$0.from] }), modified: modified)
      try await lines.store.settled()
      let changes = try each.take("set \(index)") ?? composed.current.changes(to: composed.current)
      try check("set \(index)", set, changes, modified)
      composed = composed.followed(by: changes)
    }
    let expected = try IndexChanges(value["expected"])
    try check("composed", expected, composed, modifiedIDs)
    late.resume()
    try await lines.store.settled()
    if let merged = try late.take("merged") {
      try check("merged", expected, merged, modifiedIDs)
    } else {
      try demand("merged is nothing", expected: expected.isEmpty, seen: true)
    }
  }

  /// The store's own change set is the one that the case composes.
  private static func check(
    _ place: String, _ set: IndexSets, _ changes: ChangeSet<Line>, _ modified: Set<Int>
  ) throws {
    let old = changes.previous.ids.map { $0 }
    let new = changes.current.ids.map { $0 }
    let inPlace = new.indices.filter { set.modifications.contains($0) && !set.insertions.contains($0) }
    var expected = IndexChanges(changes.batchUpdates)
    expected.deletions = set.deletions.sorted()
    expected.insertions = set.insertions.sorted()
    expected.modificationsNew = inPlace
    expected.modifications = inPlace.compactMap { old.firstIndex(of: new[$0]) }.sorted()
    try check(place, expected, changes, modified)
  }

  private static func check(
    _ place: String, _ expected: IndexChanges, _ changes: ChangeSet<Line>, _ modified: Set<Int>
  ) throws {
    let seen = IndexChanges(changes.batchUpdates)
    let (old, new) = (Array(changes.previous.ids), Array(changes.current.ids))
    guard seen.isAsGood(as: expected, from: old, to: new, modified: modified) else {
      throw CaseFailure.wrong(place, expected: expected, seen: seen)
    }
  }
}

extension MergeCases {
  /// All operations in one transaction become one change set: of a list, and of lines brought into the same order.
  private static func fold(_ value: JSONValue) async throws {
    var lines = try await LineStore(ids: Array(0..<(try value.integer("list_size"))))
    let observation = try await LineObservation(lines, properties: [\.value])
    let old = lines.ids
    var (order, modified): ([Int], Set<Int>) = (old, [])
    var edits: [ListEdit] = []
    for operation in try value.elements("ops") {
      let edit = try edit(operation)
      if case .set(_, let index) = edit {
        guard order.indices.contains(index) else { throw CaseFailure.malformed("no index \(index)") }
        modified.insert(order[index])
      } else if case .insert(_, let index) = edit {
        let id = lines.makeID()
        edits.append(.insert(JSONValue(id), at: index))
        try edit.apply(to: &order) { _ in id }
      } else {
        edits.append(edit)
        try edit.apply(to: &order) { _ in lines.makeID() }
      }
    }
    let list = try await LineList(old, others: Set(order))
    let inList = try await list.changes(modified: modified.intersection(order)) { list in
      for edit in edits { try edit.apply(toList: &list) { Ref(try Int($0)) } }
    }
    try check("folded in a list", inList, value["expected"], modified)
    try await lines.reorder(order, placed: Set(order), modified: modified)
    try await lines.store.settled()
    try check("folded", try observation.take("folded"), value["expected"], modified)
  }

  /// A change set is what folding gives, or as good.
  private static func check(
    _ place: String, _ changes: ChangeSet<Line>?, _ json: JSONValue, _ modified: Set<Int>
  ) throws {
    let expected = try IndexChanges(json)
    guard let changes else {
      return try demand("\(place) is nothing", expected: expected.isEmpty, seen: true)
    }
    try check(place, expected, changes, modified)
    let seen = IndexChanges(changes.batchUpdates)
    if seen == expected, !json["moves"].isNull {
      let moves = try json.elements("moves").map { try ($0.elements ?? []).integers() }
      try demand("\(place): moves", expected: Set(moves), seen: Set(changes.moves.map { [$0.from, $0.to] }))
    }
  }

  private static func edit(_ operation: JSONValue) throws -> ListEdit {
    let parts = operation.elements ?? []
    guard let word = parts.first?.text else {
      throw CaseFailure.malformed("\(operation.shortened) is no operation")
    }
    let indices = try parts.dropFirst().map { try Int($0) }
    switch (word, indices.count) {
    case ("insert", 1): return .insert(.null, at: indices[0])
    case ("set", 1), ("modify", 1): return .set(.null, at: indices[0])
    case ("remove", 1), ("erase", 1): return .remove(at: indices[0])
    case ("move", 2): return .move(from: indices[0], to: indices[1])
    case ("swap", 2): return .swap(indices[0], indices[1])
    case ("clear", _): return .clear
    default: throw CaseFailure.malformed("\(operation.shortened) is no operation")
    }
  }

  /// The difference of two orders is one of the smallest: of a list that is replaced, and of lines.
  private static func difference(_ value: JSONValue) async throws {
    let (old, new) = (try value.integers("old"), try value.integers("new"))
    let modified = Set(try value.integers("modified")).intersection(old)
    let list = try await LineList(old, others: Set(new))
    let inList = try await list.changes(modified: modified) { $0 = RefList(ids: new) }
    try check("difference of lists", inList, value)
    guard Set(old).count == old.count, Set(new).count == new.count else { return }
    var lines = try await LineStore(ids: old)
    let observation = try await LineObservation(lines, properties: [\.value])
    try await lines.reorder(new, placed: Set(new), modified: modified)
    try await lines.store.settled()
    try check("difference", try observation.take("difference"), value)
  }

  private static func check(_ place: String, _ changes: ChangeSet<Line>?, _ value: JSONValue) throws {
    var acceptable = [try IndexChanges(value["expected_realm"])]
    for other in try value.optionalElements("all_minimal") { acceptable.append(try IndexChanges(other)) }
    guard let changes else {
      return try demand("\(place) is nothing", expected: acceptable.contains(where: \.isEmpty), seen: true)
    }
    let seen = IndexChanges(changes.batchUpdates)
    guard acceptable.contains(seen) else {
      throw CaseFailure.wrong(
        place, expected: acceptable.map(\.description).joined(separator: ", or "), seen: seen)
    }
  }
}
