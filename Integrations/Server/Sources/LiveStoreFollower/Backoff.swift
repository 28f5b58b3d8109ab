/// How long to wait before the next attempt: twice as long each time, up to a maximum. A random part keeps many followers from
/// coming back at once.
package struct Backoff {
  private let minimum: Duration
  private let maximum: Duration
  private var attempts = 0

  package init(minimum: Duration, maximum: Duration) {
    (self.minimum, self.maximum) = (max(.zero, minimum), max(.zero, maximum))
  }

  package mutating func reset() { attempts = 0 }

  /// The time to wait: between half of the current time and all of it.
  package mutating func next(_ random: Double = .random(in: 0.5...1)) -> Duration {
    let time = min(maximum, minimum * (1 << min(attempts, 20)))
    attempts += 1
    return time * random
  }
}
