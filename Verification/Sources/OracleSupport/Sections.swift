import LiveStore

/// Queries in sections.
enum SectionsAsked {
  static func make<Element: ModelEntity, Key: Hashable & Sendable & Canonical>(
    _ question: Question<Element>, _ source: SectionedQuery<Element, Key>, _ field: Field<Element>
  ) -> any Asked {
    let entry = Question<Element>.plainEntry
    let named = field.isLinked ? [field.value] : []
    return AskedSource(
      source: source, text: "\(question.text).sectioned(by: \(field.name))",
      expected: { model in
        let rows = question.rows(model).map { (field.value($0.element, model), question.entry($0, model)) }
        let keys = Set(rows.map(\.0)).sorted { Canon.order($0, $1) < 0 }
        var answer = Answer()
        for key in keys {
          let entries = rows.filter { $0.0 == key }.map { key, entry in
            var entry = entry
            if !named.isEmpty { entry.compared.append(key) }
            return entry
          }
          answer.entries += entries
          answer.sections.append(Answer.Section(key: key, count: entries.count))
        }
        return answer
      },
      actual: { Self.answer($0, entry) },
      heard: { change in
        switch change {
        case .initial(let sections): .initial(answer(sections, entry), version: sections.version.number)
        case .update(let sections, let changes):
          .update(
            old: answer(changes.previous, entry), new: answer(sections, entry),
            version: sections.version.number
          ) { old, new, _ in complaint(changes, old, new, entry) }
        case .error(let error): .error(error)
        }
      })
  }

  private static func answer<Element: ModelEntity, Key: Canonical>(
    _ sections: SectionedResults<Element, Key>, _ entry: Laws.MakeEntry<Element>
  ) -> Answer {
    Answer(
      entries: sections.flatMap { $0.map(entry) },
      sections: sections.map { Answer.Section(key: $0.key.canon, count: $0.count) })
  }

  /// A row with its place, by identity.
  private struct Place {
    var section: Canon
    var position: SectionPosition
    var entry: Answer.Entry
  }

  private static func places(_ answer: Answer) -> [Place] {
    var places: [Place] = []
    var index = 0
    for (number, section) in answer.sections.enumerated() {
      for row in 0..<section.count {
        let position = SectionPosition(section: number, row: row)
        places.append(Place(section: section.key, position: position, entry: answer.entries[index]))
        index += 1
      }
    }
    return places
  }

  private static func complaint<Element: ModelEntity, Key: Canonical>(
    _ changes: SectionedChangeSet<Element, Key>, _ old: Answer, _ new: Answer,
    _ entry: Laws.MakeEntry<Element>
  ) -> String? {
    if changes.isEmpty { return "an empty change set" }
    let (oldKeys, newKeys) = (old.sections.map(\.key), new.sections.map(\.key))
    let deleted = oldKeys.indices.filter { !newKeys.contains(oldKeys[$0]) }
    let inserted = newKeys.indices.filter { !oldKeys.contains(newKeys[$0]) }
    if deleted != changes.sectionDeletions {
      return "sectionDeletions are \(changes.sectionDeletions), but should be \(deleted)"
    }
    if inserted != changes.sectionInsertions {
      return "sectionInsertions are \(changes.sectionInsertions), but should be \(inserted)"
    }
    let (before, after) = (places(old), places(new))
    let was = Dictionary(uniqueKeysWithValues: before.map { ($0.entry.identity, $0) })
    let now = Dictionary(uniqueKeysWithValues: after.map { ($0.entry.identity, $0) })
    let deletions = before.filter { now[$0.entry.identity] == nil }.map(\.position)
    if deletions != changes.deletions {
      return "deletions are \(changes.deletions), but should be \(deletions)"
    }
    let insertions = after.filter { was[$0.entry.identity] == nil }.map(\.position)
    if insertions != changes.insertions {
      return "insertions are \(changes.insertions), but should be \(insertions)"
    }
    let modified = after.filter { place in
      was[place.entry.identity].map { $0.entry.compared != place.entry.compared } ?? false
    }
    if modified.map(\.position) != changes.modifications.map(\.newIndex) {
      return
        "modifications are \(changes.modifications.map(\.newIndex)), but should be \(modified.map(\.position))"
    }
    if modified.map({ was[$0.entry.identity]?.position }) != changes.modifications.map(\.oldIndex) {
      return "modifications have wrong old places"
    }
    for (place, modification) in zip(modified, changes.modifications)
    where entry(modification.new).values != place.entry.values {
      return "a modification has a wrong new value"
    }
    return moves(changes, before, after, was)
  }

  /// A row that moves to another section must be listed; of each section, as few others as will do.
  private static func moves<Element: ModelEntity, Key: Canonical>(
    _ changes: SectionedChangeSet<Element, Key>, _ before: [Place], _ after: [Place], _ was: [Canon: Place]
  ) -> String? {
    var known: [SectionPosition: Canon] = [:]
    for place in before { known[place.position] = place.entry.identity }
    if changes.moves.map(\.to) != changes.moves.map(\.to).sorted() { return "moves are not ascending" }
    let targets = Dictionary(uniqueKeysWithValues: after.map { ($0.position, $0) })
    var moved: Set<Canon> = []
    for move in changes.moves {
      guard let target = targets[move.to] else { return "a move to nowhere: \(move.to)" }
      if known[move.from] != target.entry.identity { return "a move from a wrong place: \(move.from)" }
      moved.insert(target.entry.identity)
    }
    var fewest = 0
    for section in Set(after.map(\.section)) {
      var common: [Int] = []
      for place in after where place.section == section {
        guard let old = was[place.entry.identity] else { continue }
        if old.section == section {
          common.append(old.position.row)
          continue
        }
        fewest += 1
        if !moved.contains(place.entry.identity) {
          return "\(place.entry.id) moved to another section, not reported"
        }
      }
      let still = after.filter { $0.section == section && !moved.contains($0.entry.identity) }
        .compactMap { was[$0.entry.identity]?.position.row }
      if still != still.sorted() { return "the rows that do not move are not in order" }
      fewest += common.count - Laws.longestAscending(common)
    }
    return changes.moves.count == fewest ? nil : "\(changes.moves.count) moves, where \(fewest) will do"
  }
}
