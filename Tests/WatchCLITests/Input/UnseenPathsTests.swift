import LiveStore
import Testing
import livestore_watch

@Suite struct UnseenPathsTests {
  private let documents = [
    #"{"id":1,"status":"open","owner":{"name":"Ann","homeTown":"Oslo"},"balance":3,"tags":["a"]}"#,
    #"{"id":2,"status":null}"#,
  ]

  private func hints(_ arguments: [String]) throws -> [String] {
    guard case .watch(let options) = try Invocation(arguments: arguments) else { return [] }
    let documents = try self.documents.map { line in
      let body = try JSONValue(parsing: line)
      return Document(id: body["id"], body: body)
    }
    var unseen = UnseenPaths(options.namedPaths)
    for document in documents { unseen.look(at: document) }
    return unseen.hints
  }

  @Test(arguments: [
    (["--where", "statsu == 'open'"], ["no object has statsu (did you mean status?)"]),
    (["--where", "STATUS == 'open'"], ["no object has STATUS (did you mean status?)"]),
    (["--where", "owner.nmae == 'x'"], ["no object has owner.nmae (did you mean owner.name?)"]),
    (["--where", "homeTown == 'x'"], ["no object has homeTown (did you mean owner.homeTown?)"]),
    (["--sort", "ball"], ["no object has ball"]),
    (["--sort", "bal"], ["no object has bal (did you mean balance?)"]),
    (
      ["--where", "owner.homeTown == Oslo"],
      ["no object has Oslo (text is written in quotes: 'Oslo')"]
    ),
    (
      ["--where", "xx == 1 OR (yy > zz AND NOT xx IN {1})", "--sort", "yy"],
      [
        "no object has xx", "no object has yy", "no object has zz (text is written in quotes: 'zz')",
      ]
    ),
    (["--where", "status == 'x' AND tags.0 == 'a' OR id == 3", "--sort", "owner.name"], []),
    (["--where", "tags.1 == 'a'"], ["no object has tags.1 (did you mean tags?)"]),
  ])
  func `a path that no object has is named with the one that was meant`(
    arguments: [String], expected: [String]
  ) throws {
    #expect(try hints(arguments) == expected)
  }

  @Test func `the first of very many paths are named, and the rest is a number`() throws {
    let filter = (1...1_000).map { "city == Town\($0)" }.joined(separator: " OR ")
    let found = try hints(["--where", filter])
    #expect(found.count == 9 && found[0] == "no object has city")
    #expect(found[1] == "no object has Town1 (text is written in quotes: 'Town1')")
    #expect(found.last == "nor has any object 56 more of the paths that are named")
  }

  @Test(arguments: [
    ("age > '30'", "age is compared with text, and is a number in 3 objects"),
    ("'30' == age", "age is compared with text, and is a number in 3 objects"),
    ("NOT (id == 0 OR age BETWEEN {'1', '3'})", "age is compared with text, and is a number in 3 objects"),
    ("age BEGINSWITH '3'", "age is compared with text, and is a number in 3 objects"),
    ("owner.code IN {7, 8}", "owner.code is compared with a number, and is text in 1 object"),
    ("done == 'yes'", "done is compared with text, and is true or false in 3 objects"),
    ("mostly == 'x'", "mostly is compared with text, and is a number in 2 objects and text in 1"),
    ("mostly == 1", "mostly is a number in 2 objects and text in 1"),
    ("age == 1 OR age == 'none'", nil), ("age == nil", nil), ("age > 1.5", nil), ("age != ''", nil),
    ("empty == 'x'", "empty is compared with text, and is a number in 1 object"), ("empty == 3", nil),
    ("tags CONTAINS 'a'", nil), ("age * 2 > 3", nil), ("age == owner.code", nil),
    ("missing == 1", nil),
  ])
  func `a filter that compares values of different kinds is named with how many there are`(
    filter: String, line: String?
  ) throws {
    let arguments = ["--where", filter, "--once", "--output", "count"]
    let lines = [
      #"{"id":1,"age":30,"done":true,"owner":{"code":"007"},"mostly":1,"empty":"","tags":["a"],"missing":null}"#,
      #"{"id":2,"age":31.5,"done":false,"mostly":2,"empty":3}"#,
      #"{"id":3,"age":-1,"done":true,"mostly":"x"}"#,
    ]
    let run = try Tool.run(arguments, input: lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n")
    #expect(run.status == 0 && run.errors == (line.map { "livestore-watch: \($0)\n" } ?? ""))
  }

  @Test func `of rows, a comparison with text says how numbers become text`() throws {
    let csv = "id,code,zip\n1,7,007\n2,8,008\n"
    func errors(_ filter: String) throws -> String {
      try Tool.run(["--input", "csv", "--where", filter, "--once", "--output", "count"], input: csv).errors
    }
    let line = "livestore-watch: code is compared with text, and is a number in 2 objects"
    #expect(try errors("code == '7'") == line + "; --text code makes all of them text\n")
    #expect(
      try errors("zip == 7") == "livestore-watch: zip is compared with a number, and is text in 2 objects\n")
  }

  @Test func `a path that only a former value had is not named`() {
    var unseen = UnseenPaths([NamedPath(steps: ["a"]), NamedPath(steps: ["b"])])
    unseen.look(at: Document(id: 1, body: ["a": nil]))
    unseen.look(at: Document(id: 1, body: [:]))
    #expect(unseen.hints == ["no object has b"])
  }

  private static let keyless: [(JSONValue, String?)] = [
    (nil, nil), (["name": 1, "ID": 2], "no object has the key id; did you mean --key ID?"),
    (
      [:],
      "no object has the key id: the first is empty; choose one with --key, or say --no-key if every line is an object of its own"
    ),
    (
      ["a": 1, "b": 2],
      "no object has the key id: the first has a, b; choose one with --key, or say --no-key if every line is an object of its own"
    ),
  ]

  @Test(arguments: keyless)
  func `a forgotten key is answered by the keys that there are`(example: JSONValue, hint: String?) {
    var keyless = KeylessObjects()
    keyless.example = example
    #expect(keyless.hint(for: .standard) == hint)
  }
}
