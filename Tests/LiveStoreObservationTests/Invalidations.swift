import Observation
import Synchronization

/// Counts how often what a closure reads is invalidated; it is read again after each time, as a view is.
@MainActor final class Invalidations {
  private let read: @MainActor () -> Void
  private(set) var count = 0

  init(_ read: @escaping @MainActor () -> Void) {
    self.read = read
    track()
  }

  private func track() {
    withObservationTracking {
      read()
    } onChange: {
      // Models publish on the main actor.
      MainActor.assumeIsolated { self.count += 1 }
      Task { @MainActor in self.track() }
    }
  }
}
