package import LiveStore
import LiveStoreSQLite
import Synchronization

/// An object whose properties are known only at run time: a row of the file.
package struct StoredObject: DynamicEntity {
  let row: StoredRow
  /// Notes the paths that are asked for; nil in all objects but one that is made for that.
  private var recorder: PathRecorder?

  init(_ row: StoredRow) { self.row = row }

  init(recorder: PathRecorder) { (row, self.recorder) = (.empty, recorder) }

  /// The number of the row.
  package var id: Int64 { row.number }

  package static let schema = Schema<StoredObject>(dynamic: { object, path in
    if let recorder = object.recorder { recorder.record(path) }
    return object.value(at: path) ?? .null
  })

  /// The value at a path; nil if there is none.
  package func value(at path: [String]) -> JSONValue? {
    guard let first = path.first, let value = row.value(first) else { return nil }
    if path.count == 1 { return value }
    let rest = value[path: Array(path.dropFirst())]
    return rest.isNull ? nil : rest
  }

  package static func == (left: StoredObject, right: StoredObject) -> Bool { left.row == right.row }
}

/// The paths that a query asks for.
final class PathRecorder: Sendable {
  private let paths = Mutex<[[String]]>([])

  func record(_ path: [String]) { paths.withLock { $0.append(path) } }

  /// The first name of each path, in the order of the query.
  var names: [String] { paths.withLock { $0.compactMap(\.first) } }
}
