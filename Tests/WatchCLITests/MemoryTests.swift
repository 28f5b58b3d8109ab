import Foundation
import TestSupport
import Testing
import livestore_watch

/// Memory follows the objects that live, however many lines have been read.
@Suite(.serialized, .timeLimit(.minutes(30))) struct MemoryTests {
  private let files = TemporaryFiles()

  private static let isLong = Environment.isLong
  /// Megabytes; a tool with a thousand objects takes about 30.
  private static let bound = isLong ? 100 : 60
  /// How many updates, of half a kilobyte each if they were held, are beyond the bound.
  private static let updateCount = isLong ? 2_000_000 : Environment.size(80_000, thorough: 100_000)

  private static let batches: [[String]] = Environment.sizes(
    [[], ["--batch", "\(Int.max)"]], thorough: [["--batch", "999"]])

  /// Updates of 1,000 objects, of about 100 bytes each.
  private func updates(_ numbers: Range<Int>) -> String {
    var text = ""
    for number in numbers {
      text += "{\"id\":\(number &* 7_919 % 1_000),\"status\":\"open\",\"n\":\(number),"
      text +=
        "\"owner\":{\"name\":\"user \(number % 50)\",\"city\":\"Berlin\"},\"price\":\(number % 1_000).25}\n"
    }
    return text
  }

  /// The object that ends the input and is the first of the result.
  private let end = #"{"id":"end","n":-1}"#

  /// Bug: the documents of a group were held until a group ended where a read did, which took a gigabyte for two
  /// million lines.
  @Test(arguments: batches)
  func `updates through a pipe take the memory of their objects`(batch: [String]) throws {
    let tool = try Conversation(["--output", "count", "--where", "n < 0"] + batch)
    let few = Environment.size(10_000, thorough: 20_000)
    let count = batch.isEmpty && !Self.isLong ? few : Self.updateCount
    for start in stride(from: 0, to: count, by: 10_000) { try tool.say(updates(start..<start + 10_000)) }
    try tool.say(end + "\n")
    // Otherwise the last group waits for more.
    if batch.isEmpty { try tool.skip(to: "1") }
    try expectBound(tool)
    try tool.finish()
    #expect(try tool.end() == (0, ""))
  }

  @Test(.enabled(if: Environment.isThorough || Environment.isLong, "LIVESTORE_THOROUGH is not set"))
  func `updates from a file take the memory of their objects`() throws {
    let count = Self.updateCount
    let path = try files.file("")
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    for start in stride(from: 0, to: count, by: 10_000) {
      try file.write(contentsOf: Data(updates(start..<start + 10_000).utf8))
    }
    try file.close()
    // Standard input is open, so the tool is there to be looked at when it has read the file.
    let tool = try Conversation([path, "-", "--output", "count", "--where", "n == \(count - 1)"])
    try tool.skip(to: "1")
    try expectBound(tool)
    try tool.finish()
    #expect(try tool.end() == (0, ""))
  }

  /// Bug: groups had a store of all their objects.
  @Test func `groups take no memory for their objects`() throws {
    let padding = String(repeating: "x", count: 1 << 16)
    let path = try files.file("")
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    for number in 0..<(Self.isLong ? 16_000 : Environment.size(800, thorough: 1_600)) {
      try file.write(contentsOf: Data("{\"id\":\(number),\"k\":\(number % 7),\"x\":\"\(padding)\"}\n".utf8))
    }
    try file.write(contentsOf: Data("{\"id\":\"end\",\"k\":\"end\"}\n".utf8))
    try file.close()
    let tool = try Conversation(
      [path, "-", "--output", "count", "--group-by", "k", "--batch", "64", "--where", "x != \"y\""])
    try tool.skip(to: "8")
    try expectBound(tool)
    try tool.finish()
    #expect(try tool.end() == (0, ""))
  }

  /// The tool is held up by a pipe that is full, again and again.
  @Test func `a slow reader of the output does not make memory grow`() throws {
    let count = Self.isLong ? 200_000 : Environment.size(4_000, thorough: 10_000)
    let path = try files.file(updates(0..<count) + end + "\n")
    let tool = try Conversation([path, "-", "--output", "json", "--batch", "500"])
    var last = ""
    while !last.contains(#""id":"end""#) { last = try #require(try tool.line()) }
    try expectBound(tool)
    try tool.finish()
    #expect(try tool.end() == (0, ""))
  }

  /// Bug: an output of any length was put together before it was written.
  @Test func `a result is written as it is put together`() throws {
    let padding = String(repeating: "x", count: 1 << 20)
    let path = try files.file("")
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    for number in 0..<20 {
      try file.write(contentsOf: Data("{\"id\":\(number),\"x\":\"\(padding)\"}\n".utf8))
    }
    try file.close()
    let tool = try Conversation([path, "-", "--output", "json"])
    try tool.skip(lines: 20)
    try expectBound(tool)
    try tool.finish()
    #expect(try tool.end() == (0, ""))
  }

  /// Sanitizers have memory of their own, and keep what was freed.
  private func expectBound(_ tool: Conversation) throws {
    #if os(Linux)
      if Tool.isSanitized { return }
      let peak = try #require(tool.peakMemory())
      #expect(peak < Self.bound, "\(peak) MB")
    #endif
  }
}
