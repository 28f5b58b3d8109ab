import LiveStore
import TestSupport
import Testing

/// Some hundred filters, each as text, in Swift, by every plan, in transactions and live, against what they mean.
///
/// That is what the interpreter of terms says of the filter in Swift, or where a case has none, plain Swift beside it;
/// `TermMeaningTests` test the interpreter and the terms. `LIVESTORE_SEEDS` sets how many sets of rows there are,
/// `LIVESTORE_SEED` repeats one. The usual run of a debug build has each filter with one of the three choices of indexes.
@Suite struct FilterCaseTests {
  @Test func `every filter finds what it means, without indexes`() async throws {
    try await check(NoCaseIndexes.self, part: 0, plans: ["scan", "id"])
  }

  @Test func `every filter finds what it means, with indexes on everything`() async throws {
    try await check(
      AllCaseIndexes.self, part: 1, plans: ["scan", "id", "index", "elements", "links", "order"])
  }

  @Test func `every filter finds what it means, with indexes on some properties`() async throws {
    try await check(SomeCaseIndexes.self, part: 2, plans: ["scan", "id", "index", "elements", "order"])
  }

  private func check<Mode: CaseMode>(_: Mode.Type, part: Int, plans: [String]) async throws {
    #if DEBUG
      let run = FilterCaseRun<Mode>(part: Environment.isThorough ? nil : part)
    #else
      let run = FilterCaseRun<Mode>(part: nil)
    #endif
    for seed in Seeds.forSuite(1, thorough: 12) { try await run.run(seed: seed) }
    run.completeOutcomes()
    #expect(run.meantQueries > run.cases.count)
    #expect(Set(CaseList<Mode>.all.map { "\($0.text)" }).count >= 400)
    for (index, filterCase) in run.cases.enumerated() {
      let text = filterCase.text
      let shown = "\(spelled(text.format)) \(text.arguments.map { $0.map { "\($0)" } ?? "nil" })"
      if let failure = run.failures[index] {
        Issue.record("\(shown): \(failure)")
      }
      let outcome = run.outcomes[index]
      if !filterCase.isConstant && !(outcome.some && outcome.others) {
        Issue.record("\(shown): \(outcome.some ? "every row passed" : "no row passed")")
      }
    }
    for plan in plans {
      #expect(run.plans[plan, default: 0] > 0, "no filter was evaluated by \(plan): \(run.plans)")
    }
  }

  @Test func `texts that differ in spelling alone are one query`() throws {
    for filterCase in CaseList<AllCaseIndexes>.all {
      let text = filterCase.text
      guard let query = try? CaseItem<AllCaseIndexes>.where(format: text.format, arguments: text.arguments)
      else {
        continue
      }
      for synonym in filterCase.synonyms {
        let shown = "\(spelled(synonym.format)) and \(spelled(text.format)) \(text.arguments)"
        do {
          let other = try CaseItem<AllCaseIndexes>.where(format: synonym.format, arguments: synonym.arguments)
          if other != query {
            Issue.record("\(shown): \(other) and \(query)")
          }
        } catch {
          Issue.record("\(shown): \(error)")
        }
      }
    }
  }

  @Test func `a filter as text and in Swift is one query`() throws {
    for filterCase in CaseList<AllCaseIndexes>.all where filterCase.isShared {
      let text = filterCase.text
      guard
        let query = try? CaseItem<AllCaseIndexes>.where(format: text.format, arguments: text.arguments),
        let typed = filterCase.typed
      else { continue }
      if query != typed {
        Issue.record("\(spelled(text.format)) \(text.arguments): \(query) and \(typed)")
      }
    }
  }

  @Test func `every filter has a text that reads as an equal filter`() throws {
    for filterCase in CaseList<AllCaseIndexes>.all {
      let text = filterCase.text
      let parsed = try? CaseItem<AllCaseIndexes>.where(format: text.format, arguments: text.arguments)
      for (query, origin) in [(parsed, "the text"), (filterCase.typed, "Swift")] {
        guard let query else { continue }
        let shown = "\(spelled(text.format)) \(text.arguments), from \(origin), is \(query)"
        guard let format = query.format else {
          Issue.record("\(shown), which has no text")
          continue
        }
        do {
          let again = try CaseItem<AllCaseIndexes>.query(format: format)
          if again != query { Issue.record("\(shown): \(format) is \(again)") }
        } catch {
          Issue.record("\(shown): \(error)")
        }
      }
    }
  }
}
