import CrashScenario
import Foundation
import LiveStore
import LiveStoreSQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Crashes` {
  /// Where the program is that writes the scenario: beside the tests.
  private static func writer() throws -> URL {
    let paths = CommandLine.arguments.map { URL(fileURLWithPath: $0) } + Bundle.allBundles.map(\.bundleURL)
    let programs = paths.map { $0.deletingLastPathComponent().appendingPathComponent("crash-writer") }
    return try #require(programs.first { FileManager.default.isExecutableFile(atPath: $0.path) })
  }

  /// Runs the program and kills it after some lines and some time.
  ///
  /// - Returns: the number of the last transaction that was acknowledged.
  private func run(into file: URL, _ random: inout SplitMix64) throws -> Int? {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = try Self.writer()
    process.arguments = [file.path, "\(random.next() >> 1)"]
    process.standardOutput = pipe
    try process.run()
    var text = Data()
    // At least it has opened the file; then it is anywhere within its work.
    let lines = random.int(1...random.pick([2, 20, 100]))
    while text.count(where: { $0 == 0x0A }) < lines {
      let data = pipe.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += data
    }
    for _ in 0..<random.int(0...200_000) where random.next() == 0 { break }
    kill(process.processIdentifier, SIGKILL)
    text += pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try require(process.terminationReason == .uncaughtSignal, "it ended with \(process.terminationStatus)")
    let acknowledged = String(decoding: text, as: UTF8.self).split(separator: "\n").filter {
      $0.hasPrefix("durable ")
    }
    // The last line may be cut off.
    let whole = text.last == 0x0A ? acknowledged : acknowledged.dropLast()
    return whole.last.flatMap { Int($0.dropFirst(8)) }
  }

  @Test(arguments: Seeds.forSuite(4, thorough: 20))
  func `after a kill the file has one version of the scenario, and all that was acknowledged`(seed: UInt64)
    async throws
  {
    var random = SplitMix64(seed: seed)
    let folder = try Folder()
    var content = CrashScenario.Content()
    var acknowledged = 0
    for kill in 1...(Environment.isThorough ? 500 : 50) {
      acknowledged = try run(into: folder.file, &random) ?? acknowledged
      let file = try await StoreFile.open(at: folder.file, Entry.self, Position.self)
      let step = file.store.snapshot()[Position.self, 0]?.step ?? 0
      let place = "seed \(seed), kill \(kill)"
      try require(
        step >= acknowledged, "\(place): it has \(step), and \(acknowledged) was acknowledged")
      content.advance(through: step)
      try require(Array(file.store.fetch(Entry.all)) == content.entries, "\(place): \(step) is not whole")
      let backup = folder.url.appendingPathComponent("backup.db")
      if FileManager.default.fileExists(atPath: backup.path) {
        let copy = try await StoreFile.open(
          at: backup, Entry.self, Position.self, options: .init(isReadOnly: true))
        var copied = CrashScenario.Content()
        copied.advance(through: copy.store.snapshot()[Position.self, 0]?.step ?? 0)
        try require(Array(copy.store.fetch(Entry.all)) == copied.entries, "\(place): the backup is not whole")
      }
      acknowledged = step
      try await file.close()
    }
    try require(acknowledged > 0, "nothing was written")
  }
}
