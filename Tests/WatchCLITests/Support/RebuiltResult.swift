import LiveStore
import Testing

/// What a reader of `--output json` knows: the result, rebuilt by the rule that the help gives.
struct RebuiltResult {
  /// The objects in order.
  private(set) var rows: [JSONValue] = []

  /// Splits the output into the change sets of its versions, in order.
  static func versions(_ lines: [String]) throws -> [(version: JSONValue, changes: [JSONValue])] {
    var versions: [(version: JSONValue, changes: [JSONValue])] = []
    for line in lines {
      let change = try JSONValue(parsing: line)
      if versions.last?.version == change["version"] {
        versions[versions.count - 1].changes.append(change)
      } else {
        #expect(versions.last.map { $0.version < change["version"] } ?? true, "versions go up")
        versions.append((change["version"], [change]))
      }
    }
    return versions
  }

  /// Takes in the lines of one version.
  mutating func apply(_ changes: [JSONValue]) throws {
    var old: [JSONValue: JSONValue] = [:]
    let outgoing = changes.filter { ["delete", "move"].contains($0["change"]) }
    for change in outgoing.sorted(by: { $0["oldIndex"] > $1["oldIndex"] }) {
      let row = rows.remove(at: try index(change["oldIndex"], below: rows.count))
      old[change["id"]] = row
      if change["change"] == "delete" { #expect(row == change["old"]) }
    }
    let incoming = changes.filter { ["initial", "insert", "move"].contains($0["change"]) }
    for change in incoming.sorted(by: { $0["newIndex"] < $1["newIndex"] }) {
      let row = change["change"] == "move" ? try #require(old[change["id"]]) : change["new"]
      rows.insert(row, at: try index(change["newIndex"], below: rows.count + 1))
    }
    for change in changes where change["change"] == "modify" {
      let position = try index(change["newIndex"], below: rows.count)
      #expect(rows[position] == change["old"] && change["old"] != change["new"])
      rows[position] = change["new"]
    }
  }

  private func index(_ value: JSONValue, below bound: Int) throws -> Int {
    guard case .number(let number) = value else { throw Mistake(value: value) }
    let index = try #require(number.integer.map(Int.init))
    guard index >= 0, index < bound else { throw Mistake(value: value) }
    return index
  }

  private struct Mistake: Error {
    let value: JSONValue
  }
}
