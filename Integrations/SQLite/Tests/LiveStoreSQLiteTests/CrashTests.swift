import CrashScenario
import Foundation
import LiveStore
import LiveStoreSQLite
import Programs
import SQLiteTestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Crashes` {
  /// What the parent knows of a file.
  private struct Knowledge {
    /// The last transaction that was acknowledged.
    var acknowledged = 0
    /// The keys that the file may have, by their numbers.
    var keys = [0]
    /// The version of the schema that it is migrated to.
    var revision = 1
    /// The identity of the store, and what each of its versions was: a step and a revision of the schema.
    var identity: String?
    /// The versions of the last run, and their steps.
    var latest: [UInt64: Int] = [:]
    /// The versions that a kill has lost.
    var lost: Set<UInt64> = []
    var states: [UInt64: String] = [:]
    /// The cursors that the program has given out.
    var cursors: [KeptCursor] = []
    /// What the scenario has, further than the file, and at each step how many objects had been inserted when each was.
    var content = CrashScenario.Content()
    var births: [[Int: Int]] = [[:]]
    /// At which moments the program was killed.
    var moments: [String: Int] = [:]

    /// How many objects had been inserted at a step when one of them was.
    mutating func birth(_ id: Int, at step: Int) -> Int? {
      while births.count <= step {
        content.advance(through: births.count)
        births.append(content.births)
      }
      return births[step][id]
    }

    /// Takes in what a version is, which it must be for ever, also if a kill lost it.
    mutating func see(_ identity: String, _ version: UInt64, _ step: Int) throws {
      let state = step == 0 ? "empty" : "step \(step) of revision \(revision)"
      try require(self.identity ?? identity == identity, "the store has another identity")
      try require(
        states[version] ?? state == state, "version \(version) is \(state), and was \(states[version] ?? "")")
      (self.identity, states[version]) = (identity, state)
    }
  }

  /// What a client has kept of a page in insertion order.
  private struct KeptCursor {
    let text: String
    let version: UInt64
    /// When the last object of the page was inserted.
    let birth: Int
  }

  /// Checks that the pages behind cursors are those of clients, if the file has had their versions, and else refused.
  private func checkCursors(
    _ file: StoreFile, _ knowledge: Knowledge, _ content: CrashScenario.Content, _ place: String
  )
    throws
  {
    for cursor in knowledge.cursors {
      let decoded = try JSONDecoder().decode(
        PageCursor.self, from: try #require(Data(base64Encoded: cursor.text)))
      let isLost = knowledge.lost.contains(cursor.version)
      do {
        let ids = try file.store.page(of: Entry.all, after: decoded, first: 99).rows.map(\.id)
        let expected = content.entries.map(\.id).filter { content.births[$0, default: 0] > cursor.birth }
        try require(!isLost && ids == expected, "\(place): behind \(cursor) are \(ids), not \(expected)")
      } catch let error as StoreError where error.code == .invalidCursor {
        try require(isLost, "\(place): \(cursor) is refused")
      }
    }
  }

  /// Runs the program and kills it after some lines and some time.
  private func run(into file: URL, _ knowledge: inout Knowledge, _ random: inout SplitMix64) async throws {
    let arguments = [file.path, "\(random.next() >> 1)", "\(knowledge.keys[0])", "\(knowledge.revision)"]
    // Mostly it has opened the file; then it is anywhere within its work.
    let lines = random.int(1...random.pick([1, 2, 20, 100]))
    // Some are killed in the middle of what is rare.
    let marker = random.chance(1, in: 4) ? "changing " : nil
    let result = try await Program("crash-writer").run(arguments) { process in
      while process.output.count(where: { $0 == 0x0A }) < lines
        || marker.map({ process.output.firstRange(of: $0.utf8) == nil }) == true
      {
        guard try await process.read() else { break }
      }
      for _ in 0..<random.int(0...random.pick([2_000, 200_000, 2_000_000])) where random.next() == 0 { break }
      try process.send(SIGKILL)
    }
    try require(
      result.signal == SIGKILL,
      "it ended with \(result.status ?? 0), signal \(result.signal ?? 0): \(result.error)")
    let text = result.output
    // The last line may be cut off.
    let all = String(decoding: text, as: UTF8.self).split(separator: "\n")
    for line in text.last == 0x0A ? all : all.dropLast() {
      let words = line.split(separator: " ")
      switch (words[0], words.last.flatMap { Int($0) }) {
      case ("durable", let step?): knowledge.acknowledged = step
      case ("changing", let key?): knowledge.keys.append(key)
      case ("key", let key?): knowledge.keys = [key]
      case ("cursor", let step?):
        guard let version = UInt64(words[1]), let id = Int(words[2]),
          let birth = knowledge.birth(id, at: step)
        else { throw Mismatch("\(line)") }
        knowledge.cursors.append(KeptCursor(text: String(words[3]), version: version, birth: birth))
      case ("version", let step?):
        let version = UInt64(words[2]) ?? 0
        try knowledge.see(String(words[1]), version, step)
        knowledge.latest[version] = step
      default: break
      }
    }
    let moment = all.last.map { String($0.prefix { $0 != " " }) } ?? "start"
    knowledge.moments[moment, default: 0] += 1
  }

  /// Opens a file with the one of several keys that fits.
  private func open(_ url: URL, keys: [Int], revision: Int, _ place: String) async throws -> (
    StoreFile, key: Int
  ) {
    for key in keys {
      do {
        let options = StoreFile.Options(
          key: CrashScenario.key(key), migrations: CrashMigrations.through(revision))
        return (try await StoreFile.open(at: url, Entry.self, Position.self, options: options), key)
      } catch let error as StoreFileError where error.code == .wrongKey {
        continue
      }
    }
    throw Mismatch("\(place): none of the keys \(keys) opens \(url.lastPathComponent)")
  }

  /// The step that a file has, all of whose objects are of it and of one version of the schema.
  private func wholeStep(
    _ file: StoreFile, _ content: inout CrashScenario.Content, revision: Int, _ place: String
  ) throws -> Int {
    let position = file.store.snapshot()[Position.self, 0]
    let step = position?.step ?? 0
    content.advance(through: step)
    try require(
      position.map { $0.revision == revision } ?? true, "\(place): \(String(describing: position))")
    try require(
      Array(file.store.fetch(Entry.all)) == content.entries(revision: revision),
      "\(place): \(step) is not whole")
    return step
  }

  @Test(arguments: Seeds.forSuite(4, thorough: 20))
  func `after a kill the file has one version of the scenario, all that was acknowledged, and a known key`(
    seed: UInt64
  ) async throws {
    var random = SplitMix64(seed: seed)
    let folder = try Folder()
    var content = CrashScenario.Content()
    var knowledge = Knowledge()
    for kill in 1...(Environment.isThorough ? 500 : 50) {
      if random.chance(1, in: 4) { knowledge.revision += 1 }
      try await run(into: folder.file, &knowledge, &random)
      let place = "seed \(seed), kill \(kill)"
      let (file, key) = try await open(
        folder.file, keys: knowledge.keys, revision: knowledge.revision, place)
      let step = try wholeStep(file, &content, revision: knowledge.revision, place)
      try require(
        step >= knowledge.acknowledged,
        "\(place): it has \(step), and \(knowledge.acknowledged) was acknowledged")
      try knowledge.see("\(file.store.identity)", file.store.version.number, step)
      knowledge.lost.formUnion(knowledge.latest.filter { $0.value > step }.keys)
      knowledge.latest = [:]
      try checkCursors(file, knowledge, content, place)
      knowledge.cursors = knowledge.cursors.suffix(200)
      try await file.close()
      (knowledge.acknowledged, knowledge.keys) = (step, [key])
      // Keys are changed in the other process alone, so remains of a plain file must be gone now.
      if key > 0 {
        let bytes = try Data(contentsOf: folder.file)
        try require(
          bytes.range(of: Data("revision".utf8)) == nil, "\(place): names of properties can be read")
      }

      let backup = folder.url.appendingPathComponent("backup.db")
      if FileManager.default.fileExists(atPath: backup.path) {
        let (copy, _) = try await open(
          backup, keys: Array(0..<CrashScenario.keyCount), revision: knowledge.revision, "\(place), backup")
        var copied = CrashScenario.Content()
        _ = try wholeStep(copy, &copied, revision: knowledge.revision, "\(place), backup")
        try require("\(copy.store.identity)" != knowledge.identity, "\(place): a backup is the same store")
        try await copy.close()
      }
    }
    print("kills of seed \(seed):", knowledge.moments.sorted { $0.key < $1.key }, "steps", content.step)
    try require(knowledge.acknowledged > 0, "nothing was written")
  }
}
