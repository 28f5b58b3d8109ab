import LiveStore
import Testing
import livestore_watch

@Suite struct DocumentTests {
  /// The documents of lines.
  private func documents(_ lines: [String], key: [String]) throws -> [Document] {
    let paths = key.map { KeyPathText(steps: $0.split(separator: ".").map(String.init)) }
    var reader = DocumentReader(file: "-", rules: InputRules(key: ObjectKey(paths)))
    var changes: [InputChange] = []
    var text = lines.joined(separator: "\n") + "\n"
    text.withUTF8 { bytes in
      reader.read(UnsafeRawBufferPointer(bytes), into: &changes) { line in
        Issue.record("\(line)")
        return true
      }
    }
    return changes.compactMap(\.document)
  }

  private static let keys: [(key: [String], id: JSONValue)] = [
    (["id"], "k"), (["n"], 1.5), (["o"], ["x": 7]), (["o.x"], 7), (["a.1"], true), (["big"], 123_456_789),
    (["id", "n"], ["k", 1.5]), (["o.x", "id", "a"], [7, "k", [nil, true]]),
  ]

  @Test(arguments: keys)
  func `a document has the id that its key names, and the whole line`(key: [String], id: JSONValue) throws {
    let line = #"{ "id": "k", "n": 1.50, "o": {"x": 7}, "a": [null, true], "big": 123456789 }"#
    let body = try JSONValue(parsing: line)
    let document = try #require(try documents([line], key: key).first)
    #expect(document.id == id)
    #expect(document.body == body)
    #expect(document.text == body.description)
    #expect(document == Document(id: id, body: body))
    #expect(document.value(at: ["o", "x"]) == 7)
    #expect(document.value(at: ["o", "y"]) == nil)
    #expect(document.value(at: ["a"]) == [nil, true] && document.value(at: ["b"]) == nil)
  }

  @Test func `documents are equal if ids and objects are, whatever the order of keys`() throws {
    let all = try documents(
      [#"{"id":1,"a":[1]}"#, #"{"a":[1],"id":1.0}"#, #"{"id":1,"a":[2]}"#, #"{"id":2,"a":[1]}"#], key: ["id"])
    #expect(all[0] == all[1] && all[0].hashValue == all[1].hashValue)
    #expect(all[0] != all[2] && all[0] != all[3])
    #expect(Document(id: "x", body: [:]) != Document(id: "y", body: [:]))
  }
}
