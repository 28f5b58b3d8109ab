import LiveStore

/// One object observed: property names with old and new values, and deletion.
enum ObjectChangeCases {
  static func run(_ content: JSONValue, _ report: inout CaseReport) async throws {
    for value in try content.elements("cases") { await report.run(value, check) }
  }

  /// The name that cases give their only observer.
  private static let observer = "o"

  private static func check(_ value: JSONValue) async throws {
    let backlinks = try value.optionalElements("backlinks")
    let world = try await World(
      schema: value.members("schema"), rows: value.members("initial"), backlinks: backlinks)
    var steps: [(step: Step, expected: JSONValue)] = []
    for json in try value.elements("steps") { steps.append((try Step(json), json["expect"])) }
    let origins = steps.reduce(into: Set<String>()) { $0.formUnion($1.step.origins(suppressing: observer)) }
    let observation = try world.observeObject(value["observe"], excluding: origins)
    try await world.store.settled()
    let first = observation.take()
    guard first.count == 1, case .initial = first[0] else {
      throw CaseFailure.wrong("start", expected: "one initial event", seen: first)
    }
    for (index, step) in steps.enumerated() {
      observation.pause()
      try await step.step.commit(in: world)
      observation.resume()
      try await world.store.settled()
      let names = Set(backlinks.compactMap { $0["name"].text })
      try check("step \(index)", step.expected, observation.take(), backlinks: names)
    }
    observation.invalidate()
  }

  private static func check(
    _ place: String, _ expected: JSONValue, _ events: [ObjectEvent], backlinks: Set<String>
  ) throws {
    if expected["notification"] == false {
      guard events.isEmpty else { throw CaseFailure.wrong(place, expected: "nothing", seen: events) }
      return
    }
    guard events.count == 1 else {
      throw CaseFailure.wrong(place, expected: expected.shortened, seen: events)
    }
    switch events[0] {
    case .deleted where expected["deleted"].isTrue: return
    case .changed(let changes) where !expected["deleted"].isTrue:
      try check(place, try expected.optionalElements("changes"), changes, backlinks)
    default: throw CaseFailure.wrong(place, expected: expected.shortened, seen: events[0])
    }
  }

  private static func check(
    _ place: String, _ expected: [JSONValue], _ seen: [ObjectEvent.Change], _ backlinks: Set<String>
  ) throws {
    let names = try expected.map { try $0.text("property") }
    try demand(
      "\(place): properties",
      expected: names.map { backlinks.contains($0) ? ObjectEvent.backlinks : $0 }.sorted(),
      seen: seen.map(\.property).sorted())
    for json in expected {
      let name = try json.text("property")
      guard let change = seen.first(where: { $0.property == name }), json["kind"].isNull else { continue }
      try demand("\(place): old \(name)", expected: json["old"], seen: change.old)
      try demand("\(place): new \(name)", expected: json["new"], seen: change.new)
    }
  }
}
