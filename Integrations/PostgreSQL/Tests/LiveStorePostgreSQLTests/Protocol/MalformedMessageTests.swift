import Testing

import LiveStorePostgreSQL

/// Nothing that a server may send traps: what is malformed is a violation of the protocol.
@Suite struct `Malformed messages` {
  private func parse(_ bytes: [UInt8], inStream: Bool) throws(PostgresError) {
    do {
      _ = try LogicalMessage.parse(bytes, inStream: inStream)
    } catch let error as PostgresError {
      throw error
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test(arguments: CapturedMessages.unstreamed) func `a message that is cut anywhere is an error`(
    message: [UInt8]
  ) {
    for count in 0..<message.count {
      #expect(throws: PostgresError.self) { try parse(Array(message[..<count]), inStream: false) }
    }
    #expect(throws: PostgresError.self) { try parse(message + [0], inStream: false) }
  }

  @Test(arguments: CapturedMessages.streamed) func `a streamed message that is cut anywhere is an error`(
    message: [UInt8]
  ) {
    for count in 0..<message.count {
      #expect(throws: PostgresError.self) { try parse(Array(message[..<count]), inStream: true) }
    }
  }

  @Test func `every byte may have every value`() {
    for message in CapturedMessages.unstreamed + CapturedMessages.streamed {
      for index in message.indices {
        for value in UInt8.min...UInt8.max {
          var message = message
          message[index] = value
          for inStream in [false, true] {
            do {
              try parse(message, inStream: inStream)
            } catch {
              #expect(error.code == PostgresError.protocolViolation)
            }
          }
        }
      }
    }
  }

  @Test func `random changes of messages and frames are errors at the most`() {
    var random = SeededGenerator(seed: 17)
    for _ in 0..<20_000 {
      var message =
        (CapturedMessages.unstreamed + CapturedMessages.streamed).randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...6, using: &random) where !message.isEmpty {
        let index = Int.random(in: 0..<message.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: message[index] = .random(in: 0...255, using: &random)
        case 1: message.remove(at: index)
        case 2: message.insert(.random(in: 0...255, using: &random), at: index)
        default: message.replaceSubrange(index..., with: message[index...].prefix(3))
        }
      }
      for inStream in [false, true] { try? parse(message, inStream: inStream) }
      _ = try? ReplicationFrame.parse(message)
      _ = try? ReplicationFrame.parse([UInt8(ascii: "w")] + message)
      _ = try? ReplicationFrame.parse([UInt8(ascii: "k")] + message)
    }
  }
}

/// A generator of random numbers with the same numbers in each run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
