/// Decides when the reader of a stream pauses, so that messages come together, rather than wait for each.
///
/// A wait costs about 60 µs of processor time on a small machine, for the threads that it wakes: a third of a
/// core at 5,000 a second. The reader pauses after four waits within two milliseconds, until fewer than eight
/// messages come in a pause. A single client that waits for each of its transactions before the next, of
/// three messages at least, is so not slowed down.
package struct MessageRate {
  /// How long the pause is.
  static let pause = Duration.milliseconds(1)

  /// Whether the reader should pause before it waits.
  package private(set) var isHigh = false
  /// When the last waits ended, the newest last; at most three.
  private var waits: [ContinuousClock.Instant] = []

  package init() {}

  /// A wait has ended with messages.
  package mutating func waited(until now: ContinuousClock.Instant) {
    if waits.count == 3 {
      isHigh = now - waits.removeFirst() < Self.pause * 2
    }
    waits.append(now)
  }

  /// A pause has ended with this number of messages.
  package mutating func paused(_ count: Int) {
    isHigh = count >= 8
    waits = []
  }
}
