import ArgumentParser
import LiveStoreSQLite

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Reads all rows against their checksums, or seals, and lists what is damaged.",
    usage: "livestore-sqlite check FILE [options]",
    discussion: """
      The pages of the file are checked, too, and how many rows each entity has. The exit status is 1 if anything is \
      damaged. StoreFile.open with repair: .skipDamagedRows keeps the rest.

      Example: livestore-sqlite check posts.db
      """)

  @OptionGroup var options: FileOptions

  func run() throws {
    let meter = ProgressMeter.onTerminal(lastPhase: .checkingRows)
    defer { meter?.finish() }
    let writer = OutputWriter(replacing: meter)
    var (rows, damage) = (0, 0)
    do {
      rows = try options.open().check(progress: meter?.update) { row in
        damage += 1
        try writer.append((row.table.isEmpty ? row.reason : "\(row)").escapingInvisibles)
      }
    } catch {
      // What was found before says more.
      try writer.flush()
      throw error
    }
    meter?.finish()
    let count = "\(rows.grouped) \(rows == 1 ? "row" : "rows")"
    let problems = "\(damage.grouped) \(damage == 1 ? "problem" : "problems")"
    try writer.append(damage == 0 ? "\(count), none damaged" : "\(count) whole; \(problems) listed above")
    try writer.flush()
    if damage > 0 { throw ToolFailure.damaged }
  }
}
