import LiveStorePostgreSQL
import PostgreSQLTestSupport

/// A connection to a simulated server, which breaks at some byte or ends when the replica has confirmed the whole log.
final class SimulatedStream: ReplicationChannel {
  /// Why a stream has ended.
  enum End: Error { case cut, finished }

  /// Up to where the log was read by what was sent.
  private(set) var position: UInt64
  private let frames: [(bytes: [UInt8], position: UInt64)]
  /// How many frames come whole before the connection breaks; nil if it does not.
  private let cut: Int?
  private var random: SplitMix64
  /// Called between messages, with the position that the replica has confirmed if it has just done that.
  private let check: (_ confirmed: UInt64?) throws -> Void
  private var sentCount = 0
  private var owesAnswer = false

  init(
    _ messages: [SimulatedDecoder.Message], from start: UInt64, isCut: Bool, _ random: SplitMix64,
    _ check: @escaping (UInt64?) throws -> Void
  ) {
    (position, self.random, self.check) = (start, random, check)
    frames = messages.map(Self.frame)
    cut = isCut ? Self.cut(frames.map(\.bytes.count), &self.random) : nil
  }

  private static func frame(_ message: SimulatedDecoder.Message) -> (bytes: [UInt8], position: UInt64) {
    switch message {
    case .data(let bytes, let position):
      var frame = MessageWriter("w")
      for number in [position, position, 0] { frame.add(number) }
      return (frame.bytes + bytes, position)
    case .keepalive(let end, let asksForAnswer):
      var frame = MessageWriter("k")
      for number in [end, 0] { frame.add(number) }
      frame.add(UInt8(asksForAnswer ? 1 : 0))
      return (frame.bytes, end)
    }
  }

  /// How many frames are whole before a byte of all, each of which counts the same.
  private static func cut(_ sizes: [Int], _ random: inout SplitMix64) -> Int {
    // Each frame follows a byte for its kind and four of its length.
    var rest = random.int(0...sizes.reduce(0) { $0 + $1 + 5 } - 1)
    return sizes.firstIndex { size in
      rest -= size + 5
      return rest < 0
    } ?? sizes.count
  }

  func receive(until deadline: ContinuousClock.Instant) async throws -> MessageBatch {
    try require(!owesAnswer, "the replica has not answered a keep-alive that asks for it")
    try check(nil)
    var batch = MessageBatch()
    if sentCount == frames.count { throw End.finished }
    for _ in 0..<random.pick([1, 1, 2, 5, 30]) where sentCount < frames.count {
      if sentCount == cut { break }
      let frame = frames[sentCount]
      frame.bytes.withUnsafeBytes { batch.append($0) }
      if frame.bytes[0] == UInt8(ascii: "k"), frame.bytes[17] == 1 { owesAnswer = true }
      position = max(position, frame.position)
      sentCount += 1
    }
    // What came before is read although the connection is lost.
    if batch.isEmpty { throw End.cut }
    return batch
  }

  func send(_ bytes: [UInt8], until deadline: ContinuousClock.Instant?) async throws {
    owesAnswer = false
    try check(bytes[9..<17].reduce(0) { $0 << 8 | UInt64($1) })
  }

  func sendWithoutWaiting(_ bytes: [UInt8]) throws {}
}
