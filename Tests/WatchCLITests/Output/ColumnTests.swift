import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

@Suite struct ColumnTests {
  private static let columns = [
    Column(path: ["id"]), Column(path: ["owner", "name"], title: "Owner"), Column(path: ["n"]),
  ]
  private let old = Document(id: 3, body: ["id": 3, "n": 1, "owner": ["name": "Ann", "age": 4]])
  private let new = Document(
    id: 3, body: ["id": 3, "owner": ["name": "Bea, \"B\"\n", "age": 5], "more": [1]])
  private let other = Document(id: 3, body: ["id": 3, "n": 1, "owner": ["name": "Ann", "age": 9]])

  private func output(
    _ mode: OutputMode, _ columns: [Column]? = Self.columns, clock: (@Sendable () -> Date)? = nil,
    isTerminal: Bool = false, _ body: (inout ResultPrinter) throws -> Void
  ) throws -> String {
    let pipe = OutputPipe()
    var printer = ResultPrinter(
      writer: pipe.writer(isTerminal: isTerminal), mode: mode, isColored: false, columns: columns,
      key: [["id"]],
      clock: clock)
    try body(&printer)
    return try pipe.text()
  }

  private var lines: [ChangeLine] {
    [
      ChangeLine(.delete, old, from: 4), ChangeLine(.modify, new, from: 7, to: 2, old: old),
      ChangeLine(.modify, other, from: 1, to: 1, old: old),
      ChangeLine(.move, other, from: 5, to: 1),
    ]
  }

  @Test func `lines to look at have the columns alone, and of a modified object what differs in them`() throws
  {
    let text = try output(.changes) { try $0.print(version: 7, count: 1, lines: lines) }
    #expect(
      text == """
        version 7: 1 object
        - 4        {"id":3,"Owner":"Ann","n":1}
        ~ 2        3  Owner: "Ann" → "Bea, \\"B\\"\\n", n: 1 → none
        > 5 → 1    3

        """)
  }

  /// Bug: a version was printed in which no column differed.
  @Test func `what is missing is the same as null in a column`() throws {
    let (missing, null) = (Document(id: 3, body: ["id": 3]), Document(id: 3, body: ["id": 3, "n": nil]))
    for mode in [OutputMode.json, .csv, .changes] {
      let text = try output(mode) {
        try $0.print(version: 1, count: 1, lines: [ChangeLine(.initial, missing, to: 0)])
        try $0.print(version: 2, count: 1, lines: [ChangeLine(.modify, null, from: 0, to: 0, old: missing)])
      }
      #expect(!text.contains("modify") && !text.contains("~"), "\(text)")
    }
  }

  @Test func `a point before a blank is a part of a name`() {
    #expect(KeyPathText("No. 1")?.steps == ["No. 1"] && KeyPathText("No. 1")?.title == "No. 1")
    #expect(
      KeyPathText("max(No. 1)")?.steps == ["max(No. 1)"] && KeyPathText("a.b c")?.steps == ["a", "b c"])
    #expect(KeyPathText("tags[first]")?.steps == ["tags", "0"] && KeyPathText("tags[*]") == nil)
    #expect(KeyPathText("labels.@type")?.steps == ["labels", "@type"] && KeyPathText("tags.@count") == nil)
  }

  /// Bug: two columns had one title, so that readers by title lost one of them.
  @Test func `no two columns of rows have one title`() throws {
    let document = Document(
      id: 1, body: ["id": 1, "version": 2, "a": ["b": 3], "a.b": 4, "change": 5, "version_2": 6])
    let rows = try output(.csv, nil) {
      try $0.print(version: 7, count: 1, lines: [ChangeLine(.initial, document, to: 0)])
    }
    #expect(
      rows == """
        version,change,oldIndex,newIndex,id,version_3,a.b,a.b_2,change_2,version_2
        7,initial,,0,1,2,3,4,5,6

        """)
    let result = try output(.csv, nil) { try $0.print(result: [document], version: 7) }
    #expect(result == "id,version,a.b,a.b_2,change,version_2\n1,2,3,4,5,6\n")
  }

  @Test func `a version that changes no column prints nothing after the first`() throws {
    let hidden = [ChangeLine(.modify, other, from: 1, to: 1, old: old)]
    for mode in OutputMode.allCases where mode != .count {
      let text = try output(mode) { printer in
        try printer.print(version: 1, count: 1, lines: [ChangeLine(.initial, old, to: 0)])
        try printer.print(version: 2, count: 1, lines: hidden)
      }
      #expect(
        text
          == (try output(mode) {
            try $0.print(version: 1, count: 1, lines: [ChangeLine(.initial, old, to: 0)])
          }))
    }
  }

  @Test func `JSON has the titles as keys, and null for what is missing`() throws {
    let text = try output(.json) { try $0.print(version: 7, count: 1, lines: lines) }
    let (before, after) = (#"{"id":3,"Owner":"Ann","n":1}"#, #"{"id":3,"Owner":"Bea, \"B\"\n","n":null}"#)
    #expect(
      text == """
        {"version":7,"change":"delete","id":3,"oldIndex":4,"old":\(before)}
        {"version":7,"change":"modify","id":3,"oldIndex":7,"newIndex":2,"old":\(before),"new":\(after)}
        {"version":7,"change":"move","id":3,"oldIndex":5,"newIndex":1}

        """)
  }

  @Test func `CSV has a row for each change, quoted where needed, after one row of titles`() throws {
    let text = try output(.csv) { printer in
      try printer.print(version: 6, count: 0, lines: [])
      try printer.print(version: 7, count: 1, lines: lines)
      try printer.print(
        version: 8, count: 1, lines: [ChangeLine(.insert, Document(id: 9, body: ["n": ""]), to: 0)])
    }
    #expect(
      text == """
        version,change,oldIndex,newIndex,id,Owner,n
        7,delete,4,,3,Ann,1
        7,modify,7,2,3,"Bea, ""B""
        ",
        7,move,5,1,3,Ann,1
        8,insert,,0,,,""

        """)
  }

  @Test func `TSV escapes what would end a field, and a result has the columns alone`() throws {
    let tabbed = Document(id: 1, body: ["id": 1, "owner": ["name": "a\tb\\c\r\nd"], "n": [1, "x"]])
    let text = try output(.tsv) { try $0.print(result: [tabbed, old], version: 1) }
    #expect(text == "id\tOwner\tn\n1\ta\\tb\\\\c\\r\\nd\t[1,\"x\"]\n3\tAnn\t1\n")
  }

  /// Bug: the column had the object as JSON beside the columns of its members.
  @Test func `an object has the columns of its members, and none of its own for null elsewhere`() throws {
    let documents = [
      Document(id: 1, body: ["id": 1, "m": nil, "n": 5]),
      Document(id: 2, body: ["id": 2, "m": ["k": 1], "n": ["k": 2]]),
      Document(id: 3, body: ["n": 6, "o": nil, "id": 3]),
    ]
    let text = try output(.csv, nil) { try $0.print(result: documents, version: 1) }
    #expect(text == "id,n,m.k,n.k,o\n1,5,,,\n2,,1,2,\n3,6,,,\n")
  }

  @Test(arguments: Seeds.forSuite(4))
  func `values stand in their columns, whatever members objects have and in which order`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    var documents: [Document] = []
    for id in 0..<300 {
      func object(_ depth: Int) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        // Both ways to write a letter are one name.
        let names = ["a", "b", "c.d", random.chance(1, in: 2) ? "\u{E9}" : "e\u{301}", "\"q", "1", "o", "p"]
        for name in names.shuffled(using: &random).prefix(random.int(0...names.count)) {
          let isObject = depth < 3 && random.chance(1, in: 3)
          let value = random.chance(1, in: 4) ? .null : JSONValue(random.int(0...9))
          members.append((name, isObject ? object(depth + 1) : value))
        }
        return .object(JSONObject(members))
      }
      // Most objects are like the one before them.
      let body = id > 0 && random.chance(2, in: 3) ? documents[id - 1].body : object(1)
      documents.append(Document(id: JSONValue(id), body: body))
    }
    let text = try output(.tsv, nil) { try $0.print(result: documents, version: 1) }
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    var columns: [[String]] = []
    func leaves(_ value: JSONValue, _ path: [String] = []) -> [(path: [String], value: JSONValue)] {
      guard case .object(let object) = value, !object.isEmpty, path.count < 2 else { return [(path, value)] }
      return object.flatMap { leaves($0.value, path + [$0.key]) }
    }
    for document in documents {
      for leaf in leaves(document.body) where !leaf.path.isEmpty && !columns.contains(leaf.path) {
        columns.append(leaf.path)
      }
    }
    // Where there are objects, null has no column.
    let all = columns
    columns.removeAll { column in
      all.contains { $0.count > column.count && $0.starts(with: column) }
        && documents.allSatisfy { document in
          !leaves(document.body).contains { $0.path == column && $0.value != .null }
        }
    }
    #expect(rows.count == documents.count + 2)
    for (row, document) in zip(rows.dropFirst(), documents) {
      let values = leaves(document.body)
      let expected = columns.map { column in
        values.first { $0.path == column && $0.value != .null }.map {
          "\($0.value)".replacing("\\", with: "\\\\")
        } ?? ""
      }
      #expect(row == expected)
    }
  }

  /// Bug: a column without a value in the result was lost, and all titles where no row was left.
  @Test func `columns that titles or groups name are printed without a value`() throws {
    let input = "b,a,id\n1,,1\n2,,2\n"
    let arguments = ["--input", "csv", "--output", "csv"]
    let all = try Tool.run(arguments + ["--once"], input: input)
    #expect(all.lines == ["b,a,id", "1,,1", "2,,2"])
    let none = try Tool.run(arguments + ["--once", "--where", "b > 5"], input: input)
    #expect(none.lines == ["b,a,id"])
    let live = try Tool.run(arguments, input: input)
    #expect(live.lines.first == "version,change,oldIndex,newIndex,b,a,id")
    let groups = try Tool.run(arguments + ["--once", "--group-by", "b", "--where", "b > 5"], input: input)
    #expect(groups.lines == ["b,count"])
    // Nothing is found where a version has no row.
    let titles = try Tool.run(arguments + ["--where", "b > 5"], input: input)
    #expect(titles.lines == ["version,change,oldIndex,newIndex,b,a,id"])
    let deep = try Tool.run(
      arguments + ["--once", "--nested", "--key", "a.b.c"], input: "a.b.c,a.b.d,e\n1,2,3\n4,,\n")
    #expect(deep.lines == ["a.b.c,a.b.d,e", "1,2,3", "4,,"])
    let alike = try Tool.run(
      ["--input", "csv", "--once", "--no-key", "--nested", "--output", "json"],
      input: "a.b,\"a[\"\"b\"\"]\",t[0]\n1,2,3\n")
    #expect(alike.lines == [#"{"a":{"b":1},"a[\"b\"]":2,"t[0]":3}"#])
    let unnamed = try Tool.run(arguments + ["--once", "--no-key"], input: ",0,1,2\n0,a,b,c\n")
    #expect(unnamed.lines == ["1_2,0,1,2", "0,a,b,c"])
    let untitled = try Tool.run(
      arguments + ["--once", "--no-header", "--key", "1"], input: "1,,\n2,,3,\n")
    #expect(untitled.lines == ["1,2,3,4", "1,,,", "2,,3,"])
    let names = try Tool.run(
      arguments + ["--once", "--nested", "--columns", "id,No. 1"], input: "id,No. 1\n1,5\n")
    #expect(names.lines == ["id,No. 1", "1,5"])
  }

  @Test func `very many columns have the values that each of them has`() {
    let paths =
      [["a"], ["a", "b"], ["a", "c", "d"], ["a", "c"], ["id"], ["x"], ["n", "m", "o", "p"], ["n"]]
      + (0..<40).map { ["p\($0)"] }
    let columns = paths.map { Column(path: $0) }
    let bodies: [JSONValue] = [
      [
        "id": 1, "a": ["b": 1, "c": ["d": 2]], "x": nil, "n": ["m": ["o": ["p": [1], "q": 2]]], "p7": "x",
        "p3": 4,
      ],
      ["a": 5, "id": 2, "n": ["m": nil], "p39": ["y": 1], "p0": [:]], ["p1": 1, "n": [], "a": ["c": 1]],
    ]
    let documents = bodies.enumerated().map { Document(id: JSONValue($0), body: $1) }
    for document in documents {
      let each = columns.map { Projection([$0]).text(document).dropFirst().dropLast() }
      #expect(Projection(columns).text(document) == "{\(each.joined(separator: ","))}")
      for other in documents {
        #expect(Projection(columns).areSame(document, other) == (document.id == other.id))
        let differences = Projection(columns).differences(document, other).map(\.path)
        #expect(differences == columns.flatMap { Projection([$0]).differences(document, other).map(\.path) })
      }
    }
  }

  @Test func `columns of several files are all printed, in the order of the files`() throws {
    let files = TemporaryFiles()
    let (first, second) = (try files.file("id,a\n1,\n"), try files.file("id,b,a\n2,,5\n"))
    let run = try Tool.run([first, second, first, "--input", "csv", "--once", "--output", "csv"])
    #expect(run.lines == ["id,a,b", "1,,", "2,5,"])
  }

  /// Bug: an object was not shown in a column that had numbers or null before, and changes showed nothing.
  @Test func `an object is shown in a column that is known, unless its members have columns`() throws {
    let live = try Tool.run(
      ["--output", "csv", "--batch", "1"],
      input: [
        #"{"id":1,"m":5,"n":{"a":1}}"#, #"{"id":2,"m":{"a":1},"n":{"a":2}}"#,
        #"{"id":2,"m":{"a":2},"n":{"b":2}}"#,
      ].joined(separator: "\n"))
    #expect(
      live.lines.dropFirst() == [
        "1,initial,,0,1,5,1", #"2,insert,,1,2,"{""a"":1}",2"#, #"3,modify,1,1,2,"{""a"":2}","#,
      ])
    let keys = try Tool.run(
      ["--key", "k,k.id", "--once", "--output", "csv"], input: #"{"k":{"id":1,"x":2},"v":1}"#)
    #expect(keys.lines == ["k,k.id,v", #""{""id"":1,""x"":2}",1,1"#])
    let deep = #"{"a":{"b":{"c":1,"d":2},"e":{"f":{"g":3}}},"h":4}"#
    let csv = try Tool.run(["--key", "a.b.c", "--once", "--output", "csv"], input: deep)
    #expect(csv.lines == ["a.b.c,a.b.d,a.e,h", #"1,2,"{""f"":{""g"":3}}",4"#])
    let table = try Tool.run(["--key", "a.b.c", "--once", "--output", "table"], input: deep)
    #expect(table.lines.count == 2 && table.lines[0].contains("a.b.d"))
  }

  @Test func `an object by which objects are grouped, or identified, is one column`() throws {
    let input = #"{"id":{"x":1,"y":2},"n":{"z":3}}"# + "\n"
    let groups = try Tool.run(["--group-by", "id", "--once", "--output", "csv"], input: input)
    #expect(groups.lines == ["id,count", #""{""x"":1,""y"":2}",1"#])
    let objects = try Tool.run(["--once", "--output", "tsv"], input: input)
    #expect(objects.lines == ["id\tn.z", #"{"x":1,"y":2}"# + "\t3"])
  }

  @Test func `without columns, rows have the paths of the first objects, the key first`() throws {
    let text = try output(.csv, nil) {
      try $0.print(result: [Document(id: 1, body: ["b": ["c": 1], "id": 1]), new], version: 1)
    }
    #expect(text.hasPrefix("id,b.c,owner.name,owner.age,more\n1,1,,,\n3,,\"Bea, "))
    let later = try output(.csv, nil) { printer in
      try printer.print(
        version: 1, count: 1, lines: [ChangeLine(.initial, Document(id: 1, body: ["id": 1]), to: 0)])
      try printer.print(version: 2, count: 1, lines: [ChangeLine(.insert, old, to: 1)])
    }
    #expect(later == "version,change,oldIndex,newIndex,id\n1,initial,,0,1\n2,insert,,1,3\n")
  }

  @Test func `rows cannot steer a terminal`() throws {
    let sneaky = Document(id: 1, body: ["id": 1, "n": "\u{1B}[2J"])
    let text = try output(.csv, isTerminal: true) { try $0.print(result: [sneaky], version: 1) }
    #expect(text == "id,Owner,n\n1,,\\u001b[2J\n")
  }

  @Test func `the time of a version is printed when it is asked for`() throws {
    let clock: @Sendable () -> Date = { Date(timeIntervalSince1970: 1_767_603_600.25) }
    let time = "2026-01-05T09:00:00.250Z"
    let insert = ChangeLine(.insert, old, to: 0)
    for (mode, expected) in [
      (OutputMode.changes, "\(time) version 1: 1 object\n"),
      (.json, #"{"version":1,"time":"\#(time)","change":"insert""#),
      (.csv, "time,version,change,oldIndex,newIndex,id,Owner,n\n\(time),1,insert,"), (.count, "\(time) 1\n"),
    ] {
      let text = try output(mode, clock: clock) { try $0.print(version: 1, count: 1, lines: [insert]) }
      #expect(text.hasPrefix(expected), "\(text)")
    }
  }

  @Test func `columns that no object has are named at the end`() throws {
    let run = try Tool.run(
      ["--columns", "id,nmae", "--once", "--output", "csv"], input: #"{"id":1,"name":"x"}"#)
    #expect(run.output == "id,nmae\n1,\n")
    #expect(run.errors == "livestore-watch: no object has nmae (did you mean name?)\n")
  }
}
