import LiveStore
import Synchronization

/// An observer, with what it was given so far.
protocol Watching: AnyObject {
  var text: String { get }
  /// Takes what was delivered, and checkers it. Called with all commits of the store in the timeline and after
  /// `store.settled()`.
  func verify() async throws
  func pause()
  func resume()
  func end()
}

/// What went wrong, as a sentence.
public struct Finding: Error, CustomStringConvertible {
  /// The sentence.
  public var description: String
}

/// A list that a handler writes and the history reads.
final class Inbox<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  func put(_ element: Element) { elements.withLock { $0.append(element) } }
  func take() -> [Element] {
    elements.withLock { elements in
      defer { elements = [] }
      return elements
    }
  }
}

final class Watch<Source: LiveSource>: Watching {
  private let store: Store
  private let asked: AskedSource<Source>
  private let style: ObserverStyle
  private let timeline: Timeline
  private let inbox = Inbox<Source.Change>()
  private var token: NotificationToken?
  private var iterator: LiveChanges<Source.Change>.Iterator?
  private var values: LiveValues<Source.Value>.Iterator?
  private var isPaused = false
  /// What was delivered last, at which version; nil before the first event.
  private var last: (answer: Answer, version: UInt64)?
  private let start: UInt64
  private var failure: String?
  /// The change before the next, and what it started from.
  private var earlier: (change: Source.Change, base: Answer)?
  private var isOver = false
  private var answers: [UInt64: Answer] = [:]

  var text: String { "\(asked.text) [\(style.text)]" }

  init(_ store: Store, _ asked: AskedSource<Source>, _ style: ObserverStyle, _ timeline: Timeline) {
    self.store = store
    self.asked = asked
    self.style = style
    self.timeline = timeline
    start = timeline.version
    switch style.kind {
    case .token:
      let inbox = inbox
      token =
        asked.observe.map { $0(store, style) { inbox.put($0) } }
        ?? store.observe(
          asked.source, initial: style.initial, excluding: style.excluded, mode: style.mode
        ) { inbox.put($0) }
    case .pull:
      iterator =
        (asked.changes.map { $0(store, style) }
        ?? store.changes(
          of: asked.source, initial: style.initial, excluding: style.excluded, mode: style.mode))
        .makeAsyncIterator()
    case .values: values = store.values(of: asked.source).makeAsyncIterator()
    case .subscription:
      do {
        let (value, changes) = try store.subscribe(asked.source, excluding: style.excluded)
        iterator = changes.makeAsyncIterator()
        last = (answer(start), start)
        failure = answer(start).complaint(asked.actual(value)).map { "\(text): the value \($0)" }
      } catch {
        failure = "\(text) threw \(error)"
      }
    }
    if style.skipsInitial { last = (answer(timeline.version), timeline.version) }
  }

  private func answer(_ version: UInt64) -> Answer {
    if let answer = answers[version] { return answer }
    let answer = asked.expected(timeline[version] ?? Model())
    answers[version] = answer
    return answer
  }

  func pause() {
    token?.pause()
    isPaused = token != nil
  }

  func resume() {
    token?.resume()
    isPaused = false
  }

  func end() {
    token?.invalidate()
    (token, iterator, values) = (nil, nil, nil)
    isOver = true
  }

  func verify() async throws {
    guard !isOver else { return }
    switch style.kind {
    case .token:
      for change in inbox.take() { try take(change) }
      if !isPaused, let due = due() { throw Finding(description: "\(text) missed an event: \(due)") }
    case .pull, .subscription:
      if let failure { throw Finding(description: failure) }
      while due() != nil {
        guard let change = await withWatchdog(store, { await self.iterator?.next() }) else {
          throw Finding(description: "\(text) was given no event, though one is due: \(due() ?? "")")
        }
        try take(change)
      }
    case .values:
      guard due() != nil else { return }
      guard let value = try await withWatchdog(store, { try await self.values?.next() }) else {
        throw Finding(description: "\(text) was given no value, though one is due: \(due() ?? "")")
      }
      let expected = answer(timeline.version)
      if let complaint = expected.complaint(asked.actual(value)) {
        throw Finding(description: "\(text) \(complaint)")
      }
      last = (expected, timeline.version)
    }
  }

  /// Why there should be an event; nil when there should be none.
  private func due() -> String? {
    guard let last else { return "the first" }
    let newest = answer(timeline.version)
    if style.isEveryCommit {
      return nextChanges(after: last.version).due.map { "the commit of version \($0)" }
    }
    let base = baseline(at: timeline.version)
    if base.isSame(as: newest) { return nil }
    if !style.excluded.isEmpty, Baseline(base) == Baseline(newest) { return nil }
    return newest.complaint(base) ?? "linked values differ"
  }

  /// The next version whose commit is due as an event of its own, and those before it that may be one: what excluded
  /// commits do to the order of rows that are held back is not laid down, nor what they do to rows that link to such.
  private func nextChanges(after version: UInt64) -> (due: UInt64?, possible: Set<UInt64>) {
    var possible: Set<UInt64> = []
    guard version < timeline.version else { return (nil, possible) }
    for step in version + 1...timeline.version {
      if let origin = timeline.origin(of: step), style.excluded.contains(origin) { continue }
      let (base, next) = (baseline(at: step), answer(step))
      // Of rows that are held back, an excluded commit may have changed the properties that are read over links.
      let isLaidDown =
        !(base.entries + next.entries).contains(where: \.readsLinks)
        || Baseline(base).holdsNothingBack(from: Baseline(answer(step - 1)))
      if !base.isSame(as: next), style.excluded.isEmpty || isLaidDown && Baseline(base) != Baseline(next) {
        return (step, possible)
      }
      if !base.isSame(as: next) || isLoose(base, at: step) { possible.insert(step) }
    }
    return (nil, possible)
  }

  /// Whether an excluded commit may be reported: the rows have values of others, which it may have read otherwise; or
  /// one was deleted and inserted again, so that others have moved it, though its values are the same.
  private func isLoose(_ base: Answer, at version: UInt64) -> Bool {
    guard !style.excluded.isEmpty, let last else { return false }
    var insertions: [Canon: Int?] = [:]
    for entry in base.entries + (last.version...version).flatMap({ answer($0).entries }) {
      if entry.hasLinkedValues { return true }
      if let known = insertions.updateValue(entry.insertion, forKey: entry.identity), known != entry.insertion
      {
        return true
      }
    }
    return false
  }

  /// A row that the rule says is to be reported, and that an event with this previous does not report. Of one that the
  /// observer never had and that is not there any more, there is nothing to report.
  private func hidden(_ base: Answer, _ previous: Answer, _ next: Answer) -> Canon? {
    func rows(_ answer: Answer) -> [Canon: [Canon]] {
      Dictionary(answer.entries.map { ($0.identity, $0.values) }, uniquingKeysWith: { first, _ in first })
    }
    let (ruled, reported, new) = (rows(base), rows(previous), rows(next))
    let given = last.map { rows($0.answer) } ?? [:]
    return Set(ruled.keys).union(new.keys).first {
      ruled[$0] != new[$0] && reported[$0] == new[$0] && (new[$0] != nil || given[$0] != nil)
    }
  }

  /// What the observer has, with what excluded origins wrote since.
  private func baseline(at version: UInt64) -> Answer {
    guard let last else { return Answer() }
    guard !style.excluded.isEmpty, last.version < version else { return last.answer }
    var base = Baseline(last.answer)
    var order = last.answer.entries
    for step in last.version + 1...version {
      guard let origin = timeline.origin(of: step), style.excluded.contains(origin) else { continue }
      let after = Baseline(answer(step))
      base.merge(Baseline(answer(step - 1)), after)
      if base == after { order = answer(step).entries }
    }
    return base.answer(inOrderOf: order)
  }

  private func take(_ change: Source.Change) throws {
    switch asked.heard(change) {
    case .error(let error): throw Finding(description: "\(text) ended with \(error)")
    case .initial(let answer, let version):
      if style.skipsInitial { throw Finding(description: "\(text) was given a first event") }
      if last != nil { throw Finding(description: "\(text) was given a second first event") }
      let version = try match(answer, version, from: start)
      last = (self.answer(version), version)
    case .update(let old, let new, let version, let laws):
      guard let last else { throw Finding(description: "\(text) was given a change first") }
      let version = try match(new, version, from: last.version)
      if version < last.version { throw Finding(description: "\(text) returns to version \(version)") }
      if style.isEveryCommit {
        let (due, possible) = nextChanges(after: last.version)
        if version != due, !possible.contains(version) {
          throw Finding(
            description: "\(text) leads from version \(last.version) to \(version), not to "
              + "\(due.map { "\($0)" } ?? "any")")
        }
      }
      var base = baseline(at: version)
      if !style.excluded.isEmpty {
        // The order of what is held back is not laid down.
        base = Baseline(base).answer(inOrderOf: old.entries)
      }
      if isLoose(base, at: version), base.complaint(old) ?? laws(base, answer(version), true) != nil {
        if let complaint = laws(old, new, false) {
          throw Finding(
            description: "\(text), from version \(last.version) to \(version), in itself: \(complaint)")
        }
        if let row = hidden(base, old, answer(version)) {
          throw Finding(description: "\(text), from version \(last.version) to \(version), hides \(row)")
        }
        self.last = (answer(version), version)
        return
      }
      if let complaint = base.complaint(old) {
        throw Finding(
          description: "previous of \(text), at version \(last.version) before \(version), \(complaint)")
      }
      if let complaint = laws(base, answer(version), true) {
        throw Finding(description: "\(text), from version \(last.version) to \(version): \(complaint)")
      }
      if style.excluded.isEmpty, let compose = asked.compose, let earlier {
        if let complaint = compose(earlier.change, change, earlier.base, answer(version)) {
          throw Finding(description: "\(text), composed up to version \(version): \(complaint)")
        }
      }
      earlier = (change, base)
      self.last = (answer(version), version)
    }
  }

  /// The version that an answer is of; where the event does not say, the first at which it is right.
  private func match(_ actual: Answer, _ version: UInt64?, from first: UInt64) throws -> UInt64 {
    if let version {
      guard timeline[version] != nil else {
        throw Finding(description: "\(text) reports version \(version)")
      }
      if let complaint = answer(version).complaint(actual) {
        throw Finding(description: "\(text) \(complaint), at version \(version)")
      }
      return version
    }
    guard let version = (first...timeline.version).first(where: { answer($0).complaint(actual) == nil })
    else {
      throw Finding(
        description:
          "\(text) \(answer(timeline.version).complaint(actual) ?? "") (at no version since \(first))")
    }
    return version
  }
}

/// The rows of an answer, whatever their order.
struct Baseline: Equatable {
  private var rows: [Canon: Answer.Entry] = [:]
  private var value: Canon

  init(_ answer: Answer) {
    for entry in answer.entries { rows[entry.identity] = entry }
    value = answer.value
  }

  static func == (left: Baseline, right: Baseline) -> Bool {
    left.value == right.value && left.rows.count == right.rows.count
      && left.rows.allSatisfy { $1.compared == right.rows[$0]?.compared }
  }

  /// Takes the state after an excluded commit for every row whose state is that before it.
  mutating func merge(_ before: Baseline, _ after: Baseline) {
    for identity in Set(before.rows.keys).union(after.rows.keys).union(rows.keys)
    where rows[identity]?.queryCase == before.rows[identity]?.queryCase {
      rows[identity] = after.rows[identity]
    }
    if value == before.value { value = after.value }
  }

  /// Whether all rows are as in the result before a commit, so that an excluded one gives them what it gives that.
  func holdsNothingBack(from before: Baseline) -> Bool {
    rows.count == before.rows.count && rows.allSatisfy { $1.queryCase == before.rows[$0]?.queryCase }
  }

  func answer(inOrderOf other: [Answer.Entry]) -> Answer {
    let known = other.compactMap { rows[$0.identity] }
    let places = Set(known.map(\.identity))
    return Answer(entries: known + rows.values.filter { !places.contains($0.identity) }, value: value)
  }
}
