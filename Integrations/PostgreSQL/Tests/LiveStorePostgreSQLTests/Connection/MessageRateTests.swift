import Testing

import LiveStorePostgreSQL

@Suite struct `The rate of a stream's messages` {
  private let start = ContinuousClock.now

  private func rate(waitsEvery interval: Duration) -> MessageRate {
    var rate = MessageRate()
    for number in 0..<4 { rate.waited(until: start + interval * number) }
    return rate
  }

  @Test func `four waits within two milliseconds make the reader pause`() {
    #expect(rate(waitsEvery: .microseconds(200)).isHigh)
    #expect(!rate(waitsEvery: .microseconds(700)).isHigh)
  }

  @Test func `few messages in a pause end the pauses, and many do not`() {
    var rate = rate(waitsEvery: .microseconds(200))
    rate.paused(8)
    #expect(rate.isHigh)
    rate.paused(3)
    #expect(!rate.isHigh)
    rate.waited(until: start)
    #expect(!rate.isHigh)
  }
}
