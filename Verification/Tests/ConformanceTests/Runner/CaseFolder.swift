import Foundation
import LiveStore

/// A folder of cases: the copy beside the tests, or the one that `LIVESTORE_CASES` names.
struct CaseFolder {
  private let url: URL

  var path: String { url.path }

  init() {
    if let path = ProcessInfo.processInfo.environment["LIVESTORE_CASES"], !path.isEmpty {
      url = URL(fileURLWithPath: path, isDirectory: true)
    } else {
      let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      url = tests.appendingPathComponent("Cases", isDirectory: true)
    }
  }

  /// The names of the JSON files in it, without extension, in order.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "json" }
      .map { $0.deletingPathExtension().lastPathComponent }
      .sorted()
  }

  func read(_ file: String) throws -> JSONValue {
    let data = try Data(contentsOf: url.appendingPathComponent(file + ".json"))
    return try JSONDecoder().decode(JSONValue.self, from: data)
  }
}
