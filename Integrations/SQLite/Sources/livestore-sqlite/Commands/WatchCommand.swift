import ArgumentParser
import LiveStore
import LiveStoreSQLite

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract:
      "Prints the objects of an entity that meet a filter, and each change while an app writes to the file.",
    usage: "livestore-sqlite watch FILE [ENTITY] [--where FILTER] [options]",
    discussion: """
      Each line is a sign, a position, and an object or what differs in it: = at the beginning, + inserted, - deleted, \
      ~ modified, with old and new values, > moved. What is written between two looks at the file is one change. It ends \
      with SIGINT, SIGTERM or a closed pipe, and with status 66 when the file is removed or replaced. The objects of the \
      entity are held in memory.

      Example: livestore-sqlite watch posts.db Post --where 'likeCount >= 10'
      """)

  @OptionGroup var options: FileOptions
  @OptionGroup var selection: QueryOptions

  @Option(
    help: ArgumentHelp(
      "How often the file is looked at; less often where that would take more than a fifth of a processor.",
      valueName: "seconds"))
  var interval = 0.2

  @Flag(help: "Print each change as an object of JSON.") var json = false

  func validate() throws {
    if !(0.01...3_600).contains(interval) {
      throw ValidationError("--interval is \(interval). It needs 0.01 to 3600.")
    }
  }

  func run() async throws {
    let signals = Signals()
    defer { withExtendedLifetime(signals) {} }
    let meter = ProgressMeter.onTerminal(lastPhase: .reading)
    defer { meter?.finish() }
    let loop = WatchLoop(
      try FileCopy(options.open(), selection.entity, progress: meter?.update), selection, isJSON: json
    ) { [interval] cost in
      try await Task.sleep(for: WatchLoop.delay(interval: .seconds(interval), cost: cost))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await loop.run(checkOutput: OutputWriter.checkStandardOutput) { lines in
          // One event at a time is printed, by one task.
          let writer = OutputWriter()
          meter?.finish()
          for line in lines { try writer.append(line) }
          try writer.flush()
        }
      }
      let numbers = signals.numbers
      group.addTask { for await number in numbers { throw ToolFailure.signal(number) } }
      try await group.next()
      group.cancelAll()
    }
  }
}
