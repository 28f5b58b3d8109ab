import LiveStore

/// Two queries observed at one version.
final class PairWatch<One: ModelEntity, Other: ModelEntity>: Watching {
  private let one: Question<One>
  private let other: Question<Other>
  private let timeline: Timeline
  private var iterator:
    LiveChanges<
      SourcesChange<
        (Results<One>, Results<Other>, Int),
        (CollectionChange<One>, CollectionChange<Other>, ValueChange<Int>)
      >
    >.Iterator
  private let store: Store
  private var last: (one: Answer, other: Answer)?
  private var isOver = false

  var text: String { "changes(of: \(one.text), \(other.text), \(one.text).count)" }

  init(_ store: Store, _ one: Question<One>, _ other: Question<Other>, _ timeline: Timeline) {
    self.store = store
    self.one = one
    self.other = other
    self.timeline = timeline
    iterator = store.changes(of: one.query, other.query, one.query.count).makeAsyncIterator()
  }

  func pause() {}
  func resume() {}
  func end() { isOver = true }

  func verify() async throws {
    guard !isOver else { return }
    let (first, second) = (one.answer(timeline.newest), other.answer(timeline.newest))
    if let last, last.one.isSame(as: first), last.other.isSame(as: second) { return }
    switch await withWatchdog(store, { await iterator.next() }) {
    case nil: throw Finding(description: "\(text) was given no event, though one is due")
    case .error(let error)?: throw Finding(description: "\(text) ended with \(error)")
    case .initial(let (results, others, count))?:
      if last != nil { throw Finding(description: "\(text) was given a second first event") }
      try check(results, others, count, first, second)
    case .update(let (change, otherChange, count))?:
      guard let last else { throw Finding(description: "\(text) was given a change first") }
      guard let results = change.results, let others = otherChange.results, let number = count.value else {
        throw Finding(description: "\(text): a member has no results")
      }
      try check(results, others, number, first, second)
      try check(change.changes, last.one, first, one.isList)
      try check(otherChange.changes, last.other, second, other.isList)
    }
    last = (first, second)
  }

  private func check(
    _ results: Results<One>, _ others: Results<Other>, _ count: Int, _ first: Answer, _ second: Answer
  ) throws {
    if results.version != others.version { throw Finding(description: "\(text): two versions at once") }
    let one = Answer(entries: results.map(Question<One>.plainEntry))
    let other = Answer(entries: others.map(Question<Other>.plainEntry))
    let complaint =
      first.complaint(one) ?? second.complaint(other) ?? (count == results.count ? nil : "count is \(count)")
    if let complaint { throw Finding(description: "\(text) \(complaint)") }
  }

  private func check<Element: ModelEntity>(
    _ changes: ChangeSet<Element>?, _ old: Answer, _ new: Answer, _ isList: Bool
  ) throws {
    guard let changes else { throw Finding(description: "\(text): a member has no change set") }
    if changes.isEmpty, !old.isSame(as: new) {
      throw Finding(description: "\(text): a member's change is missing")
    }
    let entry = Question<Element>.plainEntry
    if let complaint = old.complaint(Answer(entries: changes.previous.map(entry))) {
      throw Finding(description: "\(text): previous \(complaint)")
    }
    if let complaint = Laws.complaint(
      changes, old, new, isList: isList, names: Element.names, mayBeEmpty: true, entry)
    {
      throw Finding(description: "\(text): \(complaint)")
    }
  }
}
