import Foundation

/// The time of `body`, the least of several runs: what it costs when the machine does nothing else.
func seconds(_ runs: Int = 3, _ body: () throws -> Void) rethrows -> Double {
  let clock = ContinuousClock()
  var best = Double.infinity
  for _ in 0..<runs {
    let start = clock.now
    try body()
    let (whole, atto) = (clock.now - start).components
    best = min(best, Double(whole) + Double(atto) * 1e-18)
  }
  return best
}

/// A repeatable source of numbers.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Bytes of memory that this process has in use, as the kernel counts them; 0 where it does not tell.
func residentBytes() -> Int {
  guard let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  let fields = statm.split(separator: " ")
  return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4_096 : 0
}

func format(_ value: Double, _ digits: Int = 2) -> String { String(format: "%.\(digits)f", value) }

/// One line: what, the figure, the bound.
func report(_ name: String, _ figure: String, bound: String, holds: Bool) {
  print("\(holds ? "holds " : "MISSES") \(name): \(figure) (bound: \(bound))")
}
