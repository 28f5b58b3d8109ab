import LiveStore

/// Observed queries: per step what each observer receives in one delivery.
enum CollectionChangeCases {
  static func run(_ content: JSONValue, _ report: inout CaseReport) async throws {
    for value in try content.elements("cases") { await report.run(value, check) }
    for value in try content.optionalElements("sectioned_cases") {
      await report.run(value, SectionedCases.check)
    }
  }

  /// An observer of a case, with what it was last given.
  private struct Observer {
    let name: String
    let description: JSONValue
    let query: any OpenQuery
    let observation: Observation<CollectionEvent>
    /// Whether its baseline moves without an event.
    let excludesOrigins: Bool
    var ids: [Int] = []
  }

  /// Answers that differ from the file's on purpose, by case.
  ///
  /// - cc-229: row 3 is set to the value it has. An object given the same value is not modified here.
  private static let ownAnswers: [String: JSONValue] = [
    "cc-229": .object([
      "notification": true, "deletions": .array([]), "insertions": .array([3]), "modifications": .array([2]),
      "modifications_new": .array([2]), "ids_after": .array([3, 2, 1, 8, 7, 0]),
    ])
  ]

  private static func check(_ value: JSONValue) async throws {
    let ownAnswer = value["id"].text.flatMap { ownAnswers[$0] }
    let world = try await World(schema: value.members("schema"), rows: value.members("initial"))
    var steps: [(step: Step, expected: JSONValue)] = []
    for json in try value.elements("steps") { steps.append((try Step(json), json["expect"])) }
    var observers: [Observer] = []
    for (name, description) in try value.members("observers") {
      let origins = steps.reduce(into: Set<String>()) { $0.formUnion($1.step.origins(suppressing: name)) }
      observers.append(try observer(name, description, origins, world))
    }
    try await world.store.settled()
    for index in observers.indices { try begin(&observers[index], world) }
    for (index, step) in steps.enumerated() {
      for observer in observers { observer.observation.pause() }
      try await step.step.commit(in: world)
      for observer in observers { observer.observation.resume() }
      try await world.store.settled()
      for position in observers.indices {
        let expected = step.expected[observers[position].name]
        if expected.isNull { continue }
        let place = "step \(index) of \(observers[position].name)"
        try check(place, ownAnswer ?? expected, &observers[position], world)
      }
    }
    for observer in observers { observer.observation.invalidate() }
  }

  private static func observer(
    _ name: String, _ description: JSONValue, _ origins: Set<String>, _ world: World
  ) throws -> Observer {
    let query = try world.open(description)
    let observation = query.observe(in: world.store, excluding: origins)
    return Observer(
      name: name, description: description, query: query, observation: observation,
      excludesOrigins: !origins.isEmpty)
  }

  /// The first event is the result at the start.
  private static func begin(_ observer: inout Observer, _ world: World) throws {
    let events = observer.observation.take()
    guard events.count == 1, case .initial(let ids) = events[0] else {
      throw CaseFailure.wrong(observer.name, expected: "one initial event", seen: events)
    }
    if !observer.description["initial_ids"].isNull {
      try demand("initial ids", expected: observer.description.integers("initial_ids"), seen: ids)
    }
    let fetched = try observer.query.ids(in: world.store)
    try demand("fetched ids", expected: fetched, seen: ids)
    observer.ids = ids
  }

  private static func check(
    _ place: String, _ expected: JSONValue, _ observer: inout Observer, _ world: World
  ) throws {
    let events = observer.observation.take()
    let fetched = try observer.query.ids(in: world.store)
    if !expected["ids_after"].isNull {
      try demand("\(place): ids after", expected: expected.integers("ids_after"), seen: fetched)
    }
    let answers = try [expected] + expected.optionalElements("also_acceptable")
    let silent = answers.contains { $0["notification"] == false }
    guard let event = events.first else {
      if silent { return }
      throw CaseFailure.wrong(place, expected: try IndexChanges(expected), seen: "nothing")
    }
    guard events.count == 1, case .update(let changes, let previous, let current) = event else {
      throw CaseFailure.wrong(place, expected: "at most one update", seen: events)
    }
    var acceptable: [IndexChanges] = []
    for answer in answers where answer["notification"] != false {
      acceptable.append(try IndexChanges(answer))
      for other in try answer.optionalElements("other_minimal_diffs") {
        acceptable.append(try IndexChanges(other))
      }
    }
    guard acceptable.contains(changes) else {
      let wanted = acceptable.isEmpty ? "nothing" : acceptable.map(\.description).joined(separator: ", or ")
      throw CaseFailure.wrong(place, expected: wanted, seen: changes)
    }
    try demand("\(place): ids of the event", expected: fetched, seen: current)
    if !observer.excludesOrigins {
      try demand("\(place): previous ids", expected: observer.ids, seen: previous)
    }
    observer.ids = current
  }
}
