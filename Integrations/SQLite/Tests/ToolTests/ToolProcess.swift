import Foundation
import Testing

/// A run of the tool as a process.
///
/// It writes into files: the end of a pipe would wait for every other process that was started meanwhile and has
/// inherited it.
final class ToolProcess {
  private let process = Process()
  private let folder: URL
  private let exits: AsyncStream<Void>

  struct Result {
    let status: Int32
    let output: String
    let error: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// - Parameter output: where standard output goes; nil for a file.
  init(_ arguments: [String], key: String? = nil, output: Pipe? = nil) throws {
    let paths = CommandLine.arguments.map { URL(fileURLWithPath: $0) } + Bundle.allBundles.map(\.bundleURL)
    let programs = paths.map { $0.deletingLastPathComponent().appendingPathComponent("livestore-sqlite") }
    let program = programs.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    let executable: URL = try #require(program)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("tool-run-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (exits, continuation) = AsyncStream.makeStream(of: Void.self)
    self.exits = exits
    process.terminationHandler = { _ in continuation.finish() }
    process.executableURL = executable
    process.arguments = arguments
    process.standardOutput = try output ?? Self.file(folder, "output")
    process.standardError = try Self.file(folder, "error")
    process.environment = key.map { ["LIVESTORE_KEY": $0] } ?? [:]
    try process.run()
  }

  deinit {
    if process.isRunning { process.terminate() }
    try? FileManager.default.removeItem(at: folder)
  }

  private static func file(_ folder: URL, _ name: String) throws -> FileHandle {
    let url = folder.appendingPathComponent(name)
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }

  private func text(_ name: String) -> String {
    let data = try? Data(contentsOf: folder.appendingPathComponent(name))
    return String(decoding: data ?? Data(), as: UTF8.self)
  }

  /// Runs the tool to its end.
  static func run(_ arguments: String..., key: String? = nil) async throws -> Result {
    await (try ToolProcess(arguments, key: key)).end()
  }

  func interrupt() { process.interrupt() }

  func terminate() { process.terminate() }

  /// Waits until there are so many lines, or the process has ended.
  func lines(_ count: Int) async -> [String] {
    while text("output").count(where: \.isNewline) < count, process.isRunning { await Task.yield() }
    return text("output").split(separator: "\n").map(String.init)
  }

  /// Waits until the process has ended.
  func end() async -> Result {
    for await _ in exits {}
    // A signal that was not handled gives another number than a shell would show.
    let status = process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 1_000 : 0)
    return Result(status: status, output: text("output"), error: text("error"))
  }
}
