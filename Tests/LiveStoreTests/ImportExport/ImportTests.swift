import Foundation
import LiveStore
import TestSupport
import Testing

@Suite struct `Imports of JSON` {
  private let store: Store

  init() throws { store = try Store(Memo.self, Editor.self) }

  @Test(arguments: [
    #"[{"id":1,"title":"a"},{"id":2,"title":"b"}]"#,
    "[\n  {\"id\": 1, \"title\": \"a\"},\r\n\t{\"title\": \"b\", \"id\": 2}\n]\n",
    "{\"id\":1,\"title\":\"a\"}\n{\"id\":2,\"title\":\"b\"}",
    "\n\r\n {\"id\":1,\"title\":\"a\"} \r\n \t \n\n{\"id\":2,\"title\":\"b\"}\r\n",
  ])
  func `an array and lines are read, with blanks, CRLF and a byte order mark`(text: String) throws {
    for mark in ["", "\u{FEFF}"] {
      let store = try Store(Memo.self, Editor.self)
      let report = try store.importJSON(Memo.self, from: (mark + text).data)
      #expect(Array(store.fetch(Memo.all)) == [Memo(1, "a"), Memo(2, "b")])
      #expect((report.objects, report.inserted, report.commits) == (2, 2, 1))
      #expect(report.versions == store.version...store.version)
    }
  }

  @Test(arguments: ["", "\u{FEFF}", " \n\r\n", "[]", " [ \n ] \n"])
  func `a text without objects imports nothing and makes no version`(text: String) throws {
    let report = try store.importJSON(Memo.self, from: text.data)
    #expect((report.objects, report.commits) == (0, 0))
    #expect(store.version == .zero)
  }

  @Test func `an insert of an existing id names line and index and imports nothing`() throws {
    let text = "{\"id\":1,\"title\":\"a\"}\n\n{\"id\":1,\"title\":\"b\"}"
    do {
      try store.importJSON(Memo.self, from: text.data)
      Issue.record("the second object was inserted")
    } catch let error as StoreError {
      #expect(error.code == StoreError.duplicateID)
      #expect((error.line, error.index, error.id, error.committedCount) == (3, 1, "1", 0))
    }
    #expect(store.version == .zero)
  }

  @Test func `an upsert adds, replaces in place and counts what changed`() throws {
    try store.write { tx in try tx.insert(contentsOf: [Memo(1, "a"), Memo(2, "b")]) }
    let report = try store.importJSON(
      Memo.self, from: #"[{"id":3,"title":"c"},{"id":1,"title":"x"},{"id":2,"title":"b"}]"#.data,
      mode: .upsert,
      origin: "import")
    #expect((report.inserted, report.changed, report.unchanged) == (1, 1, 1))
    #expect(store.fetch(Memo.all).map(\.title) == ["x", "b", "c"])
  }

  @Test func `an upsert keeps the properties that are named`() throws {
    var note = Memo(1, "a", stars: 3)
    (note.isUnread, note.scratch) = (false, 7)
    try store.write { [note] tx in try tx.insert(note) }
    let text = #"[{"id":1,"title":"b","stars":5}]"#.data
    try store.importJSON(Memo.self, from: text, mode: .upsert(keeping: \.isUnread, \.scratch))
    note.title = "b"
    note.stars = 5
    #expect(store[Memo.self, 1] == note)
    try store.importJSON(Memo.self, from: text, mode: .upsert(keeping: \.stars))
    #expect(store[Memo.self, 1]?.isUnread == true)
  }

  @Test func `an import of what is there already makes no version`() throws {
    let text = (1...5).map { #"{"id":\#($0),"title":"n\#($0)","due":\#($0),"place":{"city":"c"}}"# }
      .joined(separator: "\n").data
    try store.importJSON(Memo.self, from: text)
    let version = store.version
    let modes: [ImportMode<Memo>] = [.upsert, .upsert(keeping: \.isUnread), .merge]
    for commit in [ImportCommit.once, .every(2)] {
      for mode in modes {
        let report = try store.importJSON(Memo.self, from: text, mode: mode, commit: commit)
        #expect((report.objects, report.unchanged, report.commits) == (5, 5, 0))
        #expect(report.versions == nil)
      }
      #expect(throws: StoreError.self) { try store.importJSON(Memo.self, from: text, commit: commit) }
    }
    #expect(store.version == version)
  }

  @Test func `a batch that fails leaves those before it, and the error says how many objects they have`()
    throws
  {
    let text = "1234".map { #"{"id":\#($0),"title":"t"}"# } + [#"{"id":3,"title":"t"}"#]
    for (size, committed) in [(1, 4), (2, 4), (3, 3), (4, 4), (5, 0), (0, 4)] {
      let store = try Store(Memo.self, Editor.self)
      do {
        try store.importJSON(Memo.self, from: text.joined(separator: "\n").data, commit: .every(size))
        Issue.record("the last object was inserted")
      } catch let error as StoreError {
        #expect(error.code == StoreError.duplicateID)
        #expect((error.line, error.committedCount) == (5, committed), "batches of \(size)")
      }
      #expect(store.count(Memo.all) == committed)
    }
  }

  @Test func `batches make a commit each, and the report has their versions`() throws {
    let text = (1...7).map { #"{"id":\#($0),"title":"t"}"# }.joined(separator: "\n").data
    let report = try store.importJSON(Memo.self, from: text, commit: .every(3))
    #expect((report.objects, report.commits) == (7, 3))
    #expect(report.versions == Version.zero.next()...store.version)
    #expect(store.version.number == 3)
  }

  @Test func `values of a unique property that collide name the object, its line and index`() throws {
    var stored = Memo(1, "a")
    stored.slug = "x"
    try store.write { [stored] tx in try tx.insert(stored) }
    let text = "[{\"id\":2,\"title\":\"b\",\"slug\":\"y\"},\n\n{\"id\":3,\"title\":\"c\",\"slug\":\"x\"}]"
    do {
      try store.importJSON(Memo.self, from: text.data)
      Issue.record("both were inserted")
    } catch let error as StoreError {
      #expect(error.code == StoreError.uniqueViolation)
      #expect((error.id, error.property, error.line, error.index) == ("3", "slug", 3, 1))
    }
    #expect(store.count(Memo.all) == 1)
  }

  @Test func `a link may lead to an object later in the text, but not to one that is missing`() throws {
    try store.write { tx in try tx.insert(Editor(id: 1, name: "Ann")) }
    try store.importJSON(Memo.self, from: #"[{"id":1,"title":"a","author":1}]"#.data)
    #expect(store[Memo.self, 1]?.author == Ref(1))
    do {
      try store.importJSON(
        Memo.self, from: "{\"id\":2,\"title\":\"b\"}\n{\"id\":3,\"title\":\"c\",\"author\":9}".data)
      Issue.record("the link leads nowhere")
    } catch let error as StoreError {
      #expect(error.code == StoreError.missingLinkTarget)
      #expect((error.id, error.value, error.line, error.index) == ("3", "9", 2, 1))
    }
    #expect(store.count(Memo.all) == 1)
  }

  @Test func `a decoder is used with its strategies`() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    try store.importJSON(
      Memo.self, from: #"{"id":1,"title":"a","due":"1970-01-01T00:00:07Z"}"#.data, decoder: decoder)
    #expect(store[Memo.self, 1]?.due == Date(timeIntervalSince1970: 7))
  }

  @Test func `observers get an import as one change, with its origin`() async throws {
    var commits = store.commits(after: .zero).makeAsyncIterator()
    try await store.importJSON(
      Memo.self, from: #"[{"id":1,"title":"a"},{"id":2,"title":"b"}]"#.data, origin: "import")
    let commit = try await commits.next()
    #expect(commit?.origin == "import")
    #expect(commit?.version == store.version)
  }
}
