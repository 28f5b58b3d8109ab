import Foundation

/// The command-line tool beside jq and Miller, each as a process of its own on the same file.
enum WatchScene {
  @Sendable static func run(_ session: Session) async throws {
    guard let tool = tool() else {
      print("skipped: swift build -c release --product livestore-watch comes first")
      return
    }
    let (jq, mlr) = (find("jq"), find("mlr"))
    for count in session.rows([1_000_000]) {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("livestore-\(count).ndjson")
      defer { try? FileManager.default.removeItem(at: file) }
      try write(count, to: file)
      let condition = [tool, file.path, "--where", "n >= 900"]
      let select = jq.map { ("jq", [$0, "-c", "select(.n >= 900)", file.path]) }
      let filter = mlr.map { ("mlr", [$0, "--ijsonl", "--ojsonl", "filter", "$n >= 900", file.path]) }
      try await compare(
        session, "--once", count, condition + ["--once", "--output", "json"], [select, filter])
      try await compare(session, "changes", count, condition + ["--output", "json"], [select, filter])
      let sorted = jq.map { ("jq", [$0, "-c", "-s", "sort_by(.n)[:20][]", file.path]) }
      let top = mlr.map {
        ("mlr", [$0, "--ijsonl", "--ojsonl", "top", "-n", "20", "--min", "-a", "-f", "n", file.path])
      }
      try await compare(
        session, "--sort n --limit 20 --once", count,
        [tool, file.path, "--sort", "n", "--limit", "20", "--once", "--output", "json"], [sorted, top])
    }
  }

  private static func compare(
    _ session: Session, _ work: String, _ count: Int, _ own: [String], _ peers: [(String, [String])?]
  ) async throws {
    let peers = peers.compactMap { $0 }
    let wanted: [Wanted] =
      peers.contains { $0.0 == "jq" } && !work.hasPrefix("--sort") ? [.ratio(0.5, to: "jq")] : []
    for (suffix, isWall) in [("wall clock", true), ("processor", false)] {
      try await session.race(
        "\(work): \(suffix), a line", rows: count, wanted: isWall ? wanted : [], runs: min(session.runs, 3),
        ([("LiveStore", own)] + peers).map { name, command in
          Contestant(name) { watch in
            let (wall, processor) = try execute(command)
            watch.add(.seconds(isWall ? wall : processor), count)
          }
        })
    }
  }

  /// Runs a command, and gives its seconds by the clock and of processor time.
  private static func execute(_ command: [String]) throws -> (wall: Double, processor: Double) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    let (before, start) = (childrenSeconds(), ContinuousClock.now)
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CommandFailure(command: command) }
    return ((ContinuousClock.now - start) / .seconds(1), childrenSeconds() - before)
  }

  /// Processor seconds of all children that have ended.
  private static func childrenSeconds() -> Double {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    #else
      getrusage(RUSAGE_CHILDREN, &usage)
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// Lines of 200 bytes with new ids, of which a tenth pass.
  private static func write(_ count: Int, to file: URL) throws {
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    var text = ""
    for number in 0..<count {
      let start = "{\"id\":\(number),\"status\":\"active\",\"n\":\(scattered(number) % 1_000),\"name\":\""
      text += start + String(repeating: "x", count: 200 - 3 - start.utf8.count) + "\"}\n"
      if number % 10_000 == 9_999 || number == count - 1 {
        try handle.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
    try handle.close()
  }

  /// In the nearest folder above this program where the tool is built.
  private static func tool() -> String? {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let path = folder.appendingPathComponent(".build/release/livestore-watch").path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    return nil
  }

  private static func find(_ name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

struct CommandFailure: Error { let command: [String] }
