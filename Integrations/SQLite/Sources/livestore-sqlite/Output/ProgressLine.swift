package import LiveStoreSQLite

/// How far a command is, as a line of a terminal.
package struct ProgressLine: Equatable {
  package var progress: StoreFile.Progress
  /// The time since the phase began.
  package var time: Duration
  /// Whether no phase follows: what is left of it is left of all.
  package var isLast: Bool

  package init(_ progress: StoreFile.Progress, time: Duration, isLast: Bool) {
    (self.progress, self.time, self.isLast) = (progress, time, isLast)
  }

  /// The time until the end, at the rate so far; nil as long as that says little.
  package var timeLeft: Duration? {
    guard isLast, time >= Self.leastTime, let fraction = progress.fraction, fraction >= Self.leastFraction
    else { return nil }
    return .seconds(((1 / fraction - 1) * (time / .seconds(1))).rounded(.up))
  }

  private static let leastTime = Duration.seconds(2)
  private static let leastFraction = 0.02

  // MARK: Text

  /// As much as fits: the phase, the percentage, a bar, the amount, and the time that is left or has passed.
  ///
  /// - Parameter columns: how many there are.
  package func text(columns: Int) -> String {
    let head = progress.phase.description
    let clock = timeLeft.map { "\(Self.text($0)) left" } ?? Self.text(time)
    guard let fraction = progress.fraction else {
      return first([[head, amount, clock], [head, clock], [head], [clock]], columns)
    }
    let number = "\(Int(fraction * 100))%"
    let percent = String(repeating: " ", count: max(0, 4 - number.count)) + number
    let parts = [head, percent, amount, clock]
    // With a blank more on either side of it.
    let room = columns - parts.reduce(2 * parts.count) { $0 + $1.count }
    if room >= Self.barWidths.lowerBound {
      let bar = Self.bar(fraction, width: min(room, Self.barWidths.upperBound))
      return [head, percent, bar, amount, clock].joined(separator: "  ")
    }
    return first([parts, [head, percent, clock], [head, percent], [number]], columns)
  }

  private func first(_ texts: [[String]], _ columns: Int) -> String {
    texts.map { $0.joined(separator: "  ") }.first { $0.count <= columns } ?? ""
  }

  private var amount: String {
    let (done, total) = (progress.done, progress.total)
    guard progress.unit == .bytes else {
      return (total.map { "\(done.grouped) of \($0.grouped)" } ?? done.grouped) + " \(progress.unit)"
    }
    return total.map { "\(Self.megabytes(done)) of \(Self.megabytes($0)) MB" } ?? "\(Self.megabytes(done)) MB"
  }

  private static func megabytes(_ bytes: Int) -> String {
    let tenths = (bytes / 100_000)
    return tenths < 1_000 ? "\(tenths / 10).\(tenths % 10)" : (tenths / 10).grouped
  }

  private static let barWidths = 12...32

  private static func bar(_ fraction: Double, width: Int) -> String {
    let room = width - 2
    let done = Int(fraction * Double(room))
    let head = done < room ? ">" : ""
    let rest = String(repeating: " ", count: room - done - head.count)
    return "[" + String(repeating: "=", count: done) + head + rest + "]"
  }

  /// Minutes and seconds, `0:07`, or hours, `1:02:03`.
  private static func text(_ time: Duration) -> String {
    let seconds = Int(time.components.seconds)
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
    func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let end = twoDigits(seconds % 60)
    return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(end)" : "\(minutes):\(end)"
  }
}
