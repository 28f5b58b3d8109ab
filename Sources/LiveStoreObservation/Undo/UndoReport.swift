public import LiveStore

/// The outcome of an undo or a redo.
public struct UndoReport: Sendable, CustomStringConvertible {
  /// The name of the step, if it has one.
  public let name: String?
  /// The version of its commit; nil when no object could be undone.
  public let version: Version?
  /// How many objects it undid.
  public let objectCount: Int
  /// The objects it left unchanged, because other writers have written since.
  public let conflicts: [UndoConflict]

  /// The name, the number of objects, and the conflicts.
  public var description: String {
    let objects = objectCount == 1 ? "1 object" : "\(objectCount) objects"
    let text = "\(name ?? "a step without a name"): \(objects) undone"
    return conflicts.isEmpty ? text : "\(text); \(conflicts.map(\.description).joined(separator: " "))"
  }
}
