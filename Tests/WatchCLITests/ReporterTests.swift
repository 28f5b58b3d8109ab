import Foundation
import LiveStore
import Testing
import livestore_watch

/// What is printed of a live query, and when.
@Suite struct ReporterTests {
  private let files = TemporaryFiles()

  @Test func `what a version changes has been printed when the call returns, once`() throws {
    let path = try files.file("")
    let descriptor = open(path, O_WRONLY)
    defer { close(descriptor) }
    let store = try Store(Document.self)
    let writer = OutputWriter(descriptor: descriptor)
    let reporter = Reporter(ResultPrinter(writer: writer, mode: .json, isColored: false))
    reporter.follow(Document.where { $0[path: ["n"]] > 1 }, of: store, mode: .latest)
    var lines: [Substring] {
      get throws { try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") }
    }
    func put(_ number: Int) throws {
      try store.write { try $0.upsert(Document(id: 7, body: ["n": JSONValue(number)])) }
      reporter.update()
    }

    try put(2)
    #expect(try lines == [#"{"version":1,"change":"initial","id":7,"newIndex":0,"new":{"n":2}}"#])
    try put(3)
    try put(1)
    try put(0)
    reporter.update()
    #expect(
      try lines.dropFirst() == [
        #"{"version":2,"change":"modify","id":7,"oldIndex":0,"newIndex":0,"old":{"n":2},"new":{"n":3}}"#,
        #"{"version":3,"change":"delete","id":7,"oldIndex":0,"old":{"n":3}}"#,
      ])
    #expect(reporter.count == 0 && reporter.failure == nil)
  }
}
