import Foundation

/// The memory of this process that is in use, in bytes; 0 where the system does not say.
func residentMemory() -> Int {
  guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
    let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
  else { return 0 }
  return kilobytes * 1_024
}
