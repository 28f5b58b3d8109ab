/// A value that belongs to an actor: it is used there, and released there (L16).
///
/// A handler that an actor made may capture objects that only this actor may touch, and releasing the last
/// reference to one runs its `deinit`. So when the last reference to this is released, a short task releases
/// the value on its actor.
///
/// The actor is held weakly. An actor that is being deallocated runs no more tasks. The value is then
/// released in place: mostly inside that deallocation, with the actor's other objects.
final class ActorBound<Value>: Sendable {
  private let actor: WeakActor?
  private let content: Content

  /// To be called on the actor.
  ///
  /// - Parameter actor: the actor that the value belongs to; nil if it may be released anywhere.
  init(_ value: Value, on actor: (any Actor)?) {
    self.actor = actor.map { WeakActor($0) }
    content = Content(value)
  }

  deinit {
    guard let actor = actor?.actor else { return }
    let content = content
    Task.detached { await Self.release(content, on: actor) }
  }

  /// The value; to be read on its actor.
  var value: Value? { content.value }

  private static func release(_ content: Content, on actor: isolated any Actor) { content.value = nil }

  /// Proof of sendability: the value is touched on its actor, or where nothing else refers to it any more.
  private final class Content: @unchecked Sendable {
    var value: Value?

    init(_ value: Value) { self.value = value }
  }
}
