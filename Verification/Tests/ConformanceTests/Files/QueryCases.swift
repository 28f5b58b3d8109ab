import Foundation
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
      await report.run(value) { value in
        let name = try value.text("dataset")
        if worlds[name] == nil { worlds[name] = try await makeWorld(name, datasets) }
        guard let world = worlds[name] else { return }
        let text = try value.text("rql")
        if let query = try? world.open(text: text, [], try value.text("type")) {
          throw CaseFailure.wrong("\(text) is read, and gives \(try query.ids(in: world.store))")
        }
      }
    }
  }

  private static func makeWorld(_ name: String, _ datasets: JSONObject) async throws -> World {
    guard let dataset = datasets[name] else { throw CaseFailure.malformed("there is no dataset \(name)") }
    return try await World(schema: dataset.members("schema"), rows: dataset.members("rows"))
  }

  /// Checks the answers of the filter made of typed expressions, and of its texts.
  private static func check(_ value: JSONValue, _ world: World) throws {
    if let typed = try Self.typed(value, world) { try check(value, world, typed) }
    let type = try value.text("type")
    let constants = try Self.constants(value["where"])
    // A text has dates of Foundation's precision; the structs have their own type.
    if let text = value["rql"].text, !constants.contains(where: { $0 is Timestamp }) {
      try check(value, world, world.open(text: text, [], type))
    }
    if let text = value["nspredicate"].text {
      let query = try world.open(text: text, text.contains("%@") ? constants : [], type)
      if value["descriptors"].isNull { try check(value, world, query) }
    }
  }

  /// The query of typed expressions; nil if the runner has none for the case.
  private static func typed(_ value: JSONValue, _ world: World) throws(CaseFailure) -> (any OpenQuery)? {
    do throws(CaseFailure) {
      return try world.open(value)
    } catch {
      guard case .notApplicable = error else { throw error }
      return nil
    }
  }

  /// The constants of a filter that texts give as arguments, in their order.
  private static func constants(_ tree: JSONValue) throws(CaseFailure) -> [any Sendable] {
    var result: [any Sendable] = []
    if let type = tree["type"].text, !tree["const"].isNull {
      switch type {
      case "date": result.append(try Timestamp(tree["const"]))
      case "data": result.append(try Data(tree["const"]))
      case "double": if let text = tree["const"].text, let value = Double(text) { result.append(value) }
      default: break
      }
    }
    for (_, value) in tree.members ?? JSONObject([]) { result += try constants(value) }
    for value in tree.elements ?? [] { result += try constants(value) }
    return result
  }

  private static func check(_ value: JSONValue, _ world: World, _ query: any OpenQuery) throws {
    let seen = try query.ids(in: world.store)
    let expected = try value.integers("expected_ids")
    if value["order_matters"].isTrue {
      try demand("ids", expected: expected, seen: seen)
    } else {
      try demand("ids", expected: expected.sorted(), seen: seen.sorted())
    }
  }
}
