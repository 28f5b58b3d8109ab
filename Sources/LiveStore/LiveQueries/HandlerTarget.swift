import Dispatch
import Synchronization

/// Where a handler is called.
enum HandlerTarget<Change: Sendable>: Sendable {
  typealias IsolatedHandler = @isolated(any) @Sendable (Change) -> Void

  /// A handler with its own isolation. A global actor's handler may capture values that are not `Sendable`.
  case isolated(ActorBound<IsolatedHandler>)
  case actor(WeakActor, @Sendable (Change) -> Void)
  case queue(DispatchQueue, @Sendable (Change) -> Void)

  func event(
    _ change: Change, _ version: Version?, isLast: Bool = false,
    rewind: @escaping @Sendable () -> Bool = { false }
  ) -> Delivery.Event {
    Delivery.Event(
      version: version, isLast: isLast, deliver: { delivery in await call(change, delivery) },
      rewind: rewind)
  }

  /// Asks on the handler's isolation whether it may still be called, and calls it, with no suspension between.
  private func call(_ change: Change, _ delivery: Delivery) async -> Bool {
    switch self {
    case .isolated(let bound):
      return await Self.call(on: bound.value?.isolation, bound, change, delivery)
    case .actor(let reference, let handler):
      guard let actor = reference.actor else {
        delivery.invalidate(keeping: handler)
        return false
      }
      return await Self.call(onActor: actor, handler, change, delivery)
    case .queue(let queue, let handler):
      return await withCheckedContinuation { continuation in
        let queuedCall = Mutex<QueuedCall?>(QueuedCall(handler: handler, change: change))
        queue.async {
          let isDone = queuedCall.withLock { $0.take() }?.perform(delivery) ?? false
          continuation.resume(returning: isDone)
        }
      }
    }
  }

  /// The call that a block on a queue makes. The block takes it out, since the queue frees the block only
  /// after it has run, when the event may have been reported already (L14).
  private struct QueuedCall: Sendable {
    let handler: @Sendable (Change) -> Void
    let change: Change

    consuming func perform(_ delivery: Delivery) -> Bool {
      guard delivery.beginCall() else { return false }
      handler(change)
      return true
    }
  }

  private static func call(
    on isolation: isolated (any Actor)?, _ bound: ActorBound<IsolatedHandler>, _ change: Change,
    _ delivery: Delivery
  ) async -> Bool {
    guard let handler = bound.value, delivery.beginCall() else { return false }
    // The handler belongs to `isolation`, so this does not leave it.
    await handler(change)
    return true
  }

  private static func call(
    onActor actor: isolated any Actor, _ handler: @Sendable (Change) -> Void, _ change: Change,
    _ delivery: Delivery
  ) -> Bool {
    guard delivery.beginCall() else { return false }
    handler(change)
    return true
  }
}
