import Synchronization

/// What a ``Following`` found and its actor has not taken yet.
///
/// State: `mail`, guarded by its mutex, which is held while changes are found. `polling` has those who poll the cursor
/// do so one after another, up to the merge of what they found; it may be held for as long as a query is evaluated, so
/// the actor waits for it only where it asked to, and in edits if the query is evaluated already.
final class Mailbox<Value: Sendable, Change: Sendable>: Sendable {
  private struct Mail {
    /// What the actor has taken last, or what another following has left there.
    var start: [ResultSide]?
    var pending: Pending?
    /// That there will be no more, as long as it is not taken.
    var end: End?
    var isEnded = false

    /// What there is to tell of.
    var waiting: (version: Version?, isLast: Bool)? {
      pending == nil && end == nil ? nil : (pending?.sides.first?.state.version, end != nil)
    }
    /// Whether the model's actor has the writer's turn, and for an edit of the model's own origin.
    var edit: Bool?
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
    mail = Mutex(Mail(start: previous?.mail.withLock { $0.start }, replaced: replaced))
  }

  /// Finds what is new, unless something waits already; nil when there is nothing to tell of.
  func find() -> (version: Version?, isLast: Bool)? {
    let waiting = mail.withLock { $0.waiting }
    if waiting == nil { collect() }
    return waiting ?? mail.withLock { $0.waiting }
  }

  /// Finds what is new and merges it with what waits already.
  ///
  /// - Parameter evaluates: whether to evaluate queries that nobody follows yet.
  func collect(evaluates: Bool = true) {
    let dropped = polling.withLock { _ in poll(evaluates: evaluates) }
    withExtendedLifetime(dropped) {}
  }

  /// The model's actor has the writer's turn: all that others wrote is found now, and what is found until the
  /// turn ends, by whom it may, is the edit.
  ///
  /// - Parameter isOwn: whether the edit is of the model's origin.
  func beginEdit(isOwn: Bool) {
    // With a query that is still evaluated, the turn would wait for that.
    guard mail.withLock({ isBegun.value || $0.pending != nil }) else { return }
    let dropped = polling.withLock { _ in
      defer { mail.withLock { $0.edit = isOwn } }
      return poll()
    }
    withExtendedLifetime(dropped) {}
  }

  func endEdit() {
    guard mail.withLock({ $0.edit != nil }) else { return }
    let dropped = polling.withLock { _ in
      defer { mail.withLock { $0.edit = nil } }
      return poll()
    }
    withExtendedLifetime(dropped) {}
  }

  /// What waits, as one change from what was taken before.
  func take() -> Following<Value, Change>.Taken {
    let (taken, replaced, start) = mail.withLock { mail in
      guard let pending = mail.pending else {
        guard let end = mail.end else {
          return (Following<Value, Change>.Taken.none, nil as Mailbox?, nil as [ResultSide]?)
        }
        let replaced = mail.replaced
        mail.end = nil
        mail.replaced = nil
        switch end {
        case .failed(let error): return (.failed(error), replaced, nil)
        case .closed: return (.ended, replaced, nil)
        }
      }
      defer {
        mail.start = pending.sides
        mail.pending = nil
        mail.replaced = nil
      }
      isBegun.set()
      let version = pending.sides.first?.version ?? .zero
      let news = Following<Value, Change>.News(
        value: sources.value(pending.sides), version: version, change: pending.change, isOwn: pending.isOwn)
      return (.news(news), mail.replaced, mail.start)
    }
    // What is freed with them may run code of the user's.
    withExtendedLifetime((replaced, start)) {}
    return taken
  }

  /// To be called by one at a time.
  ///
  /// - Returns: what it replaced, to be freed outside the mutexes, since that may run code of the user's.
  private func poll(evaluates: Bool = true) -> [any Sendable] {
    let step = handle.poll(evaluates: evaluates)
    return mail.withLock { mail in
      let replaced: [any Sendable] = [mail.start, mail.pending?.sides, mail.pending?.change]
      merge(step, &mail)
      return replaced
    }
  }

  private func merge(_ step: CursorStep, _ mail: inout Mail) {
    let sides: [ResultSide]
    switch step {
    case .none: return
    case .failed(let error):
      mail.end = .failed(error)
      mail.isEnded = true
      return
    case .ended:
      if !mail.isEnded { mail.end = .closed }
      mail.isEnded = true
      return
    case .initial(let first): sides = first
    case .update(let steps): sides = steps.map(\.new)
    }
    let isOwn = mail.edit ?? false && mail.pending?.isOwn ?? true
    let change = mail.start.flatMap { sources.change($0, sides) }
    if change == nil && mail.start != nil && isBegun.value {
      // Back to what it was.
      mail.pending = nil
      mail.start = sides
    } else {
      mail.pending = Pending(sides: sides, change: change, isOwn: isOwn)
    }
  }
}
