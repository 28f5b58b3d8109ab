import Foundation
import Testing

import LiveStorePostgreSQL

@Suite struct `Messages of large transactions` {
  private func contents(_ spool: TransactionSpool) throws -> [[UInt8]] {
    var all: [[UInt8]] = []
    try spool.forEach { bytes, range, _ in all.append(Array(bytes[range])) }
    return all
  }

  @Test(arguments: [0, 1, 20, 100, 1_000, 1 << 20])
  func `messages come back in their order, whatever part of them is in a file`(limit: Int) throws {
    let spool = TransactionSpool(limit: limit)
    var expected: [[UInt8]] = []
    for index in 0..<200 {
      let message =
        [UInt8(ascii: "I")] + Array(repeating: UInt8(truncatingIfNeeded: index), count: index % 40)
      expected.append(message)
      try spool.append([9, 9] + message + [9], 2..<2 + message.count, subtransaction: UInt32(index % 3))
      #expect(spool.memorySize <= limit)
    }
    #expect(try contents(spool) == expected && contents(spool) == expected && spool.count == 200)
    #expect((spool.fileSize > 0) == (limit < 1 << 20))
    try spool.append([1], 0..<1, subtransaction: 0)
    #expect(try contents(spool) == expected + [[1]])
  }

  @Test(arguments: [0, 50, 1 << 20])
  func `aborted subtransactions are left out, but for descriptions of tables and types`(limit: Int) throws {
    let spool = TransactionSpool(limit: limit)
    let kinds = Array("IRUYD".utf8)
    for subtransaction in 1...3 as ClosedRange<UInt32> {
      for kind in kinds {
        try spool.append([kind, UInt8(subtransaction)], 0..<2, subtransaction: subtransaction)
      }
    }
    spool.abort(2)
    spool.abort(4)
    let expected = (1...3 as ClosedRange<UInt8>).flatMap { subtransaction in
      kinds.filter { subtransaction != 2 || "RY".utf8.contains($0) }.map { [$0, subtransaction] }
    }
    #expect(try contents(spool) == expected)
  }

  @Test func `of several transactions the largest are moved to files, until all are within the limit`() throws
  {
    let spools = [30, 50, 40, 0].map { _ in TransactionSpool() }
    // A message of n bytes takes n + 8.
    for (spool, size) in zip(spools, [30, 50, 40]) {
      try spool.append(Array(repeating: UInt8(size), count: size - 8), 0..<size - 8, subtransaction: 1)
    }
    try spools.limitMemory(to: 120)
    #expect(spools.map(\.memorySize) == [30, 50, 40, 0])
    try spools.limitMemory(to: 119)
    #expect(spools.map(\.memorySize) == [30, 0, 40, 0] && spools.map(\.fileSize) == [0, 50, 0, 0])
    try spools.limitMemory(to: 29)
    #expect(spools.map(\.memorySize) == [0, 0, 0, 0] && spools.map(\.fileSize) == [30, 50, 40, 0])
    try spools[1].append([1, 2], 0..<2, subtransaction: 1)
    #expect(try contents(spools[1]) == [Array(repeating: 50, count: 42), [1, 2]])
  }

  @Test func `messages longer than a piece of the file come back`() throws {
    let spool = TransactionSpool(limit: 100)
    let long = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 / 7) }
    for message in [[1], long, [], long, [2]] {
      try spool.append(message, message.indices, subtransaction: 7)
    }
    #expect(try contents(spool) == [[1], long, [], long, [2]])
    #expect(spool.memorySize <= 100 && spool.fileSize > 1_400_000)
  }

  @Test func `an empty spool has no messages and no file`() throws {
    let spool = TransactionSpool()
    #expect(try contents(spool) == [] && spool.fileSize == 0)
  }

  @Test func `errors of the file and of the reader are thrown`() throws {
    let spool = TransactionSpool(limit: 0, directory: "/nonexistent")
    let error = #expect(throws: PostgresError.self) { try spool.append([1], 0..<1, subtransaction: 1) }
    #expect(error?.code == PostgresError.spoolFailed)
    let other = TransactionSpool(limit: 0)
    try other.append([1], 0..<1, subtransaction: 1)
    #expect(throws: CancellationError.self) { try other.forEach { _, _, _ in throw CancellationError() } }
  }

  @Test func `the temporary file has no name`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let spool = TransactionSpool(limit: 0, directory: directory.path)
    try spool.append([1], 0..<1, subtransaction: 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty && spool.fileSize > 0)
    #expect(try contents(spool) == [[1]])
  }
}
