import Foundation
import LiveStore
import LiveStoreSQLite
import Synchronization
import SQLiteTestSupport
import Testing

private enum Before {
  struct Book: Entity, Codable, Equatable {
    let id: Int
    var title: String
    var pages: Int?
    static let schema = Schema<Book> {
      \.title
      \.pages
    }
  }
  struct Chapter: Entity, Codable, Equatable {
    let id: Int
    var book: Ref<Book>
    static let schema = Schema<Chapter> { Relation(\.book) }
  }
}

private enum After {
  struct Book: Entity, Codable, Equatable {
    let id: Int
    var name: String
    var pages: Int?
    static let schema = Schema<Book> {
      \.name
      \.pages
    }
  }
  struct Chapter: Entity, Codable, Equatable {
    let id: Int
    var book: Ref<Book>
    static let schema = Schema<Chapter> { Relation(\.book) }
  }
}

/// The steps that have run, in order.
private final class Log: Sendable {
  private let entries = Mutex<[String]>([])
  func add(_ entry: String) { entries.withLock { $0.append(entry) } }
  func take() -> [String] {
    entries.withLock { entries in
      defer { entries = [] }; return entries
    }
  }
}

private struct StepFailure: Error, Equatable { var reason: String }

@Suite(.timeLimit(.minutes(10))) struct `Steps between versions of the schema` {
  private let folder: Folder
  private let log = Log()

  init() throws { folder = try Folder() }

  private func writeBooks(_ sealing: Sealing, _ migrations: [Migration] = []) async throws {
    try await folder.write(Before.Book.self, options: sealing.options(migrations)) { tx in
      for id in [5, 3, 4] { try tx.insert(Before.Book(id: id, title: "t\(id)", pages: id)) }
    }
  }

  private func pages(_ options: StoreFile.Options) async throws -> [Int?] {
    try await folder.all(Before.Book.self, options: options).map(\.pages)
  }

  /// A step that multiplies the pages, so that the order of steps matters, and adds.
  private func step(_ from: Int, _ to: Int) -> Migration {
    let log = log
    return Migration(from: from, to: to) { old, tx in
      log.add("\(from)-\(to)")
      try tx.update("Book") { book in try book.set("pages", to: book.value("pages", as: Int.self) * 10 + to) }
    }
  }

  @Test(arguments: Sealing.allCases)
  func `steps run in the order of the list, and each runs once`(
    sealing: Sealing
  ) async throws {
    try await writeBooks(sealing)
    let steps = [step(1, 2), step(2, 5), step(5, 6), step(6, 9)]
    #expect(try await pages(sealing.options(steps)) == [52569, 32569, 42569])
    #expect(log.take() == ["1-2", "2-5", "5-6", "6-9"])
    #expect(try await pages(sealing.options(steps)) == [52569, 32569, 42569])
    #expect(log.take() == [])
  }

  @Test(arguments: Sealing.allCases)
  func `steps that are not listed in the order of their versions are an error`(sealing: Sealing) async throws
  {
    try await writeBooks(sealing)
    for steps in [[step(2, 3), step(1, 2)], [step(1, 2), step(3, 4), step(2, 3)]] {
      let error = try await folder.fileError(Before.Book.self, options: sealing.options(steps))
      #expect(error.code == .invalidMigration && error.message.contains("append"), "\(error)")
    }
    #expect(log.take() == [])
  }

  @Test(arguments: Sealing.allCases)
  func `the version is kept through sessions that write, and later steps go on from there`(sealing: Sealing)
    async throws
  {
    try await writeBooks(sealing)
    var steps: [Migration] = []
    var expected: [Int?] = [5, 3, 4]
    for version in 2...5 {
      steps.append(step(version - 1, version))
      let file = try await StoreFile.open(
        at: folder.file, Before.Book.self, options: sealing.options(steps))
      #expect(log.take() == ["\(version - 1)-\(version)"])
      expected = expected.map { $0.map { $0 * 10 + version } }
      #expect(file.store.fetch(Before.Book.all).map(\.pages) == expected)
      try await file.write { tx in try tx.insert(Before.Book(id: version * 100, title: "n", pages: version)) }
      if version == 3 { try await file.compact() }
      if version == 4 { try await file.changeKey(to: sealing.key) }
      expected.append(version)
      try await file.close()
      #expect(try await pages(sealing.options(steps)) == expected)
      #expect(log.take() == [])
    }
    // Versions that were skipped lead to the same: the steps from each of them are there.
    let error = try await folder.fileError(
      Before.Book.self, options: sealing.options(Array(steps.dropLast())))
    #expect(error.code == .newerSchema, "\(error)")
  }

  @Test(arguments: Sealing.allCases)
  func `a new file begins at the newest version, and runs no step`(sealing: Sealing) async throws {
    let steps = [step(1, 2), step(2, 4)]
    try await writeBooks(sealing, steps)
    #expect(log.take() == [])
    #expect(try await pages(sealing.options(steps)) == [5, 3, 4])
    #expect(log.take() == [])
    let error = try await folder.fileError(Before.Book.self, options: sealing.options([step(1, 2)]))
    #expect(error.code == .newerSchema, "\(error)")
    #expect(try await pages(sealing.options(steps + [step(4, 5)])) == [55, 35, 45])
    #expect(log.take() == ["4-5"])
  }

  @Test(arguments: Sealing.allCases)
  func `the closure that seeds a new file at a later version is run, and its objects meet no step`(
    sealing: Sealing
  ) async throws {
    let options = sealing.options([step(1, 2)])
    for _ in 0..<2 {
      let file = try await StoreFile.open(at: folder.file, Before.Book.self, options: options) { tx in
        try tx.insert(Before.Book(id: 1, title: "seed", pages: 1))
      }
      #expect(Array(file.store.fetch(Before.Book.all)) == [Before.Book(id: 1, title: "seed", pages: 1)])
      try await file.close()
    }
    #expect(log.take() == [])
  }

  @Test(arguments: Sealing.allCases)
  func `a gap between the steps is an error that names both versions, and matters only before it`(
    sealing: Sealing
  ) async throws {
    try await writeBooks(sealing)
    for steps in [[step(1, 2), step(3, 4)], [step(2, 3)], [step(2, 3), step(3, 4)]] {
      let error = try await folder.fileError(Before.Book.self, options: sealing.options(steps))
      #expect(error.code == .migrationNeeded, "\(error)")
    }
    #expect(log.take() == [])
    let gap = try await folder.fileError(
      Before.Book.self, options: sealing.options([step(1, 2), step(3, 4)]))
    #expect(gap.message.contains("2"), "\(gap)")
    #expect(try await pages(sealing.options([step(1, 2), step(2, 3)])) == [523, 323, 423])
    #expect(try await pages(sealing.options([step(1, 2), step(3, 4)])) == [5234, 3234, 4234])
  }

  @Test(arguments: Sealing.allCases)
  func `two steps from one version are an error, even in a file that needs none of them, or a new one`(
    sealing: Sealing
  ) async throws {
    try await writeBooks(sealing)
    let lists = [
      [step(1, 2), step(1, 2)], [step(1, 3), step(1, 2), step(2, 3)], [step(1, 2), step(2, 3), step(2, 4)],
      [step(7, 8), step(7, 9)],
    ]
    for (index, list) in lists.enumerated() {
      let error = try await folder.fileError(Before.Book.self, options: sealing.options(list))
      #expect(error.code == .invalidMigration, "list \(index): \(error)")
    }
    #expect(log.take() == [])
    try StoreFile.remove(at: folder.file)
    let error = await #expect(throws: StoreFileError.self) {
      try await StoreFile.open(at: folder.file, Before.Book.self, options: sealing.options(lists[1]))
    }
    #expect(error?.code == .invalidMigration)
  }

  @Test(arguments: Sealing.allCases)
  func `steps that overlap serve files of several versions, unless they end before the newest`(
    sealing: Sealing
  ) async throws {
    try await writeBooks(sealing)
    let error = try await folder.fileError(
      Before.Book.self, options: sealing.options([step(1, 3), step(2, 4)]))
    #expect(error.code == .migrationNeeded && error.message.contains("3"), "\(error)")
    let both = [step(1, 3), step(2, 3), step(3, 4)]
    #expect(try await pages(sealing.options(both)) == [534, 334, 434])
    #expect(log.take() == ["1-3", "3-4"])
    try StoreFile.remove(at: folder.file)
    try await writeBooks(sealing, [step(1, 2)])
    #expect(try await pages(sealing.options(both)) == [534, 334, 434])
    #expect(log.take() == ["2-3", "3-4"])
  }

  /// Bug: versions above 2⁴⁰ were written, and then read as damage.
  @Test(arguments: Sealing.allCases, [20_261_129_130_822, Int.max])
  func `a version of the schema may be any whole number`(sealing: Sealing, version: Int) async throws {
    let options = sealing.options([Migration(from: 1, to: version) { _, _ in }])
    try await writeBooks(sealing)
    for _ in 0..<2 { #expect(try await pages(options).count == 3) }
    try StoreFile.remove(at: folder.file)
    for _ in 0..<2 {
      let file = try await StoreFile.open(at: folder.file, Before.Book.self, options: options)
      try await file.close()
    }
  }

  @Test(arguments: [(2, 1), (1, 1), (0, 1), (-1, 2)])
  func `a step that does not lead from a version to a later one is an error`(from: Int, to: Int) async throws
  {
    try await writeBooks(.plain)
    let error = try await folder.fileError(Before.Book.self, options: Sealing.plain.options([step(from, to)]))
    #expect(error.code == .invalidMigration, "\(error)")
  }

  @Test(arguments: Sealing.allCases)
  func `a file that is newer than the app is refused, also for reading only, with both versions named`(
    sealing: Sealing
  ) async throws {
    try await writeBooks(sealing, [step(1, 7)])
    for isReadOnly in [false, true] {
      for steps in [[], [step(1, 2)], [step(1, 2), step(2, 6)]] {
        let error = try await folder.fileError(
          Before.Book.self, options: sealing.options(steps, isReadOnly: isReadOnly))
        #expect(error.code == .newerSchema && error.message.contains("7"), "\(error)")
      }
    }
    #expect(try await pages(sealing.options([step(1, 7)], isReadOnly: true)) == [5, 3, 4])
  }

  @Test(arguments: Sealing.allCases)
  func `an older file is not migrated when it is opened for reading only`(sealing: Sealing) async throws {
    try await writeBooks(sealing)
    let error = try await folder.fileError(
      Before.Book.self, options: sealing.options([step(1, 2)], isReadOnly: true))
    #expect(error.code == .migrationNeeded, "\(error)")
    #expect(log.take() == [])
    #expect(try await pages(sealing.options(isReadOnly: true)) == [5, 3, 4])
  }

  @Test(arguments: Sealing.allCases)
  func `what a step throws ends the opening, undoes the steps before it, and they can be mended`(
    sealing: Sealing
  ) async throws {
    try await writeBooks(sealing)
    let bad = Migration(from: 2, to: 3) { old, tx in
      try tx.update("Book") { try $0.set("title", to: "lost") }
      try tx.renameProperty("title", of: "Book", to: "name")
      try tx.removeProperty("pages", of: "Book")
      try tx.delete("Book") { $0.number > 0 }
      try tx.insert("Shelf") { try $0.set("id", to: 1) }
      try tx.renameEntity("Book", to: "Novel")
      throw StepFailure(reason: "changed its mind")
    }
    for _ in 0..<2 {
      let error = try await folder.refusal(After.Book.self, options: sealing.options([step(1, 2), bad]))
      #expect(error as? StepFailure == StepFailure(reason: "changed its mind"), "\(error)")
      #expect(try await pages(sealing.options()) == [5, 3, 4])
    }
    let good = Migration(from: 2, to: 3) { _, tx in
      try tx.renameProperty("title", of: "Book", to: "name")
    }
    let expected = [5, 3, 4].map { After.Book(id: $0, name: "t\($0)", pages: $0 * 10 + 2) }
    for _ in 0..<2 {
      #expect(
        try await folder.all(After.Book.self, options: sealing.options([step(1, 2), good])) == expected)
    }
  }

  @Test(arguments: Sealing.allCases)
  func `several thousand objects keep their order, their links and what a step gave them`(sealing: Sealing)
    async throws
  {
    let count = 12_000
    try await folder.write(Before.Book.self, Before.Chapter.self, options: sealing.options()) { tx in
      for index in 0..<count {
        // Each id once, in an order that is not that of the ids.
        let id = (index * 7919) % count
        try tx.insert(Before.Book(id: id, title: "t\(id)", pages: index % 3 == 0 ? nil : index))
      }
      for id in 0..<count { try tx.insert(Before.Chapter(id: id, book: Ref((id * 31) % count))) }
    }
    let step = Migration(from: 1, to: 2) { old, tx in
      try require(old.count("Book") == count, "\(old.count("Book")) objects")
      try tx.renameProperty("title", of: "Book", to: "name")
      try tx.delete("Book") { try $0.value("id", as: Int.self) % 100 == 99 }
      try tx.delete("Chapter") { try $0.value("book", as: Int.self) % 100 == 99 }
      try tx.update("Book") { book in
        try book.set("name", to: "\(book.value("name", as: String.self)) \(book.number)")
      }
      try old.forEach("Book") { book in
        if try book.value("pages", as: Int?.self) == nil {
          try tx.insert("Book") { copy in
            try copy.set("id", to: book.value("id", as: Int.self) + count)
            try copy.set("name", to: book.value("title", as: String.self))
          }
        }
      }
    }
    let migrations = sealing.options([step])
    for _ in 0..<2 {
      try await folder.read(After.Book.self, After.Chapter.self, options: migrations) { snapshot in
        let books = Array(snapshot.fetch(After.Book.all))
        let ids = (0..<count).map { ($0 * 7919) % count }
        let kept = ids.filter { $0 % 100 != 99 }
        let copied = stride(from: 0, to: count, by: 3).map { ids[$0] + count }
        try require(books.map(\.id) == kept + copied, "the order of the objects is another one")
        let first = try #require(books.first)
        try require(first.name.hasPrefix("t\(first.id) "), "\(first)")
        try require(books.prefix(kept.count).allSatisfy { $0.name.hasPrefix("t\($0.id) ") }, "some name")
        try require(books.dropFirst(kept.count).allSatisfy { $0.name == "t\($0.id - count)" }, "some copy")
        let chapters = (0..<count).filter { ($0 * 31) % count % 100 != 99 }
        try require(snapshot.fetch(After.Chapter.all).map(\.id) == chapters, "other chapters")
        for chapter in chapters.prefix(50) {
          let link = Ref<After.Book>((chapter * 31) % count)
          try require(snapshot[After.Chapter.self, chapter]?.book == link, "another link of \(chapter)")
        }
      }
    }
  }
}
