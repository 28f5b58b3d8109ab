/// Which commits an ``UndoStack`` records.
///
/// ```swift
/// let undoStack = UndoStack(store, recording: .everything(except: ["sync"]))
/// ```
public enum UndoRecording: Sendable, Hashable {
  /// The commits of some origins, as given to `write(origin:)`.
  case origins(Set<String>)
  /// The commits of all origins but some, and those without an origin.
  case everything(except: Set<String> = [])

  /// The origin of undos and redos.
  var undoOrigin: String {
    if case .origins(let origins) = self, origins.count == 1, let origin = origins.first {
      return "\(origin).undo"
    }
    return "undo"
  }

  func includes(_ origin: String?) -> Bool {
    if origin == undoOrigin { return false }
    return switch self {
    case .origins(let origins): origin.map { origins.contains($0) } ?? false
    case .everything(let excluded): origin.map { !excluded.contains($0) } ?? true
    }
  }
}
