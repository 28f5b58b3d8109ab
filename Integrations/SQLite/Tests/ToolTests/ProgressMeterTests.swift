import Foundation
import LiveStore
import LiveStoreSQLite
import Programs
import Synchronization
import Testing

import livestore_sqlite

@Suite(.timeLimit(.minutes(10))) struct `Progress of livestore-sqlite` {
  private static func progress(
    _ phase: StoreFile.Progress.Phase, _ done: Int, of total: Int?, _ unit: StoreFile.Progress.Unit = .rows
  ) -> StoreFile.Progress {
    StoreFile.Progress(phase: phase, done: done, total: total, unit: unit)
  }

  private static func line(
    _ progress: StoreFile.Progress, _ seconds: Double, isLast: Bool = true, columns: Int = 100
  ) -> String {
    ProgressLine(progress, time: .seconds(seconds), isLast: isLast).text(columns: columns)
  }

  // MARK: Lines

  @Test func `a line has the phase, the percentage, a bar, the amount and the time`() {
    #expect(
      Self.line(Self.progress(.reading, 250_000, of: 1_000_000), 10)
        == "reading   25%  [=======>                      ]  250,000 of 1,000,000 rows  0:30 left")
    #expect(
      Self.line(Self.progress(.checkingPages, 1_500_000, of: 3_000_000, .bytes), 1, isLast: false)
        == "checking pages   50%  [===============>              ]  1.5 of 3.0 MB  0:01")
    #expect(Self.line(Self.progress(.migrating, 4_096, of: nil), 65) == "migrating  4,096 rows  1:05")
    #expect(
      Self.line(Self.progress(.copying, 2_345_678_900, of: nil, .bytes), 3_723)
        == "copying  2,345 MB  1:02:03")
    #expect(Self.line(Self.progress(.reading, 0, of: 0), 0).hasPrefix("reading  100%  [===="))
  }

  @Test func `a narrow terminal has as much of a line as fits`() {
    let half = Self.progress(.reading, 500, of: 1_000)
    let unknown = Self.progress(.migrating, 500, of: nil)
    for columns in 0...120 {
      for line in [Self.line(half, 5, columns: columns), Self.line(unknown, 5, columns: columns)] {
        #expect(line.count <= columns, "\(columns): \(line)")
      }
    }
    #expect(Self.line(half, 5, columns: 46) == "reading   50%  500 of 1,000 rows  0:05 left")
    #expect(Self.line(half, 5, columns: 24) == "reading   50%  0:05 left")
    #expect(Self.line(half, 5, columns: 4) == "50%" && Self.line(half, 5, columns: 2) == "")
    #expect(Self.line(unknown, 5, columns: 12) == "migrating")
  }

  @Test func `the time that is left is said in the last phase, after a while, and of a known total`() {
    func left(_ done: Int, of total: Int?, _ seconds: Double, isLast: Bool = true) -> Duration? {
      ProgressLine(Self.progress(.reading, done, of: total), time: .seconds(seconds), isLast: isLast).timeLeft
    }
    #expect(left(50, of: 100, 4) == .seconds(4) && left(99, of: 100, 9.9) == .seconds(1))
    #expect(left(100, of: 100, 4) == .zero)
    #expect(left(50, of: 100, 1.9) == nil && left(1, of: 100, 60) == nil)
    #expect(left(50, of: nil, 4) == nil && left(50, of: 100, 4, isLast: false) == nil)
  }

  // MARK: The meter

  /// What a meter writes, by a clock that the test sets.
  private final class Screen: Sendable {
    let time = Mutex(Duration.zero)
    let isFree = Mutex(true)
    let written = Mutex<[String]>([])

    func meter(columns: Int = 81) -> ProgressMeter {
      ProgressMeter(
        lastPhase: .reading, columns: { columns }, clock: { self.time.withLock { $0 } },
        isFree: { self.isFree.withLock { $0 } },
        write: { text in self.written.withLock { $0.append(text) } })
    }

    func set(_ milliseconds: Int) { time.withLock { $0 = .milliseconds(milliseconds) } }

    /// What was written since the last time.
    func take() -> [String] {
      written.withLock { written in
        defer { written = [] }
        return written
      }
    }
  }

  @Test func `a command that ends soon shows nothing, and erases nothing`() {
    let screen = Screen()
    let meter = screen.meter()
    meter.update(Self.progress(.reading, 0, of: 10))
    screen.set(499)
    meter.update(Self.progress(.reading, 9, of: 10))
    meter.finish()
    #expect(screen.take() == [])
  }

  @Test func `a line replaces the one before, ten times a second at the most, and is erased at the end`() {
    let screen = Screen()
    let meter = screen.meter()
    screen.set(600)
    meter.update(Self.progress(.reading, 1, of: 10))
    screen.set(699)
    meter.update(Self.progress(.reading, 2, of: 10))
    let first = screen.take()
    #expect(first.count == 1 && first[0].hasPrefix("\r\u{1B}[Kreading   10%"))
    screen.set(700)
    meter.update(Self.progress(.reading, 3, of: 10))
    #expect(screen.take().first?.hasPrefix("\r\u{1B}[Kreading   30%") == true)
    meter.finish()
    #expect(screen.take() == ["\r\u{1B}[K"])
    screen.set(2_000)
    meter.update(Self.progress(.reading, 4, of: 10))
    meter.tick()
    meter.finish()
    #expect(screen.take() == [])
  }

  @Test func `the time of a phase passes where nothing else changes`() {
    let screen = Screen()
    let meter = screen.meter(columns: 50)
    screen.set(60_000)
    meter.update(Self.progress(.checkingPages, 0, of: 10_000_000, .bytes))
    screen.set(62_000)
    meter.tick()
    let lines = ["0:00", "0:02"].map { "\r\u{1B}[Kchecking pages    0%  0.0 of 10.0 MB  \($0)" }
    #expect(screen.take() == lines)
    // Before it knows anything, there is nothing to show.
    let empty = Screen()
    empty.set(60_000)
    empty.meter().tick()
    #expect(empty.take() == [])
  }

  /// Bug: a job in the background, and one before a pager, wrote over what others had on the terminal.
  @Test func `a meter writes nothing while another has the terminal, and goes on afterwards`() {
    let screen = Screen()
    let meter = screen.meter()
    screen.isFree.withLock { $0 = false }
    screen.set(600)
    meter.update(Self.progress(.reading, 1, of: 10))
    #expect(screen.take() == [])
    screen.isFree.withLock { $0 = true }
    screen.set(800)
    meter.update(Self.progress(.reading, 2, of: 10))
    #expect(screen.take().count == 1)
    screen.isFree.withLock { $0 = false }
    meter.finish()
    #expect(screen.take() == [])
  }

  @Test func `a terminal takes lines unless a program reads its keys one by one`() throws {
    var (master, slave): (CInt, CInt) = (-1, -1)
    try #require(openpty(&master, &slave, nil, nil, nil) == 0)
    defer { for end in [master, slave] { close(end) } }
    #expect(ProgressMeter.isFree(slave))
    var lines = termios()
    #expect(tcgetattr(slave, &lines) == 0)
    var keys = lines
    keys.c_lflag &= ~tcflag_t(ICANON | ECHO)
    #expect(tcsetattr(slave, TCSANOW, &keys) == 0 && !ProgressMeter.isFree(slave))
    #expect(tcsetattr(slave, TCSANOW, &lines) == 0 && ProgressMeter.isFree(slave))
    let file = try #require(FileHandle(forReadingAtPath: "/dev/null"))
    #expect(!ProgressMeter.isFree(file.fileDescriptor))
  }

  @Test func `a meter is on a terminal alone, and on none that cannot erase a line`() {
    #expect(ProgressMeter.isShown(isTerminal: true, ["TERM": "xterm"]))
    #expect(ProgressMeter.isShown(isTerminal: true, [:]))
    #expect(!ProgressMeter.isShown(isTerminal: false, ["TERM": "xterm"]))
    #expect(!ProgressMeter.isShown(isTerminal: true, ["TERM": "dumb"]))
  }

  // MARK: Files

  /// A file of many rows.
  private static func made(_ file: TemporaryFile) async throws {
    let many = (0..<3_000).map {
      Post(id: UUID(), title: "\($0)" + String(repeating: "x", count: 1_000), likeCount: $0)
    }
    try await file.make(many)
  }

  private static func reports(
    _ body: (@escaping @Sendable (StoreFile.Progress) -> Void) throws -> Void
  ) rethrows -> [StoreFile.Progress] {
    let reports = Reports()
    try ProgressReporter.$interval.withValue(.zero) {
      try body { report in reports.all.withLock { $0.append(report) } }
    }
    return reports.all.withLock { $0 }
  }

  private final class Reports: Sendable {
    let all = Mutex<[StoreFile.Progress]>([])
  }

  @Test func `a check, a copy and what reads rows say how far they are`() async throws {
    let file = try TemporaryFile()
    try await Self.made(file)
    let reader = try FileReader(file.url, key: nil)
    let checks = try Self.reports { progress in _ = try reader.check(progress: progress) { _ in } }
    let part = PartFile(of: file.folder.appendingPathComponent("copy.db"))
    let copies = try Self.reports { progress in try reader.backup(to: part, progress: progress) }
    let reads = try Self.reports { progress in
      try reader.read(progress: progress) { version in
        version.beginReading(["Post"])
        try version.forEach("Post") { _ in true }
      }
    }
    for (reports, phases) in [
      (checks, [.checkingPages, .checkingRows]), (copies, [.checkingPages, .copying]), (reads, [.reading]),
    ] as [([StoreFile.Progress], [StoreFile.Progress.Phase])] {
      #expect(Set(reports.map(\.phase)) == Set(phases))
      for phase in phases {
        let amounts = reports.filter { $0.phase == phase }.map(\.done)
        #expect(
          amounts.first == 0 && amounts == amounts.sorted() && amounts.count > 3, "\(phase): \(amounts)")
      }
    }
    for reports in [checks, copies, reads] { #expect(reports.last?.fraction == 1, "\(reports)") }
    #expect(reads.last?.total == 3_000)
    // What does not read rows has no phase, and ends none.
    #expect(try Self.reports { progress in try reader.read(progress: progress) { _ in } } == [])
  }

  /// The output is read once the line is there, so the query has more to write than a pipe takes until then.
  @Test func `a query shows a line on a terminal while it runs, and erases it`() async throws {
    let file = try TemporaryFile()
    try await Self.made(file)
    let (before, after, result) = try await Program("livestore-sqlite").runOnTerminal(
      ["query", file.url.path, "Post", "--format", "lines"], environment: ["TERM": "xterm"], until: "reading")
    #expect(result.status == 0 && result.output.count { $0 == 0x0A } == 3_000)
    #expect(
      before.hasPrefix("\r\u{1B}[Kreading ") && before.contains("of 3,000 rows"), "\(before.debugDescription)"
    )
    #expect(after.hasSuffix("\r\u{1B}[K") && !before.contains("\n"), "\(after.debugDescription)")
  }

  @Test(arguments: ["check", "inspect", "query", "export", "backup"])
  func `no command writes anything of its progress to a pipe`(command: String) async throws {
    let file = try TemporaryFile()
    try await Self.made(file)
    let target = file.folder.appendingPathComponent("target").path
    let arguments = [command, file.url.path] + (["export", "backup"].contains(command) ? [target] : [])
    let result = try await ToolProcess.run(arguments + (command == "query" ? ["Post"] : []))
    #expect(result.status == 0 && result.error == "", "\(result.error)")
    #expect(!result.output.contains("\u{1B}"))
  }
}
