import ArgumentParser

@main
struct Tool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "livestore-sqlite",
    abstract: "Looks into the file of a store: nothing is written, and no app that has it open waits.",
    subcommands: [Inspect.self, Query.self, Watch.self, Check.self])
}
