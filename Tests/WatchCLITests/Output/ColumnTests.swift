import Foundation
import LiveStore
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
