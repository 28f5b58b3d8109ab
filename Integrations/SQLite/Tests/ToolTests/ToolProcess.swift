import Foundation
import Programs

/// Runs of the tool as a process.
enum ToolProcess {
  struct Result {
    let status: Int32
    let output: String
    let error: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Runs the tool to its end.
  static func run(_ arguments: String..., key: String? = nil) async throws -> Result {
    try await run(arguments, key: key)
  }

  /// Runs the tool to its end.
  ///
  /// - Parameters:
  ///   - readsToEnd: whether output is read after the body has returned; otherwise the pipe is closed then.
  ///   - body: what is done meanwhile.
  static func run(
    _ arguments: [String], key: String? = nil, readsToEnd: Bool = true,
    _ body: (inout Program.Run) async throws -> Void = { _ in }
  ) async throws -> Result {
    let environment = key.map { ["LIVESTORE_KEY": $0] } ?? [:]
    let result = try await Program("livestore-sqlite")
      .run(arguments, environment: environment, readsToEnd: readsToEnd, body)
    return Result(
      // A signal that was not handled gives another number than a shell would show.
      status: result.status ?? 1_000 + (result.signal ?? 0),
      output: String(decoding: result.output, as: UTF8.self), error: result.error)
  }
}

extension Program.Run {
  /// Waits until there are so many lines, or the process has ended.
  mutating func lines(_ count: Int) async throws -> [String] {
    while output.count(where: { $0 == 0x0A }) < count, try await read() {}
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
