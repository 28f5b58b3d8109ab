/// How far reading has come, and how fast.
package struct ProgressReport: Hashable, Sendable {
  /// Lines that have been read.
  package var lines = 0
  /// Bad lines among them.
  package var badLines = 0
  /// Bytes that have been read.
  package var bytes = 0
  /// The time since the beginning.
  package var time = Duration.zero
  /// How many bytes there are; nil if that is not known.
  package let total: Int?
  /// Whether reading has ended.
  package var isOver = false

  /// A report of nothing yet.
  package init(total: Int?) {
    self.total = total.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The part that has been read, from 0 to 1; nil if the size is not known.
  package var fraction: Double? {
    total.map { min(1, Double(bytes) / Double($0)) }
  }

  /// The time until everything has been read, at the rate so far; nil if that cannot be said, or is very long.
  package var timeLeft: Duration? {
    guard !isOver, let total, bytes > 0, bytes < total else { return nil }
    let left = seconds * (Double(total) / Double(bytes) - 1)
    return left < Self.longest ? .seconds(left.rounded(.up)) : nil
  }

  /// The longest time left that is shown, in seconds.
  private static let longest = 360_000.0

  private var seconds: Double { time / .seconds(1) }

  /// Lines and bytes a second; nil before any time has passed.
  private var rates: (lines: Double, bytes: Double)? {
    time > .zero ? (Double(lines) / seconds, Double(bytes) / seconds) : nil
  }
}

// MARK: Text

extension ProgressReport {
  /// The parts of the text, from the least that is worth a line; the last is the time.
  private var percent: [String] { fraction.map { ["\(Int($0 * 100))%"] } ?? [] }

  private var amounts: [String] {
    ["\(Quantity.text(Double(lines))) line\(lines == 1 ? "" : "s")", Quantity.text(ofBytes: Double(bytes))]
  }

  private var mistakes: [String] { badLines > 0 ? ["\(Quantity.text(Double(badLines))) bad"] : [] }

  private var speeds: [String] {
    guard let rates else { return [] }
    return ["\(Quantity.text(rates.lines)) lines/s", "\(Quantity.text(ofBytes: rates.bytes))/s"]
  }

  private var duration: [String] {
    if let timeLeft { return ["\(Quantity.text(timeLeft)) left"] }
    return ["in \(Quantity.text(time))"]
  }

  /// Everything, for a line of a log.
  package var text: String { (percent + amounts + mistakes + speeds + duration).joined(separator: ", ") }

  /// What the first line of a live table has room for.
  package var shortText: String { (percent + speeds.prefix(1) + duration).joined(separator: ", ") }

  /// As much as fits into a line of a terminal, with a bar if there is room and the size is known.
  ///
  /// - Parameter columns: how many characters may be used.
  package func line(columns: Int) -> String {
    let full = percent + amounts + mistakes + speeds + duration
    if let fraction {
      // The percentage stands in a column of its own, so that nothing moves.
      let head = String(repeating: " ", count: max(0, 4 - percent.joined().count)) + percent.joined()
      let tail = full.dropFirst().joined(separator: "  ")
      let room = columns - head.count - tail.count - 3
      if room >= Self.barWidths.lowerBound {
        return "\(head) \(bar(fraction, width: min(room, Self.barWidths.upperBound)))  \(tail)"
      }
    }
    let candidates = [
      full, percent + mistakes + speeds + duration, percent + mistakes + duration, percent + duration,
      percent, duration,
    ]
    let texts = candidates.map { $0.joined(separator: "  ") }
    return texts.first { !$0.isEmpty && $0.count <= columns } ?? ""
  }

  private static let barWidths = 12...32

  private func bar(_ fraction: Double, width: Int) -> String {
    let room = width - 2
    let done = Int(fraction * Double(room))
    let head = done < room ? ">" : ""
    let rest = String(repeating: " ", count: room - done - head.count)
    return "[" + String(repeating: "=", count: done) + head + rest + "]"
  }
}
