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
    for seed in Seeds.forSuite(8, thorough: 12) {
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
    #expect(totals.undone > 100 && totals.exact > 30 && totals.refused > 5, "\(totals)")
    #expect(Set(totals.conflicts.keys) == ["changed", "deleted", "idTaken", "linked"], "\(totals)")
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
  private let notes: [(query: Query<Note>, observer: LawfulObserver<Note>)]
  private let remarks: [(query: Query<Remark>, observer: LawfulObserver<Remark>)]
  private let labels: [(query: Query<Label>, observer: LawfulObserver<Label>)]
  private let groups = Note.all.grouped(by: \.title).count
  private let groupObserver = LawfulObserver<ResultGroup<String, Int>>()
  /// Leaves out what is undone, and receives all else.
  private let excluding = LawfulObserver<Note>(isToldAll: false)
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
    ].map { ($0, LawfulObserver()) }
    remarks = [
      Remark.all, Remark.where { $0.note.owner.name > "c" }.sorted(by: \.text),
      Remark.sorted(by: \.parent.text),
    ].map { ($0, LawfulObserver()) }
    labels = [Label.in(\Note.labels, of: 0), Label.in(\Note.labels, of: 1).sorted(by: \.name)].map {
      ($0, LawfulObserver())
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
      let (before, version) = (model.rows, store.version)
      switch random.int(0...19) {
      case 0...5: try await write(isMine: true)
      case 6...8: try await write(isMine: false)
      case 9, 10, 11, 12: try await takeBack(isRedo: false)
      case 13, 14, 15: try await takeBack(isRedo: true)
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
      try require(store.version.number == version.number + (model.rows == before ? 0 : 1), "versions")
      if store.version != version, let commit = try await commits.next() { try check(commit, from: before) }
      try await compare()
    }
    // Without other writers, all that is left is undone exactly, or not at all.
    while stack.canUndo, try await takeBack(isRedo: false) { try await compare() }
    // With another writer's change to deliver, the observer that leaves out what is undone has all of it.
    try await store.write { tx in try tx.insert(Note(id: 99)) }
    try await store.settled()
    try require(excluding.rows == Array(store.snapshot().fetch(Note.all)), "excluding is stale")
  }

  // MARK: Steps

  private func write(isMine: Bool) async throws {
    let before = model.rows
    do {
      try await store.write(origin: isMine ? "ui" : "sync") { tx in
        for _ in 0..<random.int(1...4) { try edit(tx) }
      }
      try require(!UndoModel.isRefused(model.rows), "not refused")
      model.commit(from: before, isMine: isMine)
    } catch let error as StoreError {
      try require(UndoModel.isRefused(model.rows), "\(error)")
      model.rows = before
    }
  }

  private func edit(_ tx: borrowing WriteTransaction) throws {
    let key = UndoModel.Key(kind: random.pick(UndoModel.Kind.allCases), id: random.int(0...4))
    guard let object = model[key] else {
      guard let object = make(key) else { return }
      model.insert(object)
      return try put(object, tx)
    }
    if random.chance(1, in: 3) {
      model.delete(key)
      switch key.kind {
      case .owner: try tx.delete(Owner.self, key.id)
      case .label: try tx.delete(Label.self, key.id)
      case .note: try tx.delete(Note.self, key.id)
      case .remark: try tx.delete(Remark.self, key.id)
      }
    } else if var changed = make(key) {
      // A remark that hangs on itself would go by its own deletion; that is for other tests.
      if changed.parent == key.id { changed.parent = nil }
      if random.chance(1, in: 2) { changed.labels = object.labels }
      model.update(changed)
      try put(changed, tx)
    }
  }

  /// An object with links to others that are there, most of the time.
  private func make(_ key: UndoModel.Key) -> UndoModel.Object? {
    func other(_ kind: UndoModel.Kind) -> Int? {
      random.chance(1, in: 40)
        ? random.int(0...4) : model.objects(kind).map(\.key.id).randomElement(using: &random)
    }
    var object = UndoModel.Object(
      key: key, text: random.pick(["a", "b", "c", "d", "e", "f"] + Pool.mixedForms))
    switch key.kind {
    case .owner, .label: break
    case .note:
      object.person = other(.owner)
      object.labels = (0..<random.int(0...3)).compactMap { _ in other(.label) }
    case .remark:
      guard let note = other(.note) else { return nil }
      object.note = note
      object.parent = random.chance(1, in: 2) ? other(.remark) : nil
      object.person = random.chance(1, in: 3) ? other(.owner) : nil
    }
    if object.parent == key.id { object.parent = nil }
    return object
  }

  private func put(_ object: UndoModel.Object, _ tx: borrowing WriteTransaction) throws {
    let id = object.key.id
    switch object.key.kind {
    case .owner: try tx.upsert(Owner(id: id, name: object.text))
    case .label: try tx.upsert(Label(id: id, name: object.text))
    case .note:
      try tx.upsert(
        Note(
          id: id, title: object.text, owner: object.person.map { Ref($0) },
          labels: RefList(ids: object.labels)))
    case .remark:
      try tx.upsert(
        Remark(
          id: id, text: object.text, note: Ref(object.note ?? 0), parent: object.parent.map { Ref($0) },
          reader: object.person.map { Ref($0) }))
    }
  }

  /// Whether it went through.
  @discardableResult
  private func takeBack(isRedo: Bool) async throws -> Bool {
    let step = isRedo ? model.redo.last : model.undo.last
    switch model.takeBack(isRedo: isRedo) {
    case .nothing:
      let report = try await isRedo ? stack.redo() : stack.undo()
      try require(report == nil, "a step that should not be there")
      return false
    case .refused:
      do {
        _ = try await isRedo ? stack.redo() : stack.undo()
      } catch StoreError.uniqueViolation, StoreError.missingLinkTarget {
        figures.refused += 1
        return false
      }
      throw Mismatch("not refused")
    case .done(let count, let conflicts):
      let report = try await isRedo ? stack.redo() : stack.undo()
      guard let report else { throw Mismatch("no step") }
      let told = report.conflicts.map {
        UndoModelConflict(entity: $0.entity, id: $0.id, reason: "\($0.reason)")
      }
      try require(Set(told) == conflicts && told.count == conflicts.count, "\(report), not \(conflicts)")
      try require(report.objectCount == count && report.name == step?.name, "\(report), not \(count)")
      try require(report.version == (count > 0 ? store.version : nil), "the version of \(report)")
      figures.undone += 1
      for conflict in conflicts { figures.conflicts[conflict.reason, default: 0] += 1 }
      if let step, step.foreign == model.foreign {
        try require(model.rows == step.before && conflicts.isEmpty, "not as before the step")
        figures.exact += 1
      }
      return true
    }
  }

  // MARK: Comparing

  private func compare() async throws {
    let content = store.content
    try require(content.owners.map(\.model) == model.objects(.owner), "owners")
    try require(content.labels.map(\.model) == model.objects(.label), "labels")
    try require(content.notes.map(\.model) == model.objects(.note), "notes")
    try require(content.remarks.map(\.model) == model.objects(.remark), "remarks")
    if let breach = store.breach { throw Mismatch(breach) }
    try require(stack.canUndo == !model.undo.isEmpty && stack.canRedo == !model.redo.isEmpty, "steps")
    try require(stack.undoName == model.undo.last?.name && stack.redoName == model.redo.last?.name, "names")
    try require(stack.stepCount == model.undo.count + model.redo.count, "the number of steps")
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

  /// The commit reports exactly the objects whose rows differ.
  private func check(_ commit: Commit, from before: [UndoModel.Row]) throws {
    let told =
      commit.changes(of: Owner.self).map { [$0.old?.model, $0.new?.model] }
      + commit.changes(of: Label.self).map { [$0.old?.model, $0.new?.model] }
      + commit.changes(of: Note.self).map { [$0.old?.model, $0.new?.model] }
      + commit.changes(of: Remark.self).map { [$0.old?.model, $0.new?.model] }
    var rows: [Int: [UndoModel.Object?]] = [:]
    for row in before { rows[row.place] = [row.object, nil] }
    for row in model.rows { rows[row.place, default: [nil, nil]][1] = row.object }
    var expected = rows.values.filter { $0[0] != $0[1] }
    // An object that went and came again, in another row, is one.
    for came in expected where came[0] == nil {
      guard let went = expected.firstIndex(where: { $0[1] == nil && $0[0]?.key == came[1]?.key }),
        let place = expected.firstIndex(of: came)
      else { continue }
      expected[place][0] = expected[went][0]
      expected.remove(at: went)
    }
    try require(
      Set(told) == Set(expected) && told.count == expected.count, "\(commit) tells \(told), not \(expected)")
  }
}

extension Owner {
  fileprivate var model: UndoModel.Object {
    UndoModel.Object(key: UndoModel.Key(kind: .owner, id: id), text: name)
  }
}

extension Label {
  fileprivate var model: UndoModel.Object {
    UndoModel.Object(key: UndoModel.Key(kind: .label, id: id), text: name)
  }
}

extension Note {
  fileprivate var model: UndoModel.Object {
    UndoModel.Object(
      key: UndoModel.Key(kind: .note, id: id), text: title, person: owner?.id, labels: labels.ids)
  }
}

extension Remark {
  fileprivate var model: UndoModel.Object {
    UndoModel.Object(
      key: UndoModel.Key(kind: .remark, id: id), text: text, person: reader?.id, note: note.id,
      parent: parent?.id)
  }
}
