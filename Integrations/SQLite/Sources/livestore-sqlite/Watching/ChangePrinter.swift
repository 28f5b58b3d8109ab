import LiveStore

/// Renders the changes of a live query, each as a line.
struct ChangePrinter: Sendable {
  let projection: Projection
  let isJSON: Bool

  func lines(initial results: Results<StoredObject>) -> some Sequence<String> {
    results.lazy.enumerated().map { index, object in
      line("initial", "=", "\(index)", [("index", JSONValue(index)), ("object", json(object))])
    }
  }

  /// Deletions, insertions, modifications and moves, without modifications of what is not shown.
  func lines(_ changes: ChangeSet<StoredObject>) -> [String] {
    var lines = changes.deletions.map { index in
      line(
        "delete", "-", "\(index)", [("index", JSONValue(index)), ("object", json(changes.previous[index]))])
    }
    lines += changes.insertions.map { index in
      line(
        "insert", "+", "\(index)", [("index", JSONValue(index)), ("object", json(changes.current[index]))])
    }
    lines += changes.modifications.compactMap(line)
    lines += changes.moves.map { move in
      let object = changes.current[move.to]
      return line(
        "move", ">", "\(move.from) → \(move.to)",
        [("oldIndex", JSONValue(move.from)), ("index", JSONValue(move.to)), ("id", id(object))])
    }
    return lines
  }

  private func line(_ change: Modification<StoredObject, Int>) -> String? {
    let (old, new) = (projection.values(change.old), projection.values(change.new))
    if old == new { return nil }
    if isJSON {
      return line(
        "modify", "~", "",
        [
          ("oldIndex", JSONValue(change.oldIndex)), ("index", JSONValue(change.newIndex)),
          ("old", json(change.old)), ("object", json(change.new)),
        ])
    }
    let differences = projection.columns.indices.filter { old[$0] != new[$0] }.map { index in
      let values = [old[index], new[index]].map { $0.map { "\($0)" } ?? "none" }
      return "\(projection.columns[index].title): \(values[0]) → \(values[1])"
    }
    return text("~", "\(change.newIndex)", "\(id(change.new))  \(differences.joined(separator: ", "))")
  }

  private func line(
    _ name: String, _ sign: String, _ place: String, _ members: [(key: String, value: JSONValue)]
  ) -> String {
    if isJSON { return "\(JSONValue.object(JSONObject([(key: "change", value: .string(name))] + members)))" }
    return text(sign, place, members.last.map { "\($0.value)" } ?? "")
  }

  /// A line, whatever names and values have.
  private func text(_ sign: String, _ place: String, _ content: String) -> String {
    "\(sign) \(place.fitted(to: max(5, place.count)))  \(content.escapingInvisibles)"
  }

  private func json(_ object: StoredObject) -> JSONValue { projection.json(object) }

  /// What an object is known by: its id, or else the number of its row.
  private func id(_ object: StoredObject) -> JSONValue { object.value(at: ["id"]) ?? JSONValue(object.id) }
}
