import Foundation
import LiveStore

private struct Searched: Entity {
  let id: Int
  var body: String
  static let schema = Schema<Searched> { Property(\.body, .searchable) }
}

private struct Scanned: Entity {
  let id: Int
  var body: String
  static let schema = Schema<Scanned> { \.body }
}

extension Figures {
  /// Texts of 50 words: loading and editing them with an index of their words and without, and searching them.
  static func search(_ count: Int) async throws {
    for (name, letters) in [
      ("Latin", Array("etaoinshrdlucmfwypvbgkjqxz")),
      ("Cyrillic", Array("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё")),
    ] {
      let texts = texts(count, letters)
      print(
        "\(count) texts of 50 words in \(name) letters, \(texts.reduce(0) { $0 + $1.utf8.count } / count) bytes each"
      )
      var before = residentBytes()
      let (scanned, plain) = try loaded(texts) { Scanned(id: $0, body: $1) }
      let bare = residentBytes() - before
      before = residentBytes()
      let (searched, indexed) = try loaded(texts) { Searched(id: $0, body: $1) }
      let more = max(0, residentBytes() - before - bare) / count
      print(
        "  load: \(format(indexed)) s with the index, \(format(plain)) s without, \(more) bytes a text more")
      let (first, second) = (searched.snapshot(), scanned.snapshot())
      for rank in [1, 100, 10_000] {
        for word in [
          word(rank, letters), word(rank, letters) + "*", "\(word(rank, letters)) \(word(2 * rank, letters))",
        ] {
          let (found, other) = (
            Searched.where { $0.body.search(word) }, Scanned.where { $0.body.search(word) }
          )
          precondition(first.count(found) == second.count(other))
          let (fast, slow) = (seconds { _ = first.fetch(found) }, seconds(1) { _ = second.fetch(other) })
          print(
            "  \(word): \(first.count(found)) found in \(format(fast * 1e6, 0)) µs, by a scan in \(format(slow * 1e3, 0)) ms: \(format(slow / fast, 0)) times"
          )
        }
      }
      let contains = seconds(1) {
        _ = second.count(
          Scanned.where { $0.body.contains("qqq", options: [.caseInsensitive, .diacriticInsensitive]) })
      }
      print("  contains[cd] by a scan: \(format(contains * 1e3, 0)) ms")
      func commits(_ store: Store, _ edit: (borrowing WriteTransaction, Int) throws -> Void) throws -> String
      {
        var held: Snapshot?
        var id = 0
        let time = try seconds {
          for _ in 0..<1_000 {
            held = store.snapshot()
            id = (id &+ 7_919) % count
            try store.write { tx in try edit(tx, id) }
          }
        }
        withExtendedLifetime(held) {}
        return format(time * 1e3, 1)
      }
      print(
        "  a commit, one word replaced: \(try commits(searched) { tx, id in try tx.update(Searched.self, id) { replaceWord(&$0.body) } }) µs with the index, \(try commits(scanned) { tx, id in try tx.update(Scanned.self, id) { replaceWord(&$0.body) } }) µs without"
      )
      print(
        "  a commit, all 50 words replaced: \(try commits(searched) { tx, id in try tx.update(Searched.self, id) { $0.body = texts[(id + 1) % count] + " \(id)" } }) µs with the index, \(try commits(scanned) { tx, id in try tx.update(Scanned.self, id) { $0.body = texts[(id + 1) % count] + " \(id)" } }) µs without"
      )
    }
  }

  private static func loaded<Element: Entity>(
    _ texts: [String], _ make: (Int, String) -> Element
  ) throws -> (Store, Double) {
    let rows = texts.enumerated().map { make($0, $1) }
    let store = try Store(Element.self)
    return (store, try seconds(1) { try store.write { tx in try tx.insert(contentsOf: rows) } })
  }

  private static func replaceWord(_ text: inout String) {
    let end = text.lastIndex(of: " ") ?? text.startIndex
    text.replaceSubrange(end..., with: " w\(text.utf8.count)\(text.hashValue & 0xFFFF)")
  }

  /// A word by its rank among 50,000: three to ten letters.
  private static func word(_ rank: Int, _ letters: [Character]) -> String {
    var random = SplitMix64(state: UInt64(rank))
    return String(
      (0..<Int.random(in: 3...10, using: &random)).map { _ in letters.randomElement(using: &random) ?? "e" })
  }

  /// Texts in which a word's frequency is inverse to its rank, as in language.
  private static func texts(_ count: Int, _ letters: [Character]) -> [String] {
    var random = SplitMix64(state: 1)
    let words = (0..<50_000).map { word($0, letters) }
    return (0..<count).map { _ in
      (0..<50).map { _ in words[Int(pow(50_000, Double.random(in: 0..<1, using: &random)))] }.joined(
        separator: " ")
    }
  }
}
