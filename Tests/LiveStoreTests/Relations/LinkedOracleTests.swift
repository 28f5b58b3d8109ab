import LiveStore
import TestSupport
import Testing

/// Each value and condition that random queries over links are made of, against plain Swift.
///
/// `LIVESTORE_SEEDS` sets how many graphs there are, `LIVESTORE_SEED` repeats one.
@Suite struct LinkedOracleTests {
  @Test func `every value and condition of the pools is served and printed`() throws {
    for seed in Seeds.forSuite(2, thorough: 3) {
      var random = SplitMix64(seed: seed)
      let world = try LinkedWorld()
      try LinkedScript.fill(world, &random)
      try check(world, &random, Article.self)
      try check(world, &random, Writer.self)
      try check(world, &random, Reply.self)
      try check(world, &random, Topic.self)
      try check(world, &random, Meeting.self)
    }
  }

  private func check<E: Social>(_ world: LinkedWorld, _ random: inout SplitMix64, _: E.Type) throws {
    let snapshot = world.store.snapshot()
    for operand in E.operands(&random) {
      let condition = ConditionCase.comparison(operand, &random)
      let queryCase = LinkedCase(condition)
      let found = snapshot.fetch(queryCase.query).map(\.id)
      #expect(found == queryCase.expectedRows(world.model).map(\.id), "\(queryCase.text)")
      // Negated, and the rest.
      #expect(
        snapshot.count(E.where { !condition.make($0) }) == world.model.rows(E.self).count - found.count)
      #expect(queryCase.query.description.contains(operand.name), "\(queryCase.query)")
      #expect(queryCase.query.explain(in: snapshot).contains(operand.name))
    }
    for condition in E.conditions(&random) {
      let queryCase = LinkedCase(condition)
      #expect(
        snapshot.fetch(queryCase.query).map(\.id) == queryCase.expectedRows(world.model).map(\.id),
        "\(queryCase.text)")
    }
  }
}
