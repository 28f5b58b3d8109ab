import LiveStore
import Synchronization
import TestSupport

/// Observers of every kind of what a storm does, that start, receive some events and end.
final class StormWatch: Sendable {
  private struct State {
    var tokens: [NotificationToken] = []
    var loops: [Task<Void, Never>] = []
    /// What is wrong with what each received, nil when nothing is.
    var verdicts: [@Sendable () -> String?] = []
  }

  private let store: Store
  private let failures: Failures
  private let state = Mutex(State())
  private let events = Atomic(0)
  private let ended = Flag()

  private init(_ store: Store, _ failures: Failures) {
    self.store = store
    self.failures = failures
  }

  /// One round, in which it writes as well, so that events come also when all others have ended.
  static func round(_ store: Store, _ random: inout SplitMix64, _ failures: Failures) async throws {
    let watch = StormWatch(store, failures)
    let starts = watch.kinds.shuffled(using: &random).prefix(random.int(3...8))
    for start in starts { start(watch) }
    do {
      try await watch.go(&random)
    } catch {
      await watch.end(&random)
      throw error
    }
    await watch.end(&random)
  }

  private func go(_ random: inout SplitMix64) async throws {
    for isPaused in [false, true, false] {
      let token = state.withLock { $0.tokens.first }
      if isPaused { token?.pause() } else { token?.resume() }
      for _ in 0..<random.int(2...8) {
        try await store.write(origin: random.chance(1, in: 2) ? "x" : nil) { try Storm.rage($0, &random) }
        await Task.yield()
      }
    }
  }

  private func end(_ random: inout SplitMix64) async {
    ended.set()
    let state = state.withLock { $0 }
    for token in state.tokens.shuffled(using: &random) { token.invalidate() }
    for loop in state.loops.shuffled(using: &random) { loop.cancel() }
    for loop in state.loops { await loop.value }
    for verdict in state.verdicts {
      if let breach = verdict() { failures.check(false, breach) }
    }
  }

  private var kinds: [@Sendable (StormWatch) -> Void] {
    let far = Leaf.where { $0.branch.parent.name == "oak" }.sorted(by: \.mark.name)
    let busy = Branch.where { $0.linking(\Leaf.branch).count >= 2 }.sorted(by: \.weight)
    let marked = Leaf.where { $0.marks.contains { $0.name == "mark 1" } }
    return [
      { $0.follow(far) },
      { $0.follow(far, mode: .everyCommit) },
      { $0.follow(busy.limit(4)) },
      { $0.follow(busy, excluding: ["x"]) },
      { $0.follow(marked, endsItself: true) },
      { $0.follow(Branch.sorted(by: \.weight).limit(9).where { $0.parent.name == "elm" }) },
      { $0.follow(Leaf.all.distinct(by: \.mark)) },
      { $0.follow(Mark.linked(from: \Leaf.marks, of: 100)) },
      { $0.follow(Leaf.all.tracking(\.mark.name), excluding: ["sync", "optimistic"]) },
      { $0.follow(Leaf.all.grouped(by: \.branch.name).count) },
      { $0.follow(Branch.all.grouped(by: \.parent).max(\.weight), mode: .everyCommit) },
      { $0.follow(Leaf.all.sectioned(by: \.branch.name)) },
      { $0.follow(busy.sectioned(by: \.name), excluding: ["x"]) },
      { $0.followProperties() },
      { $0.followObject(20) },
      { $0.followCount(marked.count) },
      { $0.followValues(busy) },
      { $0.followCommits() },
      { $0.pull(far) },
      { $0.pull(Leaf.sorted(by: \.branch.weight), mode: .everyCommit) },
    ]
  }

  private func keep(_ token: NotificationToken, _ verdict: @escaping @Sendable () -> String?) {
    state.withLock {
      $0.tokens.append(token)
      $0.verdicts.append(verdict)
    }
  }

  private func keep(_ loop: Task<Void, Never>, _ verdict: @escaping @Sendable () -> String? = { nil }) {
    state.withLock {
      $0.loops.append(loop)
      $0.verdicts.append(verdict)
    }
  }

  /// The last event of one who follows all commits may be that it fell behind.
  private static func isAllowed(_ error: StoreError?, _ mode: DeliveryMode) -> Bool {
    error.map {
      mode == .everyCommit && $0.code == StoreError.historyTruncated || $0.code == StoreError.closed
    } ?? true
  }
}

// MARK: Kinds

extension StormWatch {
  private func follow<E: Entity & Equatable>(
    _ query: Query<E>, excluding origins: Set<String> = [], mode: DeliveryMode = .latest,
    endsItself: Bool = false
  ) {
    let observer = CheckedObserver<E>(receivesAll: origins.isEmpty)
    let own = Mutex<NotificationToken?>(nil)
    let isDead = Flag()
    let token = store.observe(query, excluding: origins, mode: mode) { @Sendable [self] change in
      observer.receive(change)
      if origins.isEmpty { check(change, query) }
      guard endsItself else { return }
      failures.check(!isDead.isSet, "\(query): called after its own invalidation")
      guard let token = own.withLock({ $0 }) else { return }
      token.invalidate()
      isDead.set()
    }
    own.withLock { $0 = token }
    keep(token) {
      own.withLock { $0 = nil }
      let error = Self.isAllowed(observer.error, mode) ? nil : observer.error.map { "\(query): \($0)" }
      return observer.breaches.first.map { "\(query): \($0)" } ?? error
    }
  }

  /// What is delivered is what its version holds.
  private func check<E: Entity & Equatable>(_ change: CollectionChange<E>, _ query: Query<E>) {
    guard let results = change.results else { return }
    failures.check(
      results.elementsEqual(results.snapshot.fetch(query)),
      "\(query) is not what version \(results.version) holds")
  }

  /// A loop that always finds something new never suspends by itself, and gives up its thread to let others run.
  private func pull<E: Entity & Equatable>(_ query: Query<E>, mode: DeliveryMode = .latest) {
    let observer = CheckedObserver<E>()
    let loop = Task.detached { [self] in
      for await change in store.changes(of: query, mode: mode) {
        observer.receive(change)
        check(change, query)
        await Task.yield()
      }
    }
    keep(loop) {
      let error = Self.isAllowed(observer.error, mode) ? nil : observer.error.map { "\(query): \($0)" }
      return observer.breaches.first.map { "\(query): \($0)" } ?? error
    }
  }

  private func follow<E: Entity, Key, Value>(
    _ groups: GroupAggregate<E, Key, Value>, mode: DeliveryMode = .latest
  ) {
    let observer = CheckedObserver<ResultGroup<Key, Value>>()
    let token = store.observe(groups, mode: mode) { @Sendable [self] change in
      observer.receive(change)
      guard let results = change.results else { return }
      failures.check(
        results.elementsEqual(results.snapshot.value(of: groups)),
        "\(groups) is not what version \(results.version) holds")
    }
    keep(token) { observer.breaches.first.map { "\(groups): \($0)" } }
  }

  private func follow<E: Entity & Equatable, Key>(
    _ query: SectionedQuery<E, Key>, excluding origins: Set<String> = []
  ) {
    let held = Mutex<SectionedResults<E, Key>?>(nil)
    let token = store.observe(query, excluding: origins) { @Sendable [self] change in
      guard let sections = change.sections else { return }
      let before = held.withLock { held in
        defer { held = sections }
        return held
      }
      if case .update(_, let changes) = change {
        failures.check(!changes.isEmpty, "\(query): an empty event")
        failures.check(Self.isSame(changes.current, sections), "\(query): current is not the result")
        if origins.isEmpty {
          failures.check(
            before.map { Self.isSame($0, changes.previous) } ?? false,
            "\(query): not from what was given last")
        }
      }
      if origins.isEmpty {
        let expected = sections.results.snapshot.value(of: query)
        failures.check(
          Self.isSame(sections, expected), "\(query) is not what version \(sections.version) holds")
      }
    }
    keep(token) { nil }
  }

  private static func isSame<E: Entity & Equatable, Key>(
    _ one: SectionedResults<E, Key>, _ other: SectionedResults<E, Key>
  ) -> Bool {
    one.elementsEqual(other) { $0.key == $1.key && $0.elementsEqual($1) }
  }

  private func followProperties() {
    let query = Leaf.sorted(by: \.text)
    let token = store.observe(query, properties: [\.text, \.mark.name]) { @Sendable [failures] change in
      guard case .update(let leaves, let changes) = change else { return }
      var ids = changes.previous.map(\.id)
      for index in (changes.deletions + changes.moves.map(\.from)).sorted(by: >) { ids.remove(at: index) }
      for index in (changes.insertions + changes.moves.map(\.to)).sorted() {
        ids.insert(leaves[index].id, at: index)
      }
      failures.check(ids == leaves.map(\.id), "\(query): \(changes) does not lead to its result")
      for modification in changes.modifications {
        // The modification is reported for the sake of one of these; then all that differs is listed.
        let names = changes.properties(of: modification).map(\.name)
        failures.check(
          !Set(names).isDisjoint(with: ["text", "mark", "mark.name"]), "\(query): only \(names) differ")
      }
    }
    keep(token) { nil }
  }

  private func followObject(_ id: Int) {
    let last = Mutex<Branch?>(nil)
    let token = store.observe(Branch.self, id) { @Sendable [failures] change in
      last.withLock { last in
        switch change {
        case .initial(let branch): last = branch
        case .change(let old, let new, let properties):
          failures.check(old == last && old != new && !properties.isEmpty, "\(old) to \(new)")
          last = new
        case .deleted(let old):
          failures.check(old == last, "\(old) deleted")
          last = nil
        case .inserted(let new):
          failures.check(last == nil, "\(new) inserted")
          last = new
        case .error(let error): failures.check(error.code == StoreError.closed, "\(error)")
        }
      }
    }
    keep(token) { nil }
  }

  private func followCount(_ count: Count<Leaf>) {
    keep(
      Task.detached { [store, failures] in
        var last: Int?
        for await change in store.changes(of: count) {
          switch change {
          case .initial(let count): last = count
          case .change(let old, let new):
            failures.check(old == last && old != new, "count \(old) to \(new) after \(last ?? -1)")
            last = new
          case .error(let error): failures.check(error.code == StoreError.closed, "\(error)")
          }
          await Task.yield()
        }
      })
  }

  private func followValues(_ query: Query<Branch>) {
    keep(
      Task.detached { [store, failures] in
        do {
          for try await branches in store.values(of: query) {
            failures.check(
              branches.elementsEqual(branches.snapshot.fetch(query)),
              "values of \(query) at \(branches.version)")
            await Task.yield()
          }
        } catch {
          failures.check((error as? StoreError)?.code == StoreError.closed, "\(error)")
        }
      })
  }

  /// Each commit leads from the tables before it to those after it.
  private func followCommits() {
    keep(
      Task.detached { [store, failures] in
        var last = store.version
        do {
          for try await commit in store.commits(after: last) {
            failures.check(commit.version.number == last.number + 1, "\(commit.version) after \(last)")
            last = commit.version
            var ids = Set(commit.before.fetch(Leaf.all).map(\.id))
            for change in commit.changes(of: Leaf.self) {
              if let old = change.old { ids.remove(old.id) }
              if let new = change.new { ids.insert(new.id) }
            }
            failures.check(ids == Set(commit.after.fetch(Leaf.all).map(\.id)), "\(commit): leaves")
            await Task.yield()
          }
        } catch {
          let code = (error as? StoreError)?.code
          failures.check(code == StoreError.historyTruncated || code == StoreError.closed, "\(error)")
        }
      })
  }
}
