import LiveStore

/// Observed queries in sections: per step what the observer receives in one delivery.
enum SectionedCases {
  static func check(_ value: JSONValue) async throws {
    let world = try await World(schema: value.members("schema"), rows: value.members("initial"))
    let description = value["observer"]
    guard try description.text("type") == "W",
      try description.text("section_by") == "first letter upper-cased"
    else { throw CaseFailure.notApplicable("sections other than by first letter") }
    let table = EntityTable(Words.W.self)
    let query = try table.query(
      Words.W.all, .object(["descriptors": .array([description])]), Tables([table]))
    let recorder = Recorder<SectionedChange<Words.W, String>>()
    let sectioned = query.sectioned { (word: Words.W) in word.name.prefix(1).uppercased() }
    let token = world.store.observe(sectioned) { recorder.add($0) }
    try await world.store.settled()
    try demand("first events", expected: 1, seen: recorder.take().count)
    for (index, json) in try value.elements("steps").enumerated() {
      token.pause()
      try await Step(json).commit(in: world)
      token.resume()
      try await world.store.settled()
      let events = recorder.take()
      guard events.count == 1, case .update(let sections, let changes) = events[0] else {
        throw CaseFailure.wrong("step \(index)", expected: "one update", seen: events)
      }
      try check(changes, json["expect"])
      let keys = try json.elements("sections_after").compactMap(\.text)
      try demand("sections of step \(index)", expected: keys, seen: sections.map(\.key))
    }
    token.invalidate()
  }

  private static func check(
    _ changes: SectionedChangeSet<Words.W, String>, _ expected: JSONValue
  ) throws(CaseFailure) {
    let moved = Set(changes.moves.map(\.to))
    try demand(
      "deletions", expected: places(expected, "deletions"),
      seen: (changes.deletions + changes.moves.map(\.from)).sorted())
    try demand(
      "insertions", expected: places(expected, "insertions"),
      seen: (changes.insertions + changes.moves.map(\.to)).sorted())
    try demand(
      "modifications", expected: places(expected, "modifications"),
      seen: changes.modifications.filter { !moved.contains($0.newIndex) }.map(\.oldIndex).sorted())
    try demand(
      "deleted sections", expected: expected.integers("sections_deleted"), seen: changes.sectionDeletions)
    try demand(
      "inserted sections", expected: expected.integers("sections_inserted"), seen: changes.sectionInsertions)
  }

  /// Row numbers by section.
  private static func places(_ json: JSONValue, _ key: String) throws(CaseFailure) -> [SectionPosition] {
    var places: [SectionPosition] = []
    for (section, rows) in try json.members(key) {
      guard let section = Int(section), let rows = rows.elements else {
        throw .malformed("\(key) are not rows by section")
      }
      for row in rows { if let row = row.integer { places.append(.init(section: section, row: row)) } }
    }
    return places.sorted()
  }
}
