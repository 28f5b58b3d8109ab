import LiveStore
import TestSupport

/// A query in sections, twice: as the store reads it, and as a function of an array in insertion order.
struct SectionCase<Mode: Indexing, Key: Hashable & Sendable>: Sendable {
  typealias Sections = [(key: Key, rows: [Thing<Mode>])]

  let text: String
  let source: SectionedQuery<Thing<Mode>, Key>
  let expected: @Sendable ([Thing<Mode>]) -> Sections
}

protocol SectionCaseVisitor {
  associatedtype Mode: Indexing
  mutating func visit<Key>(_ value: SectionCase<Mode, Key>) throws
}

extension SplitMix64 {
  mutating func visitSectionCase<Visitor: SectionCaseVisitor>(_ visitor: inout Visitor) throws {
    typealias T = Thing<Visitor.Mode>
    let queryCase = query(for: Visitor.Mode.self)
    func visit<Key>(
      _ name: String, _ source: SectionedQuery<T, Key>, _ read: @escaping @Sendable (T) -> Key,
      _ rank: @escaping @Sendable (Key, Key) -> Bool
    ) throws {
      try visitor.visit(
        SectionCase(text: "\(queryCase.text).sectioned(by: \(name))", source: source) { all in
          var sections: SectionCase<Visitor.Mode, Key>.Sections = []
          for row in queryCase.expectedRows(all) {
            let key = read(row)
            if let index = sections.firstIndex(where: { isSameValue($0.key, key) }) {
              sections[index].rows.append(row)
            } else {
              sections.append((key, [row]))
            }
          }
          return sections.sorted { rank($0.key, $1.key) }
        })
    }
    let query = queryCase.query
    switch int(0...7) {
    case 0: try visit("\\.rank", query.sectioned(by: \.rank), { $0.rank }, { $0 < $1 })
    case 1: try visit("\\.name", query.sectioned(by: \.name), { $0.name }, { isBelow($0, $1) })
    case 2, 3: try visit("\\.score", query.sectioned(by: \.score), { $0.score }, { precedes($0, $1) })
    case 4: try visit("\\.isDone", query.sectioned(by: \.isDone), { $0.isDone }, { !$0 && $1 })
    case 5:
      try visit(
        "\\.place.city", query.sectioned(by: \.place.city), { $0.place?.city }, { precedes($0, $1) })
    case 6:
      let letter: @Sendable (T) -> String = { $0.name.prefix(1).uppercased() }
      try visit("{ letter }", query.sectioned(by: letter), letter, { isBelow($0, $1) })
    default:
      let remainder: @Sendable (T) -> Int = { $0.level % 3 }
      try visit("{ level % 3 }", query.sectioned(by: remainder), remainder, { $0 < $1 })
    }
  }
}

final class SectionChecker<Mode: Indexing, Key: Hashable & Sendable>: Checker {
  typealias T = Thing<Mode>
  typealias Source = SectionedQuery<T, Key>
  typealias Sections = SectionCase<Mode, Key>.Sections

  private let value: SectionCase<Mode, Key>
  private var held: Sections?
  private var version: Version?

  init(_ value: SectionCase<Mode, Key>) { self.value = value }

  private func now(_ world: World) -> Sections { value.expected(world.model.rows()) }

  private func isSame(_ lhs: Sections, _ rhs: Sections) -> Bool {
    lhs.elementsEqual(rhs) { one, other in
      isSameValue(one.key, other.key) && one.rows.elementsEqual(other.rows) { $0.isSame(as: $1) }
    }
  }

  private func sections(_ found: SectionedResults<T, Key>) -> Sections { found.map { ($0.key, Array($0)) } }

  func begin(_ world: World) throws { held = now(world) }

  func take(value found: SectionedResults<T, Key>, _ world: World) throws {
    try check(found, world, "the value")
    held = now(world)
  }

  func check(_ found: SectionedResults<T, Key>, _ world: World, _ what: String) throws {
    try check(found, value.expected(world.model.rows()), what)
  }

  private func check(_ found: SectionedResults<T, Key>, _ expected: Sections, _ what: String) throws {
    if !isSame(sections(found), expected) {
      throw Mismatch("\(what) is\n    \(sections(found))\nand not\n    \(expected)")
    }
    try require(found.count == expected.count, "\(what): \(found.count) sections")
    try requireSame(found.results, expected.flatMap(\.rows), "\(what): flat")
    var index = 0
    for (number, section) in expected.enumerated() {
      try require(found.firstIndex(key: section.key) == number, "\(what): index of section \(section.key)")
      try require(found[key: section.key]?.count == section.rows.count, "\(what): section by key")
      for (row, thing) in section.rows.enumerated() {
        let position = SectionPosition(section: number, row: row)
        try require(found.position(at: index) == position, "\(what): position(at: \(index))")
        try require(found.index(of: position) == index, "\(what): index(of: \(position))")
        try require(found.position(id: thing.id) == position, "\(what): position of \(thing.id)")
        try require(
          found[number][row].id == thing.id && found[position].id == thing.id, "\(what): \(position)")
        index += 1
      }
    }
  }

  func take(_ change: SectionedChange<T, Key>, _ world: World, startsFromOwn: Bool) throws {
    guard let found = change.sections else { throw Mismatch("\(change)") }
    try check(found, value.expected(world.rows(at: found.version)), "the sections at \(found.version)")
    switch change {
    case .initial: try require(held == nil, "a second .initial")
    case .update(_, let changes):
      guard let held else { throw Mismatch("an update before .initial") }
      try require(!changes.isEmpty, "an empty event")
      if let version { try require(found.version > version, "\(found.version) after \(version)") }
      if !startsFromOwn {
        try require(isSame(sections(changes.previous), held), "previous is not what it had")
      }
      try checkLaw(changes)
      try checkLaw(changes.reversed)
      try checkBatch(changes)
    case .error(let error): throw error
    }
    held = sections(found)
    version = found.version
  }

  private func checkLaw(_ changes: SectionedChangeSet<T, Key>) throws {
    let (old, new) = (sections(changes.previous), sections(changes.current))
    let rows = try rebuilt(by: changes)
    for change in changes.modifications {
      let place = change.oldIndex
      try require(old[place.section].rows[place.row].isSame(as: change.old), "old value of \(changes)")
      try require(!change.old.isSame(as: change.new), "a modification of nothing: \(changes)")
    }
    try require(isSame(rows, new), "the law gives\n    \(rows)\nnot\n    \(new)\nby \(changes)")
    try checkFewest(changes, old, new)
  }

  /// Deletions and insertions by id; moves across sections, and within each the fewest.
  private func checkFewest(_ changes: SectionedChangeSet<T, Key>, _ old: Sections, _ new: Sections) throws {
    let before = Dictionary(
      uniqueKeysWithValues: old.enumerated().flatMap { section, value in
        value.rows.enumerated().map { ($1.id, SectionPosition(section: section, row: $0)) }
      })
    var crossing = 0
    var within = 0
    var gone = Set(before.keys)
    for section in new {
      var staying: [Int] = []
      for thing in section.rows {
        gone.remove(thing.id)
        guard let place = before[thing.id] else { continue }
        if isSameValue(old[place.section].key, section.key) {
          staying.append(place.row)
        } else {
          crossing += 1
        }
      }
      within += staying.count - longestIncreasing(staying)
    }
    try require(changes.moves.count == crossing + within, "not the fewest moves: \(changes)")
    try require(changes.deletions == gone.compactMap { before[$0] }.sorted(), "deletions of \(changes)")
    try require(
      changes.insertions.allSatisfy { before[new[$0.section].rows[$0.row].id] == nil },
      "insertions of \(changes)"
    )
  }

  /// As a table view takes it: rows by old places, sections, rows by new places; the rest is reloaded.
  private func checkBatch(_ changes: SectionedChangeSet<T, Key>) throws {
    let (old, new) = (sections(changes.previous), sections(changes.current))
    let batch = changes.batchUpdates
    var rows = old.map { $0.rows.map(\.id) }
    for position in batch.deletions.reversed() { rows[position.section].remove(at: position.row) }
    for index in batch.sectionDeletions.reversed() { rows.remove(at: index) }
    for index in batch.sectionInsertions { rows.insert(new[index].rows.map(\.id), at: index) }
    for position in batch.insertions {
      rows[position.section].insert(new[position.section].rows[position.row].id, at: position.row)
    }
    try require(rows == new.map { $0.rows.map(\.id) }, "batchUpdates give \(rows): \(changes)")
    try require(batch.modifications.count == batch.modificationsNew.count, "\(batch)")
  }

  func isPending(_ world: World) -> Bool { held.map { !isSame($0, now(world)) } ?? true }

  func requireSettled(_ world: World) throws {
    try require(!isPending(world), "not delivered: it has \(held ?? []), now it is \(now(world))")
  }
}
