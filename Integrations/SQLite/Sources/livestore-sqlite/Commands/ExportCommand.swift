import ArgumentParser
import Foundation
import LiveStore
import LiveStoreSQLite

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes all objects of one version of a file as NDJSON, a file for each entity.",
    usage: "livestore-sqlite export FILE FOLDER [options]",
    discussion: """
      It writes what StoreFile.exportJSON writes, without nulls, and StoreFile.importJSON reads: FOLDER/Post.ndjson has \
      each Post as a line of JSON. A slash or a control character in a name is written as in a URL. Of a property that encodes itself as text in some objects and as an array or object in \
      others, a text that reads as an array or object becomes one. The folder is made if there is none; files of those names are replaced when all are \
      complete. For standard output, see query --format lines.

      Example: livestore-sqlite export posts.db exported
      """)

  @OptionGroup var options: FileOptions

  @Argument(help: "The folder to write to.", completion: .directory) var folder: String

  func run() throws {
    let reader = try options.open()
    let meter = ProgressMeter.onTerminal(lastPhase: .reading)
    defer { meter?.finish() }
    let folder = URL(fileURLWithPath: folder, isDirectory: true)
    try reader.read(progress: meter?.update) { file in
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      } catch {
        throw ToolFailure(
          status: EX_CANTCREAT,
          message: "The folder \(folder.path) cannot be made: \(error.localizedDescription)")
      }
      let entities = file.entities
      let targets = entities.map { FileNames.lines(of: $0, in: folder) }
      file.beginReading(entities)
      let interrupt: @Sendable () -> Void = {
        meter?.finish()
        reader.interrupt()
      }
      try PartFile.writing(targets, interrupt: interrupt) { parts, hasEnded in
        for (entity, part) in zip(entities, parts) where !hasEnded() {
          try write(entity, file, to: part, hasEnded)
        }
      }
    }
  }

  private func write(
    _ entity: String, _ file: FileVersion, to part: PartFile, _ hasEnded: () -> Bool
  ) throws {
    let descriptor: CInt
    do throws(StoreFileError) {
      descriptor = try part.open(like: options.url)
    } catch {
      throw ToolFailure(
        status: EX_CANTCREAT, message: "The file \(part.target.path) cannot be written: \(error.message)")
    }
    defer { close(descriptor) }
    let writer = OutputWriter(descriptor: descriptor)
    try file.forEach(entity) { row in
      try writer.append("\(JSONValue.object(row.object))")
      return !hasEnded()
    }
    try writer.flush()
  }
}
