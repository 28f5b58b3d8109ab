import Crypto
import Foundation
import LiveStore
import LiveStoreSQLite
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Encrypted files` {
  private let folder: Folder
  private let key = SymmetricKey(size: .bits256)

  init() throws { folder = try Folder() }

  private func open(_ key: SymmetricKey?) async throws -> StoreFile {
    try await StoreFile.open(at: folder.file, Note.self, Author.self, options: .init(key: key))
  }

  @Test func `an encrypted file has the objects and shows nothing of them`() async throws {
    let notes = [Note(3, "a secret title"), Note(1, "another secret title")]
    var file = try await open(key)
    try await file.write { tx in try tx.insert(contentsOf: notes) }
    try await file.write { tx in try tx.update(Note.self, 3) { $0.stars = 7 } }
    let expected = Array(file.store.fetch(Note.all))
    try await file.close()
    let bytes = try Data(contentsOf: folder.file)
    for text in ["secret", "title", "stars", "Köln"] { #expect(bytes.range(of: Data(text.utf8)) == nil) }
    file = try await open(key)
    #expect(Array(file.store.fetch(Note.all)) == expected)
    try await file.close()
    let reopened = try Data(contentsOf: folder.file)
    for wrong in [SymmetricKey(size: .bits256), nil] {
      let error = await #expect(throws: StoreFileError.self) { try await open(wrong) }
      #expect(error?.code == .wrongKey)
    }
    #expect(try Data(contentsOf: folder.file) == reopened)
  }

  @Test func `the key of a file can be changed while it is written, and taken away`() async throws {
    var expected: [Note] = []
    let keys = [key, SymmetricKey(size: .bits128), nil, key, nil]
    try await open(nil).close()
    var current: SymmetricKey?
    for (round, next) in keys.enumerated() {
      let file = try await open(current)
      #expect(Array(file.store.fetch(Note.all)) == expected)
      try await file.write { tx in try tx.insert(Note(round * 2, "secret \(round)")) }
      try await file.changeKey(to: next)
      try await file.write { tx in
        try tx.insert(Note(round * 2 + 1))
        try tx.update(Note.self, 0) { $0.title += " again" }
      }
      expected = Array(file.store.fetch(Note.all))
      try await file.close()
      let isVisible = try Data(contentsOf: folder.file).range(of: Data("secret".utf8)) != nil
      #expect(isVisible == (next == nil))
      current = next
    }
    let file = try await open(nil)
    #expect(Array(file.store.fetch(Note.all)) == expected)
  }
}
