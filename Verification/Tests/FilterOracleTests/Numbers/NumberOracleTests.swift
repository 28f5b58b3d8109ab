import TestSupport
import Testing

/// Numbers of all types in comparisons and arithmetic, as properties, elements, literals and arguments, against numbers of
/// digits.
///
/// Every two properties, and every property and constant, are compared once; then filters are random. `LIVESTORE_SEEDS` sets
/// how many histories of these there are, `LIVESTORE_SEED` repeats one.
@Suite struct NumberOracleTests {
  @Test func `random filters over numbers find what exact numbers say, without indexes`() async throws {
    try await check(UnindexedNumbers.self)
  }

  @Test func `random filters over numbers find what exact numbers say, with indexes`() async throws {
    try await check(IndexedNumbers.self)
  }

  private func check<Mode: NumberMode>(_: Mode.Type) async throws {
    let family = Seeds.forSuite(1).map { NumberHistory<Mode>(seed: $0, isFamily: true) }
    for history in family + Seeds.forSuite(60, thorough: 2000).map({ NumberHistory<Mode>(seed: $0) }) {
      if let mistake = try await history.run() { Issue.record("\(mistake)") }
    }
  }
}
