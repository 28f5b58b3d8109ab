import ArgumentParser
import Foundation
import LiveStore
import LiveStoreSQLite

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes all objects of an entity as NDJSON, an object of JSON a line.",
    usage: "livestore-sqlite export FILE [ENTITY] [--to PATH] [options]",
    discussion: """
      Values are as StoreFile.exportJSON writes them, but for a Bool, which is 0 or 1: a UUID as text in capital letters, a \
      date as it is stored, data in base 64. What is null is left out.

      Example: livestore-sqlite export posts.db Post --to Post.ndjson
      """)

  @OptionGroup var options: FileOptions

  @Argument(help: "The entity; it may be left out where the file has one.") var entity: String?

  @Option(
    help: ArgumentHelp(
      "The file to write, which is replaced when all is written; by default, standard output.",
      valueName: "path"),
    completion: .file())
  var to: String?

  func run() throws {
    let reader = try options.open()
    guard let to else { return try write(reader, OutputWriter()) }
    let part = "\(to)-part"
    let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure(part) }
    do {
      defer { close(descriptor) }
      try write(reader, OutputWriter(descriptor: descriptor))
      guard fsync(descriptor) == 0 else { throw Self.failure(part) }
    } catch {
      unlink(part)
      throw error
    }
    guard rename(part, to) == 0 else { throw Self.failure(to) }
  }

  private func write(_ reader: FileReader, _ writer: OutputWriter) throws {
    try reader.read { file in
      let entity = try file.entity(self.entity)
      try file.forEach(entity) { row in
        try writer.append("\(JSONValue.object(row.object))")
        return true
      }
    }
    try writer.flush()
  }

  private static func failure(_ path: String) -> ToolFailure {
    ToolFailure(
      status: EX_CANTCREAT,
      message: "The file \(path) cannot be written: \(String(cString: strerror(errno))).")
  }
}
