import LiveStorePostgreSQL
import Testing

@Suite struct `Log sequence numbers` {
  @Test(arguments: ["0/0", "0/16B3748", "16/B374D848", "FFFFFFFF/FFFFFFFF"])
  func `a position is read and written as the server writes it`(text: String) {
    #expect(LogSequenceNumber(text)?.description == text)
  }

  @Test(arguments: ["", "/", "1", "1/", "/1", "+1/2", "1/2/3", "100000000/0", "0/100000000", "g/0", "-1/0"])
  func `a text that is no position gives nil`(text: String) {
    #expect(LogSequenceNumber(text) == nil)
  }

  @Test func `positions are ordered as in the log`() throws {
    let first = try #require(LogSequenceNumber("1/0"))
    #expect(LogSequenceNumber(rawValue: 0xFFFF_FFFF) < first)
    #expect(first.rawValue == 1 << 32)
  }
}
