import LiveStore
import LiveStoreObservation
import TestSupport
import Testing

/// Random histories of own writes, writes of others, groups, undo and redo, against a model that does everything
/// the slow way.
///
/// `LIVESTORE_SEEDS` sets how many histories there are, `LIVESTORE_SEED` repeats one.
@Suite struct `Undo oracle` {
  @Test(.timeLimit(.minutes(10))) func `store, stack, reports and live queries are the model's`() async {
    var totals = UndoRun.Figures()
    let seeds = Seeds.forSuite(2, thorough: 12)
    for seed in seeds {
      do {
        let run = try UndoRun(seed: seed)
        do {
          try await run.go()
        } catch {
          Issue.record("seed \(seed), step \(run.step): \(error)")
          return
        }
        totals.add(run.figures)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    // Not every kind of conflict is in each history: eight are enough for all of them.
    if seeds.count < 8 {
      #expect(totals.undone > 0 && totals.exact > 0, "\(totals)")
    } else {
      #expect(totals.undone > 100 && totals.exact > 30 && totals.refused > 5, "\(totals)")
      #expect(Set(totals.conflicts.keys) == ["changed", "deleted", "idTaken", "linked"], "\(totals)")
    }
  }
}

/// A history: one store with its stack, one model.
private final class UndoRun {
  struct Figures {
    var undone = 0
    /// Undone without other writers since: all is as it was before the step.
    var exact = 0
    var refused = 0
    var conflicts: [String: Int] = [:]

    mutating func add(_ other: Figures) {
      undone += other.undone
      exact += other.exact
      refused += other.refused
      conflicts.merge(other.conflicts, uniquingKeysWith: +)
    }
  }

  private(set) var step = 0
  private(set) var figures = Figures()
  private var random: SplitMix64
  private var model = UndoModel()
  private let store: Store
  private let stack: UndoStack
  private let notes: [(query: Query<Note>, observer: CheckedObserver<Note>)]
  private let remarks: [(query: Query<Remark>, observer: CheckedObserver<Remark>)]
  private let labels: [(query: Query<Label>, observer: CheckedObserver<Label>)]
  private let groups = Note.all.grouped(by: \.title).count
  private let groupObserver = CheckedObserver<ResultGroup<String, Int>>()
  /// Leaves out what is undone, and receives all else.
  private let excluding = CheckedObserver<Note>(receivesAll: false)
  private var tokens: [NotificationToken] = []

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    store = try makeNoteStore()
    stack = UndoStack(store, maximumSteps: 1_000, merging: .zero)
    let isBusy = Note.where { $0.linking(\Remark.note).count >= 1 }
    notes = [
      Note.all, Note.sorted(by: \.title, .descending), isBusy, Note.where { $0.title >= "b" }.limit(3),
      Note.sorted(by: \.owner.name), Note.where { $0.labels.contains { $0.name == "a" } },
      Note.all.distinct(by: \.title),
    ].map { ($0, CheckedObserver()) }
    remarks = [
      Remark.all, Remark.where { $0.note.owner.name > "c" }.sorted(by: \.text),
      Remark.sorted(by: \.parent.text),
    ].map { ($0, CheckedObserver()) }
    labels = [
      Label.linked(from: \Note.labels, of: 0), Label.linked(from: \Note.labels, of: 1).sorted(by: \.name),
    ].map {
      ($0, CheckedObserver())
    }
    for (query, observer) in labels { tokens.append(store.observe(query) { observer.receive($0) }) }
    tokens.append(store.observe(groups) { [groupObserver] in groupObserver.receive($0) })
    for (query, observer) in notes { tokens.append(store.observe(query) { observer.receive($0) }) }
    for (query, observer) in remarks { tokens.append(store.observe(query) { observer.receive($0) }) }
    tokens.append(store.observe(Note.all, excluding: ["ui.undo"]) { [excluding] in excluding.receive($0) })
  }

  func go() async throws {
    var commits = store.commits(after: store.version).makeAsyncIterator()
    for number in 0..<100 {
      step = number
      let (before, version) = (model.store, store.version)
      switch random.int(0...19) {
      case 0...5: try await write(isMine: true)
      case 6...8: try await write(isMine: false)
      case 9, 10, 11, 12: try await undo(isRedo: false)
      case 13, 14, 15: try await undo(isRedo: true)
      case 16, 17:
        let name = random.chance(1, in: 2) ? "group \(number)" : nil
        stack.beginGroup(name)
        model.beginGroup(name)
      case 18:
        stack.endGroup()
        model.endGroup()
      default:
        if random.chance(1, in: 4) {
          stack.clear()
          model.clear()
        }
      }
      let isChanged = model.store.rows != before.rows
      try require(store.version.number == version.number + (isChanged ? 1 : 0), "versions")
      if store.version != version, let commit = try await commits.next() {
        try require(commit.version == store.version, "the commit reported is \(commit.version)")
        for entity in undoEntities { try check(commit, from: before, entity) }
      }
      try await compare()
    }
    // Without other writers, all that is left is undone exactly, or not at all.
    while stack.canUndo, try await undo(isRedo: false) { try await compare() }
    // With another writer's change to deliver, the observer that leaves out what is undone has all of it.
    try await store.write { tx in try tx.insert(Note(id: 99)) }
    try await store.settled()
    try require(excluding.rows == Array(store.snapshot().fetch(Note.all)), "excluding is stale")
  }

  // MARK: Steps

  private func write(isMine: Bool) async throws {
    let before = model.store
    do {
      try await store.write(origin: isMine ? "ui" : "sync") { tx in
        for _ in 0..<random.int(1...4) {
          let entity = random.pick(undoEntities)
          try edit(tx, entity)
        }
      }
      let violations = model.store.violations(after: before)
      try require(violations.isEmpty, "not refused: \(violations)")
      model.commit(from: before, isMine: isMine)
    } catch let error as StoreError {
      try requireReported(error, model.store.violations(after: before))
      model.store = before
    }
  }

  private func edit<Element: UndoEntity>(_ tx: borrowing WriteTransaction, _: Element.Type) throws {
    let id = random.int(0...4)
    let old = model.store[Element.self, id]
    if old != nil, random.chance(1, in: 3) {
      model.store.delete(Element.modelKey(id))
      try tx.delete(Element.self, id)
    } else if let object = Element.random(id, replacing: old, &random, model.store) {
      model.store.upsert(object)
      try tx.upsert(object)
    }
  }

  private func requireReported(_ error: StoreError, _ violations: [ModelViolation]) throws {
    try require(
      violations.contains { $0.isReported(by: error) }, "\(error), but the violations are \(violations)")
  }

  /// Undoes or redoes a step, and returns whether there was one that could be.
  @discardableResult
  private func undo(isRedo: Bool) async throws -> Bool {
    let step = isRedo ? model.redoSteps.last : model.undoSteps.last
    switch model.undo(isRedo: isRedo) {
    case .nothing:
      let report = try await isRedo ? stack.redo() : stack.undo()
      try require(report == nil, "a step that should not be there")
      return false
    case .refused(let violations):
      do {
        _ = try await isRedo ? stack.redo() : stack.undo()
      } catch let error as StoreError {
        try requireReported(error, violations)
        figures.refused += 1
        return false
      }
      throw Mismatch("not refused")
    case .done(let count, let conflicts):
      let report = try await isRedo ? stack.redo() : stack.undo()
      guard let report else { throw Mismatch("no step") }
      let reported = report.conflicts.map { UndoModelConflict($0) }
      try require(
        Set(reported) == conflicts && reported.count == conflicts.count, "\(report), not \(conflicts)")
      try require(report.objectCount == count && report.name == step?.name, "\(report), not \(count)")
      try require(report.version == (count > 0 ? store.version : nil), "the version of \(report)")
      figures.undone += 1
      for conflict in conflicts { figures.conflicts[conflict.reason, default: 0] += 1 }
      if let step, step.foreign == model.foreign {
        try require(
          model.store.rows == step.before.rows && conflicts.isEmpty, "not as before the step")
        figures.exact += 1
      }
      return true
    }
  }

  // MARK: Comparing

  private func compare() async throws {
    for entity in undoEntities { try compareRows(entity) }
    if let breach = store.breach { throw Mismatch(breach) }
    try require(
      stack.canUndo == !model.undoSteps.isEmpty && stack.canRedo == !model.redoSteps.isEmpty, "steps")
    try require(
      stack.undoName == model.undoSteps.last?.name && stack.redoName == model.redoSteps.last?.name, "names")
    try require(stack.stepCount == model.undoSteps.count + model.redoSteps.count, "the number of steps")
    try require(stack.objectCount == model.objectCount, "the number of objects")
    if random.chance(1, in: 2) { return }
    try await store.settled()
    let snapshot = store.snapshot()
    for (query, observer) in notes {
      try require(observer.breaches.isEmpty, "\(query): \(observer.breaches)")
      try require(observer.rows == Array(snapshot.fetch(query)), "\(query) is stale")
    }
    for (query, observer) in remarks {
      try require(observer.breaches.isEmpty, "\(query): \(observer.breaches)")
      try require(observer.rows == Array(snapshot.fetch(query)), "\(query) is stale")
    }
    for (query, observer) in labels {
      try require(observer.breaches.isEmpty, "\(query): \(observer.breaches)")
      try require(observer.rows == Array(snapshot.fetch(query)), "\(query) is stale")
    }
    try require(groupObserver.breaches.isEmpty, "groups: \(groupObserver.breaches)")
    try require(groupObserver.rows == Array(snapshot.value(of: groups)), "the groups are stale")
    try require(excluding.breaches.isEmpty, "excluding: \(excluding.breaches)")
  }

  private func compareRows<Element: UndoEntity>(_: Element.Type) throws {
    try require(
      Array(store.snapshot().fetch(Element.all)) == model.store.rows(Element.self), "\(Element.self)")
  }

  private func check<Element: UndoEntity>(
    _ commit: Commit, from before: ModelStore, _: Element.Type
  ) throws {
    try model.store.checkChanges(in: commit, from: before, of: Element.self, isEqual: ==)
  }
}
