import TestSupport
import Testing

/// Numbers of all types in comparisons and arithmetic, as properties, elements, literals and arguments, against numbers of
/// digits.
///
/// `LIVESTORE_SEEDS` sets how many histories there are, `LIVESTORE_SEED` repeats one.
@Suite struct NumberOracleTests {
  @Test func `random filters over numbers find what exact numbers say, without indexes`() async throws {
    for seed in Seeds.forSuite(60, thorough: 2000) {
      if let mistake = try await NumberHistory<UnindexedNumbers>(seed: seed).run() {
        Issue.record("\(mistake)")
      }
    }
  }

  @Test func `random filters over numbers find what exact numbers say, with indexes`() async throws {
    for seed in Seeds.forSuite(60, thorough: 2000) {
      if let mistake = try await NumberHistory<IndexedNumbers>(seed: seed).run() {
        Issue.record("\(mistake)")
      }
    }
  }
}
