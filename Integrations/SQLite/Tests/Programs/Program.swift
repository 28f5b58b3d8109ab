import Foundation
import Subprocess

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

/// A program of this package that tests run as a process.
///
/// Foundation's `Process` does not fit. On Linux it lists the open files of this process before it starts another and,
/// from some 1,350 on, reads past the end of a buffer. Tests that run at once have more files open than that.
package struct Program {
  let executable: Executable
  private let path: String

  /// - Throws: if the program was not built.
  package init(_ name: String) throws {
    let paths = CommandLine.arguments.map { URL(fileURLWithPath: $0) } + Bundle.allBundles.map(\.bundleURL)
    let programs = paths.map { $0.deletingLastPathComponent().appendingPathComponent(name).path }
    guard let program = programs.first(where: FileManager.default.isExecutableFile) else {
      throw Missing(name: name)
    }
    executable = .path(FilePath(program))
    path = program
  }

  private struct Missing: Error {
    let name: String
  }

  package struct Result {
    /// The status with which the process exited; nil if a signal ended it.
    package let status: Int32?
    /// The signal that ended the process.
    package let signal: Int32?
    package let output: [UInt8]
    package let error: String
  }

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - mask: the mask of the files that it makes, in octal digits; nil for that of this process.
  ///   - environment: all its variables; nil for those of this process.
  ///   - readsToEnd: whether output is read after the body has returned; otherwise the pipe is closed then.
  ///   - body: what is done meanwhile. If it throws, the process is killed.
  package func run(
    _ arguments: [String], mask: String? = nil, environment: [String: String]? = nil,
    readsToEnd: Bool = true, _ body: (inout Run) async throws -> Void = { _ in }
  ) async throws -> Result {
    let executable = mask == nil ? executable : .path("/bin/sh")
    let arguments = mask.map { ["-c", "umask \($0); exec \"$0\" \"$@\"", path] + arguments } ?? arguments
    let variables = environment.map { variables in
      Dictionary(uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0), $1) })
    }
    let result = try await Subprocess.run(
      executable, arguments: Arguments(arguments), environment: variables.map { .custom($0) } ?? .inherit,
      input: .none, output: .sequence, error: .string(limit: 1 << 20)
    ) { execution in
      var run = Run(execution)
      try await body(&run)
      while readsToEnd, try await run.read() {}
      return run.output
    }
    var (status, signal): (Int32?, Int32?)
    switch result.terminationStatus {
    case .exited(let code): status = code
    case .signaled(let number): signal = number
    }
    return Result(
      status: status, signal: signal, output: result.closureResult, error: result.standardError)
  }

  /// A process that runs.
  package struct Run {
    private let execution: Execution<NoInput, SequenceOutput, StringOutput<UTF8>>
    private var buffers: SubprocessOutputSequence.Iterator
    /// The output that has been read.
    package private(set) var output: [UInt8] = []

    fileprivate init(_ execution: Execution<NoInput, SequenceOutput, StringOutput<UTF8>>) {
      self.execution = execution
      buffers = execution.standardOutput.makeAsyncIterator()
    }

    /// Waits for more output and reads it; false if there is no more.
    package mutating func read() async throws -> Bool {
      guard let buffer = try await buffers.next() else { return false }
      buffer.withUnsafeBytes { output += $0 }
      return true
    }

    package func send(_ signal: Int32) throws { try execution.send(signal: Signal(rawValue: signal)) }
  }
}
