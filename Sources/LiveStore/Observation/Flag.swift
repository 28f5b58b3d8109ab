import Synchronization

/// Something that becomes true once, seen from any thread.
final class Flag: Sendable {
  private let storage = Atomic(false)

  var value: Bool { storage.load(ordering: .acquiring) }
  func set() { storage.store(true, ordering: .releasing) }
}
