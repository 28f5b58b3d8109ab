import LiveStore

/// Filters, sorts and windows over rows of one type.
enum QueryCases {
  static func run(_ content: JSONValue, _ report: inout CaseReport) async throws {
    let datasets = try content.members("datasets")
    var worlds: [String: World] = [:]
    for value in try content.elements("cases") {
      await report.run(value) { value in
        let name = try value.text("dataset")
        if worlds[name] == nil { worlds[name] = try await makeWorld(name, datasets) }
        if let world = worlds[name] { try check(value, world) }
      }
    }
    for value in try content.optionalElements("error_cases") {
      await report.run(value) { _ in throw CaseFailure.notApplicable("text filters") }
    }
  }

  private static func makeWorld(_ name: String, _ datasets: JSONObject) async throws -> World {
    guard let dataset = datasets[name] else { throw CaseFailure.malformed("there is no dataset \(name)") }
    return try await World(schema: dataset.members("schema"), rows: dataset.members("rows"))
  }

  private static func check(_ value: JSONValue, _ world: World) throws {
    let seen = try world.open(value).ids(in: world.store)
    let expected = try value.integers("expected_ids")
    if value["order_matters"].isTrue {
      try demand("ids", expected: expected, seen: seen)
    } else {
      try demand("ids", expected: expected.sorted(), seen: seen.sorted())
    }
  }
}
