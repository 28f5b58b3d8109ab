import Foundation
import LiveStore
import TestSupport
import Testing
import livestore_watch

/// The files of a folder of the corpus. The name of each says what it shows, and first whether it is accepted.
struct Corpus: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]

  var testDescription: String { name }
  var isAccepted: Bool { name.hasPrefix("accept-") }

  static func files(_ folder: String) -> [Corpus] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Corpus/\(folder)"
    ).path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.sorted().compactMap { name in
      FileManager.default.contents(atPath: "\(path)/\(name)").map { Corpus(name: name, bytes: Array($0)) }
    }
  }
}

@Suite struct `The corpus` {
  @Test func `the corpus has inputs of every kind`() {
    for folder in ["JSON", "Lines", "Filters"] { #expect(Corpus.files(folder).count >= 15, "\(folder)") }
  }

  @Test(arguments: Corpus.files("JSON"))
  func `JSON texts of the corpus are read or refused as their names say`(file: Corpus) throws {
    let answer = try JSONLaw.check(file.bytes)
    #expect(((try? answer.get()) != nil) == file.isAccepted, "\(answer)")
    try FoundationLaw.check(file.bytes, answer)
  }

  @Test(arguments: Corpus.files("Filters"))
  func `filters of the corpus are read or refused as their names say`(file: Corpus) async throws {
    let store = try Store(Document.self)
    try await store.write { tx in try tx.upsert(contentsOf: FilterDocuments.all) }
    let answer = try FilterLaw.check(String(decoding: file.bytes, as: UTF8.self), store.snapshot())
    #expect(((try? answer.get()) != nil) == file.isAccepted, "\(answer)")
  }

  @Test(arguments: Corpus.files("Lines"))
  func `lines of the corpus are read or refused as their names say`(file: Corpus) throws {
    let key = KeyPathText(steps: ["id"])
    let plain = PlainReading(file.bytes, key: key)
    #expect(plain.badLines.isEmpty == file.isAccepted, "\(plain.badLines)")
    for size in 1...file.bytes.count {
      var reader = DocumentReader(file: "-", rules: InputRules(key: ObjectKey([key])))
      var (documents, badLines): ([Document], [String]) = ([], [])
      for start in stride(from: 0, to: file.bytes.count, by: size) {
        file.bytes[start..<min(start + size, file.bytes.count)].withUnsafeBytes { chunk in
          reader.read(chunk, into: &documents) { line in
            badLines.append(line.description)
            return true
          }
        }
      }
      reader.read(nil, into: &documents) { line in
        badLines.append(line.description)
        return true
      }
      #expect(documents == plain.documents && badLines == plain.badLines, "in chunks of \(size)")
    }
    for line in plain.badLines { try Fuzzing.requireLine(line) }
  }
}
