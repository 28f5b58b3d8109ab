import Foundation
import OracleSupport

@main struct Oracle {
  static let usage = """
    usage: oracle histories [--seed N] [--count N] [--steps N] [--only N,N,…] [--large] [--keep-going] [--verbose]
                            [--tame] [--plain-texts] [--no-nested-nan]
           oracle rounds [--seed N] [--count N]
    """

  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    guard let command = arguments.first, ["histories", "rounds"].contains(command) else { refuse() }
    arguments.removeFirst()
    var options = Options()
    var (seed, count, keepsGoing) = (1, 100, false)
    var steps: [Int]?
    while let argument = arguments.first {
      arguments.removeFirst()
      func number() -> Int {
        guard !arguments.isEmpty, let number = Int(arguments.removeFirst()), number >= 0 else { refuse() }
        return number
      }
      switch argument {
      case "--seed": seed = number()
      case "--count": count = number()
      case "--steps": options.steps = number()
      case "--only":
        steps = arguments.isEmpty ? nil : arguments.removeFirst().split(separator: ",").compactMap { Int($0) }
      case "--tame": (options.nastyTexts, options.nastyNumbers, options.nestedNaN) = (false, false, false)
      case "--plain-texts": options.nastyTexts = false
      case "--no-nested-nan": options.nestedNaN = false
      case "--large": options.isLarge = true
      case "--keep-going": keepsGoing = true
      case "--verbose": options.isVerbose = true
      default: refuse()
      }
    }
    if command == "rounds" { return await rounds(seed, count) }
    var findings = 0
    for number in seed..<seed + count {
      var history = History(seed: UInt64(number), options: options)
      if let steps { history.steps = steps }
      guard let finding = await history.run().finding else { continue }
      findings += 1
      say("seed \(number): \(finding.prefix(2000))")
      if keepsGoing { continue }
      guard let (smallest, finding, log) = await history.shrunk() else {
        say("not found again when run again")
        continue
      }
      say("smallest: --only \(smallest.steps.map { "\($0)" }.joined(separator: ","))")
      say(log.joined(separator: "\n"))
      say(finding.prefix(4000))
      break
    }
    say("\(count) histories from seed \(seed), \(findings) findings")
    if findings > 0 { exit(EXIT_FAILURE) }
  }

  private static func refuse() -> Never {
    say(usage)
    exit(EX_USAGE)
  }

  static func rounds(_ seed: Int, _ count: Int) async {
    var findings = 0
    for number in seed..<seed + count {
      let found = await ConcurrentRound(seed: UInt64(number), writes: 100).run()
      findings += found.isEmpty ? 0 : 1
      for finding in Set(found).sorted().prefix(8) { say("round \(number): \(finding.prefix(1000))") }
    }
    say("\(count) rounds from seed \(seed), \(findings) with findings")
    if findings > 0 { exit(EXIT_FAILURE) }
  }
}

/// Prints at once, also into a pipe.
func say(_ text: some StringProtocol) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
