import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

private enum Before {
  struct Guest: Entity, Codable, Equatable {
    let id: Int
    var email: String
    var host: Int?
    static let schema = Schema<Guest> {
      \.email
      \.host
    }
  }
}

/// The entity with an index, and with a property that has become a link.
private enum Indexed {
  struct Guest: Entity, Codable, Equatable {
    let id: Int
    var email: String
    var host: Ref<Guest>?
    static let schema = Schema<Guest> {
      Property(\.email, .indexed)
      Relation(\.host)
    }
  }
}

private enum Unique {
  struct Guest: Entity, Codable, Equatable {
    let id: Int
    var email: String
    var host: Int?
    static let schema = Schema<Guest> {
      Property(\.email, .unique)
      \.host
    }
  }
}

/// The entity with a unique property that is new.
private enum Coded {
  struct Guest: Entity, Codable, Equatable {
    let id: Int
    var email: String
    var code: Int
    static let schema = Schema<Guest> {
      \.email
      Property(\.code, .unique)
    }
  }
}

/// The entity with ids of another type.
private enum Named {
  struct Guest: Entity, Codable, Equatable {
    let id: String
    var email: String
    static let schema = Schema<Guest> { \.email }
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Rules that are new` {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func write(_ emails: [String], _ sealing: Sealing) async throws {
    try await folder.write(Before.Guest.self, options: sealing.options()) { tx in
      for (index, email) in emails.enumerated() {
        try tx.insert(Before.Guest(id: index + 10, email: email, host: index == 0 ? nil : 10))
      }
    }
  }

  @Test(arguments: Sealing.allCases)
  func `an index that is new serves the objects from before, and an integer can become a link`(
    sealing: Sealing
  ) async throws {
    try await write(["b@x", "a@x", "b@x"], sealing)
    try await folder.read(Indexed.Guest.self, options: sealing.options()) { snapshot in
      #expect(snapshot.fetch(Indexed.Guest.where { $0.email == "b@x" }).map(\.id) == [10, 12])
      #expect(snapshot.fetch(Indexed.Guest.where { $0.host.email == "b@x" }).map(\.id) == [11, 12])
    }
  }

  @Test(arguments: Sealing.allCases)
  func `a unique property that is new is one from then on`(sealing: Sealing) async throws {
    try await write(["b@x", "a@x"], sealing)
    let file = try await StoreFile.open(at: folder.file, Unique.Guest.self, options: sealing.options())
    await #expect(throws: StoreError.self) {
      try await file.write { tx in try tx.insert(Unique.Guest(id: 1, email: "a@x")) }
    }
    try await file.write { tx in try tx.insert(Unique.Guest(id: 2, email: "c@x")) }
    try await file.close()
    #expect(try await folder.all(Unique.Guest.self, options: sealing.options()).map(\.id) == [10, 11, 2])
  }

  @Test(arguments: Sealing.allCases)
  func `two objects with one value of a unique property that is new are named, and the file is as before`(
    sealing: Sealing
  ) async throws {
    try await write(["b@x", "a@x", "b@x"], sealing)
    let error = try await folder.storeError(Unique.Guest.self, options: sealing.options())
    #expect(error.code == StoreError.uniqueViolation && error.entity == "Guest", "\(error)")
    #expect(["10", "12"].contains(error.id) && error.property == "email", "\(error)")
    #expect(error.value?.contains("b@x") == true, "\(error)")
    #expect(
      try await folder.all(Before.Guest.self, options: sealing.options()).map(\.email) == [
        "b@x", "a@x", "b@x",
      ])
  }

  @Test(arguments: Sealing.allCases)
  func `one default for several objects breaks the rule of a unique property, and a step can mend it`(
    sealing: Sealing
  ) async throws {
    try await write(["b@x", "a@x"], sealing)
    let added = Migration.added("code", to: Coded.Guest.self, default: 0)
    let error = try await folder.storeError(Coded.Guest.self, options: sealing.options([added]))
    #expect(error.code == StoreError.uniqueViolation && error.property == "code", "\(error)")
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.update("Guest") { guest in try guest.set("code", to: guest.value("id", as: Int.self) * 2) }
    }
    let guests = try await folder.all(Coded.Guest.self, options: sealing.options([added, step]))
    #expect(guests.map(\.code) == [20, 22])
  }

  @Test(arguments: Sealing.allCases)
  func `what a step leaves is judged as a whole, and a rule that it breaks leaves the file as before`(
    sealing: Sealing
  ) async throws {
    try await write(["b@x", "a@x"], sealing)
    let same = Migration(from: 1, to: 2) { _, tx in
      try tx.update("Guest") { try $0.set("email", to: "same") }
    }
    let unique = try await folder.storeError(Unique.Guest.self, options: sealing.options([same]))
    #expect(unique.code == StoreError.uniqueViolation && unique.value?.contains("same") == true, "\(unique)")
    let lost = Migration(from: 1, to: 2) { _, tx in
      try tx.delete("Guest") { try $0.value("id") == 10 }
    }
    let link = try await folder.storeError(Indexed.Guest.self, options: sealing.options([lost]))
    #expect(link.code == StoreError.missingLinkTarget && link.entity == "Guest", "\(link)")
    #expect(link.id == "11" && link.property == "host" && link.value == "10", "\(link)")
    let twice = Migration(from: 1, to: 2) { _, tx in
      try tx.insert("Guest") { guest in
        try guest.set("id", to: 11)
        try guest.set("email", to: "c@x")
      }
    }
    let duplicate = try await folder.refusal(Before.Guest.self, options: sealing.options([twice]))
    #expect("\(duplicate)".contains("11") && "\(duplicate)".contains("Guest"), "\(duplicate)")
    // What is wrong in the middle is no matter.
    let through = Migration(from: 2, to: 3) { _, tx in
      try tx.update("Guest") { try $0.set("email", to: "\($0.value("id", as: Int.self))@x") }
    }
    let guests = try await folder.all(Unique.Guest.self, options: sealing.options([same, through]))
    #expect(guests.map(\.email) == ["10@x", "11@x"])
  }

  @Test(arguments: Sealing.allCases)
  func `ids can be of another type after a step, and objects are found by them`(sealing: Sealing) async throws
  {
    try await write(["b@x", "a@x"], sealing)
    let step = Migration(from: 1, to: 2) { _, tx in
      try tx.update("Guest") { try $0.set("id", to: "g\($0.value("id", as: Int.self))") }
    }
    try await folder.write(Named.Guest.self, options: sealing.options([step])) { tx in
      try tx.update(Named.Guest.self, "g11") { $0.email = "new" }
      try tx.delete(Named.Guest.self, "g10")
      try tx.insert(Named.Guest(id: "g10", email: "again"))
    }
    let expected = [Named.Guest(id: "g11", email: "new"), Named.Guest(id: "g10", email: "again")]
    #expect(try await folder.all(Named.Guest.self, options: sealing.options([step])) == expected)
  }
}
