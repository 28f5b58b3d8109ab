import LiveStore
import TestSupport

/// An observer of a query, groups or sections that records what is wrong with its events.
protocol StageObserver {
  var token: NotificationToken { get }
  /// What is wrong with the events so far, or with where they lead; nil for nothing.
  ///
  /// - Parameter snapshot: what they must have led to, if that is known.
  func breach(at snapshot: Snapshot?) -> String?
}

extension StageObserver {
  func setPaused(_ isPaused: Bool) {
    if isPaused { token.pause() } else { token.resume() }
  }
}

struct StageRows<E: Entity & Equatable>: StageObserver {
  let query: Query<E>
  let observer: CheckedObserver<E>
  let token: NotificationToken

  init(_ store: Store, _ query: Query<E>, _ mode: DeliveryMode = .latest, excluding origins: Set<String> = [])
  {
    self.query = query
    let observer = CheckedObserver<E>(receivesAll: origins.isEmpty)
    self.observer = observer
    token = store.observe(query, excluding: origins, mode: mode) { observer.receive($0) }
  }

  func breach(at snapshot: Snapshot?) -> String? {
    if let breach = observer.breaches.first { return "\(query): \(breach)" }
    guard let expected = snapshot.map({ Array($0.fetch(query)) }), observer.rows != expected else {
      return nil
    }
    return "\(query): \(observer.rows ?? []), not \(expected)"
  }
}

struct StageGroups<E: Entity, Key: Hashable & Sendable, Value: Equatable & Sendable>: StageObserver {
  let groups: GroupAggregate<E, Key, Value>
  let observer: CheckedObserver<ResultGroup<Key, Value>>
  let token: NotificationToken

  init(_ store: Store, _ groups: GroupAggregate<E, Key, Value>, _ mode: DeliveryMode) {
    self.groups = groups
    let observer = CheckedObserver<ResultGroup<Key, Value>>()
    self.observer = observer
    token = store.observe(groups, mode: mode) { observer.receive($0) }
  }

  func breach(at snapshot: Snapshot?) -> String? {
    if let breach = observer.breaches.first { return "\(groups): \(breach)" }
    guard let expected = snapshot.map({ Array($0.value(of: groups)) }), observer.rows != expected else {
      return nil
    }
    return "\(groups): \(observer.rows ?? []), not \(expected)"
  }
}

/// Applies each change set to what it was given before.
final class StageSections<E: Entity & Equatable, Key: Hashable & Sendable>: StageObserver {
  private struct Section: Equatable {
    let key: Key
    var rows: [E] = []
  }

  private let query: SectionedQuery<E, Key>
  private let events = Recorder<SectionedChange<E, Key>>()
  private var seen = 0
  private var held: [Section] = []
  let token: NotificationToken

  init(_ store: Store, _ query: SectionedQuery<E, Key>, _ mode: DeliveryMode) {
    self.query = query
    token = store.observe(query, mode: mode) { [events] in events.append($0) }
  }

  func breach(at snapshot: Snapshot?) -> String? {
    for event in events.events[seen...] {
      seen += 1
      if let breach = take(event) { return "\(query): \(breach)" }
    }
    guard let expected = snapshot.map({ plain($0.value(of: query)) }), held != expected else { return nil }
    return "\(query): \(held), not \(expected)"
  }

  private func plain(_ sections: SectionedResults<E, Key>) -> [Section] {
    sections.map { Section(key: $0.key, rows: Array($0)) }
  }

  private func take(_ event: SectionedChange<E, Key>) -> String? {
    guard case .update(let sections, let changes) = event else {
      held = event.sections.map(plain) ?? []
      return event.sections == nil ? "\(event)" : nil
    }
    if changes.isEmpty { return "an empty event" }
    if plain(changes.previous) != held { return "does not start from what was given last" }
    let current = plain(sections)
    var rows = held
    for place in (changes.deletions + changes.moves.map(\.from)).sorted(by: >) {
      rows[place.section].rows.remove(at: place.row)
    }
    for section in changes.sectionDeletions.reversed() {
      if !rows.remove(at: section).rows.isEmpty { return "a deleted section has rows" }
    }
    for section in changes.sectionInsertions { rows.insert(Section(key: current[section].key), at: section) }
    for place in (changes.insertions + changes.moves.map(\.to)).sorted() {
      guard place.section < rows.count, place.row <= rows[place.section].rows.count else {
        return "the law cannot be applied"
      }
      rows[place.section].rows.insert(current[place.section].rows[place.row], at: place.row)
    }
    for modification in changes.modifications {
      rows[modification.newIndex.section].rows[modification.newIndex.row] = modification.new
    }
    held = current
    return rows == current ? nil : "the law gives \(rows), not \(current)"
  }
}
