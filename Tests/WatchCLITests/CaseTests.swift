import Foundation
import LiveStore
import Testing

/// Inputs of others with the right answers, in `Cases/watch.json`: the arguments, the files, standard input, in which
/// `<hold 3>` keeps it open at the end, and what must come out.
@Suite struct CaseTests {
  private static let cases: [JSONValue] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Cases/watch.json")
    guard let data = try? Data(contentsOf: file),
      case .array(let cases)? = try? JSONValue(parsing: data)["cases"]
    else { return [] }
    return cases
  }()

  @Test func `there are cases`() { #expect(Self.cases.count == 22) }

  @Test(arguments: 0..<22) func `the answer to a case is right`(number: Int) throws {
    let test = Self.cases[number]
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("livestore-watch-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    if case .object(let files) = test["files"] {
      for (name, content) in files {
        try Data((Self.text(content) ?? "").utf8).write(to: folder.appendingPathComponent(name))
      }
    }
    let arguments = Self.elements(test["args"]).compactMap(Self.text)
    let run = try run(arguments, Self.text(test["stdin"]) ?? "", in: folder.path)
    let expected = test["expect"]
    let lines = run.lines
    for (key, value) in Self.members(expected) {
      let isRight =
        switch key {
        case "status": value == JSONValue(Int(run.status))
        case "first": value == lines.first.map(JSONValue.string)
        case "last": value == lines.last.map(JSONValue.string)
        case "lines": value == .array(lines.map(JSONValue.string))
        case "json": value == .array(try lines.map { try JSONValue(parsing: $0) })
        default: false
        }
      #expect(isRight, "\(test["id"]): \(key) is \(value), but \(run.status) \(run.output) \(run.errors)")
    }
  }

  /// Runs the tool; standard input that is held open is a pipe of another process.
  private func run(_ arguments: [String], _ input: String, in folder: String) throws -> Tool.Run {
    let parts = input.components(separatedBy: "<hold ")
    guard parts.count == 2 else { return try Tool.run(arguments, input: input, in: folder) }
    // It is held for as long as the tool runs, which ends by itself.
    let held = try Conversation(arguments)
    try held.say(parts[0])
    var output = ""
    while let line = try held.line() { output += line + "\n" }
    let end = try held.end()
    return Tool.Run(status: end.status, output: output, errors: end.errors)
  }

  private static func text(_ value: JSONValue) -> String? {
    if case .string(let text) = value { text } else { nil }
  }

  private static func elements(_ value: JSONValue) -> [JSONValue] {
    if case .array(let elements) = value { elements } else { [] }
  }

  private static func members(_ value: JSONValue) -> [(key: String, value: JSONValue)] {
    if case .object(let object) = value { object.map { ($0.key, $0.value) } } else { [] }
  }
}
