/// An actor that may have been deallocated.
final class WeakActor: Sendable {
  weak let actor: (any Actor)?

  init(_ actor: any Actor) { self.actor = actor }
}
