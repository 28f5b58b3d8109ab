import ArgumentParser
import Foundation
import LiveStoreSQLite

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Writes a copy of one version of a file, also while an app writes to it.",
    usage: "livestore-sqlite backup FILE TARGET",
    discussion: """
      The copy has all that is in the file and its log, and is there in all or not at all. An \
      encrypted file stays encrypted; its key is not needed. Like a copy by StoreFile.backup, it is another store, \
      with an identity of its own. A file that exists is not replaced.

      Example: livestore-sqlite backup posts.db posts-backup.db
      """)

  @Argument(help: "The file of a store.", completion: .file()) var file: String

  @Argument(help: "The file to make.", completion: .file()) var target: String

  func run() throws {
    for suffix in ["", "-wal", "-journal", "-repaired"]
    where FileManager.default.fileExists(atPath: target + suffix) {
      throw ToolFailure(
        status: EX_CANTCREAT,
        message: "The file \(target + suffix) exists. Remove it, or choose another name.")
    }
    let reader = try FileReader(URL(fileURLWithPath: file), key: nil)
    let meter = ProgressMeter.onTerminal(lastPhase: .copying)
    defer { meter?.finish() }
    let interrupt: @Sendable () -> Void = {
      meter?.finish()
      reader.interrupt()
    }
    try PartFile.writing(
      [URL(fileURLWithPath: target)], replacing: false, interrupt: interrupt
    ) { parts, hasEnded in
      for part in parts where !hasEnded() { try reader.backup(to: part, progress: meter?.update) }
    }
  }
}
