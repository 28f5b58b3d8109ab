import Foundation
import TestSupport

/// A program of the system, run as a process.
enum SystemProgram {
  /// Runs a program to its end: what it wrote to standard output and standard error; nil if there is no such program.
  static func run(_ program: String, _ arguments: [String], input: String = "") throws -> String? {
    let files = TemporaryFiles()
    let folders = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    let paths = folders.map { "\($0)/\(program)" }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
    let process = Process()
    let output = PrivatePipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: files.file(input)))
    process.standardOutput = output.writing
    process.standardError = output.writing
    try process.run()
    try output.writing.close()
    let data = try output.reading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
