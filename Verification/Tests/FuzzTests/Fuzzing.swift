import Foundation
import TestSupport
import Testing

/// Checks answers to made up inputs, each of which follows from a seed of its own.
///
/// A test makes a few inputs, four times as many with `LIVESTORE_THOROUGH=1`. `LIVESTORE_FUZZ_INPUTS=N` makes
/// it N, and `LIVESTORE_SEED=S` repeats one, or `S...T` some; with both it is N from S on.
enum Fuzzing {
  /// Checks inputs one after the other; those that are answered wrongly are reported with their seeds.
  static func run(
    _ name: String, inputs full: UInt64, _ check: (inout SplitMix64) async throws -> Void
  ) async {
    let asked = Environment.count("LIVESTORE_FUZZ_INPUTS").map { UInt64($0) }
    let seeds: Range<UInt64>
    if let named = Seeds.named {
      seeds = named.lowerBound..<named.lowerBound + (asked ?? UInt64(named.count))
    } else {
      seeds = 1..<1 + (asked ?? (Environment.isThorough ? full : full / 4))
    }
    let start = ContinuousClock().now
    var findings = 0
    for seed in seeds {
      var random = SplitMix64(seed: seed)
      do {
        try await check(&random)
      } catch {
        Issue.record("\(name), LIVESTORE_SEED=\(seed): \("\(error)".prefix(2_000))")
        findings += 1
      }
      if findings == 5 { break }
      // A trap ends the process: the last of these lines shows about where.
      if asked != nil && seed % 20_000 == 0 { print("\(name): \(seed) inputs") }
    }
    if asked != nil {
      print("\(name): \(seeds.count) inputs, \(findings) findings, \(ContinuousClock().now - start)")
    }
  }

  /// Throws unless a message is one clear line.
  static func requireLine(_ message: String) throws {
    try require(!message.isEmpty, "an empty message")
    try require(
      message.unicodeScalars.count < 1_000, "a message of \(message.unicodeScalars.count) characters")
    let breaks = message.unicodeScalars.contains {
      $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\u{2028}" || $0 == "\u{2029}"
    }
    try require(
      !breaks, "a message of more than one line, or with control characters: \(message.debugDescription)")
  }
}

/// Bytes as a failure shows them.
func shown(_ bytes: [UInt8]) -> String {
  bytes.count > 600
    ? "\(shown(Array(bytes.prefix(600))))… (\(bytes.count) bytes)"
    : String(decoding: bytes, as: UTF8.self).debugDescription
}
