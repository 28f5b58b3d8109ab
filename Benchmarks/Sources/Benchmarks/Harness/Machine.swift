import Foundation

/// Where and when figures were taken.
struct Machine: Codable, Sendable {
  let processor: String
  let cores: Int
  let system: String
  let date: String
  let arguments: [String]

  init() {
    let information = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let model = information?.split(separator: "\n").first { $0.hasPrefix("model name") }
    processor =
      model?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
    cores = ProcessInfo.processInfo.activeProcessorCount
    system = ProcessInfo.processInfo.operatingSystemVersionString
    date = Date.now.formatted(.iso8601)
    arguments = Array(CommandLine.arguments.dropFirst())
  }

  var description: String { "\(date), \(processor), \(cores) cores, \(system)" }
}
