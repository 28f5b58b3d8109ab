import Foundation

/// The memory of this process that is in use, in bytes; 0 where the system does not say.
func residentMemory() -> Int {
  guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
    let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
  else { return 0 }
  return kilobytes * 1_024
}

/// The processor time that a process has used so far, in steps of 10 ms; zero where the system does not say.
///
/// - Parameter id: the process's number.
func processorTime(_ id: String) -> Duration {
  // The name of the program, in parentheses, may have spaces.
  guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
    let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 12,
    let user = Int(fields[11]), let system = Int(fields[12])
  else { return .zero }
  return .milliseconds(10 * (user + system))
}
