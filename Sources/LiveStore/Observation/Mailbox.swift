import Synchronization

/// What a ``Following`` found and its actor has not taken yet.
///
/// State: `mail`, guarded by its mutex, which is held while changes are found. `polling` has those who poll the cursor
/// do so one after another, up to the merge of what they found; it may be held for as long as a query is evaluated, so
/// the actor waits for it only where it asked to, and after its own writes if the query is evaluated already.
final class Mailbox<Value: Sendable, Change: Sendable>: Sendable {
  private struct Mail {
    /// What the actor has taken last, or what another following has left there.
    var start: [ResultSide]?
    /// The value that another following has left there, until the first is taken.
    var replacedValue: Value?
    var pending: Pending?
    /// How many rows there are without the window, where that is all that differs from what was taken.
    var total: Int?
    var takenTotal: Int?
    /// That there will be no more, as long as it is not taken.
    var end: End?
    var isEnded = false

    /// What there is to tell of.
    var waiting: (version: Version?, isLast: Bool)? {
      pending == nil && total == nil && end == nil
        ? nil : (pending?.sides.first?.state.version, end != nil)
    }
    /// Whether all that is new is told like what others wrote.
    var isPaused = false
    /// Keeps the results maintained that these replace.
    var replaced: Mailbox?
  }

  private struct Pending {
    let sides: [ResultSide]
    let change: Change?
    let isOwn: Bool
  }

  private enum End {
    case failed(StoreError)
    case closed
  }

  private let handle: CursorHandle
  private let sources: FollowedSources<Value, Change>
  private let polling = Mutex(())
  private let mail: Mutex<Mail>
  /// Whether the first value was taken.
  let isBegun = Flag()

  init(_ handle: CursorHandle, _ sources: FollowedSources<Value, Change>, replacing previous: Mailbox?) {
    self.handle = handle
    self.sources = sources
    let replaced = previous.flatMap { $0.isBegun.value ? $0 : $0.mail.withLock { $0.replaced } }
    let (start, value) = previous?.startAndValue ?? (nil, nil)
    mail = Mutex(Mail(start: start, replacedValue: value, replaced: replaced))
  }

  /// What was taken last.
  private var startAndValue: ([ResultSide]?, Value?) {
    mail.withLock { mail in
      (mail.start, isBegun.value ? mail.start.map(sources.value) : mail.replacedValue)
    }
  }

  /// Finds what is new, unless something waits already; nil when there is nothing to tell of.
  func find() -> (version: Version?, isLast: Bool)? {
    let waiting = mail.withLock { $0.waiting }
    if waiting == nil { collect() }
    return waiting ?? mail.withLock { $0.waiting }
  }

  /// Finds what is new and merges it with what waits already.
  ///
  /// - Parameter evaluates: whether to evaluate queries that are not maintained yet.
  func collect(evaluates: Bool = true) {
    let dropped = polling.withLock { _ in poll(evaluates: evaluates) }
    withExtendedLifetime(dropped) {}
  }

  /// Finds what is new for a query that is evaluated already. Another would be waited for.
  func collectFollowed() {
    if mail.withLock({ isBegun.value || $0.pending != nil }) { collect() }
  }

  /// All that is new until ``resume()`` counts as written by others.
  func pause() { mail.withLock { $0.isPaused = true } }

  /// What is new from here on counts as written by whoever wrote it, unless it is merged with what waits.
  func resume() {
    guard mail.withLock({ $0.isPaused }) else { return }
    collectFollowed()
    mail.withLock { if $0.pending == nil { $0.isPaused = false } }
  }

  /// What waits, as one change from what was taken before.
  func take() -> Following<Value, Change>.Taken {
    let (taken, freed) = mail.withLock { mail in take(from: &mail) }
    // What is freed with them may run code of the user's.
    withExtendedLifetime(freed) {}
    return taken
  }

  private func take(from mail: inout Mail) -> (Following<Value, Change>.Taken, freed: [any Sendable]) {
    if let pending = mail.pending {
      let freed: [any Sendable] = [mail.start, mail.replaced, mail.replacedValue]
      mail.start = pending.sides
      mail.replacedValue = nil
      mail.pending = nil
      mail.total = nil
      mail.takenTotal = sources.total?(pending.sides)
      mail.isPaused = false
      mail.replaced = nil
      isBegun.set()
      let news = Following<Value, Change>.News(
        value: sources.value(pending.sides), version: pending.sides.first?.version ?? .zero,
        change: pending.change, isOwn: pending.isOwn, total: mail.takenTotal)
      return (.news(news), freed)
    }
    if let total = mail.total.take() {
      mail.takenTotal = total
      return (.total(total), [])
    }
    guard let end = mail.end.take() else { return (.none, []) }
    let freed: [any Sendable] = [mail.replaced]
    mail.replaced = nil
    switch end {
    case .failed(let error): return (.failed(error), freed)
    case .closed: return (.failed(.storeClosed()), freed)
    }
  }

  /// To be called by one at a time.
  ///
  /// - Returns: what it replaced, to be freed outside the mutexes, since that may run code of the user's.
  private func poll(evaluates: Bool = true) -> [any Sendable] {
    let (step, isOwn) = handle.pollWithAuthor(evaluates: evaluates)
    return mail.withLock { mail in
      let replaced: [any Sendable] = [mail.start, mail.pending?.sides, mail.pending?.change]
      merge(step, isOwn: isOwn && !mail.isPaused, &mail)
      return replaced
    }
  }

  private func merge(_ step: CursorStep, isOwn: Bool, _ mail: inout Mail) {
    let sides: [ResultSide]
    switch step.result(failure: { .failure($0) }, { _, new in Result.success(new) }) {
    case .none, .skipped: return
    case .last(.failure(let error)), .event(.failure(let error), _):
      mail.end = .failed(error)
      mail.isEnded = true
      return
    case .last, .ended:
      if !mail.isEnded { mail.end = .closed }
      mail.isEnded = true
      return
    case .event(.success(let new), _): sides = new
    }
    let isOwn = isOwn && mail.pending?.isOwn ?? true
    let change: Change? =
      if let value = mail.replacedValue, let firstChange = sources.firstChange {
        firstChange(value, sides)
      } else {
        mail.start.flatMap { sources.change($0, sides) }
      }
    if change == nil && mail.start != nil && isBegun.value {
      // Back to what it was.
      mail.pending = nil
      mail.start = sides
      let total = sources.total?(sides)
      mail.total = total == mail.takenTotal ? nil : total
    } else {
      mail.pending = Pending(sides: sides, change: change, isOwn: isOwn)
    }
  }
}
