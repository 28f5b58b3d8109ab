/// When the body of a transaction ran, while times are recorded.
///
/// State: `end`, which the transaction's thread sets before it publishes.
final class BodyTimes {
  let start: ContinuousClock.Instant
  var end: ContinuousClock.Instant

  init(start: ContinuousClock.Instant) { (self.start, end) = (start, start) }
}
