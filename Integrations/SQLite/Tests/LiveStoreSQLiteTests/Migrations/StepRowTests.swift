import Foundation
import LiveStore
import LiveStoreSQLite
import SQLiteTestSupport
import Testing

private struct Word: Entity, Codable, Equatable {
  let id: Int
  var text: String?
  var count: Int?
  static let schema = Schema<Word> {
    \.text
    \.count
  }
}

private struct Term: Entity, Codable, Equatable {
  let id: Int
  var text: String?
  var count: Int?
  static let schema = Schema<Term> {
    \.text
    \.count
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Objects in a step of a migration` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func writeWords(_ sealing: Sealing) async throws {
    try await folder.write(Word.self, options: sealing.options()) { tx in
      for id in [3, 1, 2] { try tx.insert(Word(id: id, text: "w\(id)", count: id)) }
    }
  }

  /// The words after a step.
  private func words(_ sealing: Sealing, _ body: @escaping Migration.Body) async throws -> [Word] {
    let options = sealing.options([Migration(from: 1, to: 2, body)])
    let words = try await folder.all(Word.self, options: options)
    // Another opening reads the same.
    try require(try await folder.all(Word.self, options: options) == words, "a second opening reads others")
    return words
  }

  private static func ids(_ old: borrowing MigrationSource, _ entity: String = "Word") throws -> [Int] {
    var ids: [Int] = []
    try old.forEach(entity) { ids.append(try $0.value("id")) }
    return ids
  }

  /// Throws unless the words are as they were written.
  private static func checkOld(_ old: borrowing MigrationSource, _ place: String) throws {
    var found: [Word] = []
    try old.forEach("Word") { row in
      found.append(Word(id: try row.value("id"), text: try row.value("text"), count: try row.value("count")))
      try require(row.entity == "Word", "\(place): it is of \(row.entity)")
    }
    let expected = [3, 1, 2].map { Word(id: $0, text: "w\($0)", count: $0) }
    try require(found == expected, "\(place): \(found)")
    let (count, entities) = (old.count("Word"), old.entities)
    try require(count == 3 && entities.contains("Word"), "\(place): \(count) of \(entities)")
  }

  @Test(arguments: Sealing.allCases)
  func `what is read is what was before the step, whatever the step has changed`(sealing: Sealing)
    async throws
  {
    try await writeWords(sealing)
    let words = try await words(sealing) { old, tx in
      try tx.update("Word") { try $0.set("text", to: "changed") }
      try Self.checkOld(old, "updated")
      try tx.delete("Word") { try $0.value("id") == 1 }
      try Self.checkOld(old, "deleted")
      try tx.insert("Word") { try $0.set("id", to: 9) }
      try Self.checkOld(old, "inserted")
      try tx.renameProperty("text", of: "Word", to: "name")
      try Self.checkOld(old, "renamed a property")
      try tx.removeProperty("count", of: "Word")
      try Self.checkOld(old, "removed a property")
      try tx.update("Word") { try $0.set("text", to: "another text") }
      try Self.checkOld(old, "took the name of the property again")
      try tx.renameEntity("Word", to: "Moved")
      try Self.checkOld(old, "renamed the entity")
      try tx.insert("Word") { try $0.set("id", to: 7) }
      try Self.checkOld(old, "took the name of the entity again")
      try tx.deleteEntity("Word")
      try tx.deleteEntity("Moved")
      try Self.checkOld(old, "deleted the entity")
      try old.forEach("Word") { row in
        try tx.insert("Word") { copy in
          try copy.set("id", to: row.value("id", as: Int.self) * 2)
          try copy.set("text", to: row.value("text", as: String?.self))
        }
      }
      try Self.checkOld(old, "written again")
    }
    #expect(words == [3, 1, 2].map { Word(id: $0 * 2, text: "w\($0)", count: nil) })
  }

  @Test(arguments: Sealing.allCases)
  func `a step changes a table while it reads it, and reads none of its own changes`(sealing: Sealing)
    async throws
  {
    let count = 3_000
    try await folder.write(Word.self, options: sealing.options()) { tx in
      for id in 0..<count { try tx.insert(Word(id: id, text: "w", count: id)) }
    }
    let words = try await words(sealing) { old, tx in
      var read = 0
      try old.forEach("Word") { row in
        read += 1
        let id: Int = try row.value("id")
        try require(try row.value("count") == id && id == read - 1, "it reads \(row)")
        if read % 1_000 == 1 {
          // All of them, those that are still to be read among them.
          try tx.update("Word") { try $0.set("count", to: -($0.value("id", as: Int.self))) }
          try tx.delete("Word") { try $0.value("id") == id + 500 }
        }
        if read % 10 == 0 { try tx.insert("Word") { try $0.set("id", to: id + count) } }
      }
      try require(read == count, "it has read \(read)")
    }
    let kept = (0..<count).filter { ![500, 1500, 2500].contains($0) }.map {
      Word(id: $0, text: "w", count: -$0)
    }
    // Those that were inserted before the last update have a count, which is that of their id.
    let added = stride(from: 9, to: count, by: 10).map {
      Word(id: $0 + count, text: nil, count: $0 < 2_000 ? -($0 + count) : nil)
    }
    try require(words == kept + added, "other words than expected")
  }

  @Test(arguments: Sealing.allCases)
  func `a later step reads what the earlier one left`(sealing: Sealing) async throws {
    try await writeWords(sealing)
    let steps = [
      Migration(from: 1, to: 2) { _, tx in
        try tx.renameEntity("Word", to: "Term")
        try tx.renameProperty("text", of: "Term", to: "name")
        try tx.delete("Term") { try $0.value("id") == 3 }
        try tx.insert("Term") { try $0.set("id", to: 4) }
      },
      Migration(from: 2, to: 3) { old, tx in
        try require(!old.entities.contains("Word") && old.count("Word") == 0, "\(old.entities)")
        let ids = try Self.ids(old, "Term")
        try require(ids == [1, 2, 4], "\(ids)")
        try old.forEach("Term") { row in
          let id: Int = try row.value("id")
          try require(try row.value("name", as: String?.self) == (id == 4 ? nil : "w\(id)"), "\(row)")
        }
        try tx.renameProperty("name", of: "Term", to: "text")
      },
    ]
    let terms = try await folder.all(Term.self, options: sealing.options(steps))
    #expect(terms == [Term(id: 1, text: "w1", count: 1), Term(id: 2, text: "w2", count: 2), Term(id: 4)])
  }

  @Test(arguments: Sealing.allCases)
  func `what is not there is an error that names it, after which the step can go on`(sealing: Sealing)
    async throws
  {
    try await writeWords(sealing)
    try await folder.write(Term.self, options: sealing.options()) { tx in try tx.insert(Term(id: 1)) }
    let words = try await words(sealing) { old, tx in
      func refused(_ names: [String], _ error: StoreFileError) throws {
        try require(error.code == .invalidMigration, "\(error)")
        try require(names.allSatisfy { error.message.contains($0) }, "\(names) not in: \(error)")
      }
      func check(_ names: String..., body: () throws -> Void) throws {
        do { try body() } catch let error as StoreFileError { return try refused(names, error) }
        throw Mismatch("no error for \(names)")
      }
      try check("None") { try old.forEach("None") { _ in } }
      try check("None") { try tx.update("None") { _ in } }
      try check("None") { try tx.delete("None") { _ in true } }
      try check("None") { try tx.deleteEntity("None") }
      try check("None") { try tx.renameEntity("None", to: "Other") }
      try check("Word", "Term") { try tx.renameEntity("Word", to: "Term") }
      try check("None") { try tx.renameProperty("text", of: "None", to: "name") }
      try check("none") { try tx.renameProperty("none", of: "Word", to: "name") }
      try check("text", "count") { try tx.renameProperty("text", of: "Word", to: "count") }
      try check("none") { try tx.removeProperty("none", of: "Word") }
      try check("None") { try tx.removeProperty("text", of: "None") }
      try check("none") { try tx.update("Word") { _ = try $0.value("none", as: Int?.self) } }
      try require(old.count("None") == 0, "an entity that is not there has objects")
      try tx.update("Word") { try $0.set("count", to: 8) }
    }
    #expect(words == [3, 1, 2].map { Word(id: $0, text: "w\($0)", count: 8) })
    #expect(
      try await folder.all(Term.self, options: sealing.options([Migration(from: 1, to: 2) { _, _ in }])).count
        == 1)
  }

  @Test(arguments: Sealing.allCases)
  func `a value of another type is an error that names table, row and property`(sealing: Sealing) async throws
  {
    try await writeWords(sealing)
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.update("Word") { _ = try $0.value("text", as: Int.self) }
    }
    let error = try await folder.fileError(Word.self, options: sealing.options([step]))
    #expect(error.code == .mismatch && error.table == "Word" && error.row != nil, "\(error)")
    #expect(error.message.contains("text"), "\(error)")
  }

  @Test(arguments: Sealing.allCases)
  func `objects that a step leaves with values of another type are an error that names the row`(
    sealing: Sealing
  ) async throws {
    try await writeWords(sealing)
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.update("Word") { row in if try row.value("id") == 1 { try row.set("count", to: "many") } }
    }
    let error = try await folder.fileError(Word.self, options: sealing.options([step]))
    #expect(error.code == .mismatch && error.table == "Word" && error.row == 2, "\(error)")
    #expect(error.message.contains("count"), "\(error)")
  }

  @Test(arguments: Sealing.allCases)
  func
    `rows have numbers that rise in insertion order, those of new rows, too, and a deletion counts what it deleted`(
      sealing: Sealing
    ) async throws
  {
    try await writeWords(sealing)
    let words = try await words(sealing) { old, tx in
      var numbers: [Int64] = []
      try old.forEach("Word") { numbers.append($0.number) }
      try require(numbers.count == 3 && numbers == numbers.sorted() && Set(numbers).count == 3, "\(numbers)")
      try require(try tx.delete("Word") { try $0.value("id", as: Int.self) < 3 } == 2, "it deleted others")
      try require(try tx.delete("Word") { _ in false } == 0, "it deleted where the condition is false")
      try tx.insert("Word") { row in
        try require(row.number > (numbers.first ?? 0), "a new row has the number \(row.number)")
        try row.set("id", to: 1)
      }
    }
    #expect(words == [Word(id: 3, text: "w3", count: 3), Word(id: 1)])
  }

  @Test(arguments: Sealing.allCases)
  func `values of all kinds go through a step unchanged, and can be moved from row to row`(sealing: Sealing)
    async throws
  {
    let author = Author(id: UUID(), name: "Ann")
    let note = Note(1, "nul \0 é e\u{301} \u{1F600}", author: Ref(author.id))
    try await folder.write(Note.self, Author.self, options: sealing.options()) { tx in
      try tx.insert(author)
      try tx.insert(note)
    }
    let step = Migration(from: 1, to: 2) { old, tx in
      try old.forEach("Note") { row in
        try tx.insert("Note") { copy in
          try copy.set("id", to: 2)
          try copy.set("title", to: row.value("title", as: String.self))
          try copy.set("stars", to: row.value("stars", as: Double.self))
          try copy.set("ratio", to: row.value("ratio", as: Float.self))
          try copy.set("small", to: row.value("small", as: Int8.self))
          try copy.set("large", to: row.value("large", as: UInt64.self))
          try copy.set("isDone", to: row.value("isDone", as: Bool.self))
          try copy.set("mood", to: row.value("mood", as: Mood.self))
          try copy.set("shape", to: row.value("shape", as: Shape.self))
          try copy.set("address", to: row.value("address", as: Address?.self))
          try copy.set("due", to: row.value("due", as: Date?.self))
          try copy.set("data", to: row.value("data", as: Data.self))
          try copy.set("url", to: row.value("url", as: URL?.self))
          try copy.set("price", to: row.value("price", as: Decimal.self))
          try copy.set("tags", to: row.value("tags", as: [String].self))
          try copy.set("counts", to: row.value("counts", as: [String: Int].self))
          try copy.set("json", to: row.value("json", as: JSONValue.self))
          try copy.set("author", to: row.value("author", as: Ref<Author>?.self))
          try copy.set("readers", to: RefList<Author>([Ref(author.id)]))
        }
      }
      try tx.update("Note") { _ in }
    }
    try await folder.read(Note.self, Author.self, options: sealing.options([step])) { snapshot in
      let notes = Array(snapshot.fetch(Note.all))
      var copy = Note(2, note.title, author: note.author)
      copy.readers = [Ref(author.id)]
      #expect(notes == [note, copy])
    }
  }
}
