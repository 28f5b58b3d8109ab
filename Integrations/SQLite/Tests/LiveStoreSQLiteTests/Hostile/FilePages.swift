import Foundation
import GRDB
import SQLiteTestSupport

/// The pages of a database, as bytes.
struct FilePages {
  private(set) var bytes: [UInt8]
  private let size: Int
  /// The first page of each table, counted from 1.
  private let roots: [String: Int]

  init(_ url: URL) throws {
    let queue = try DatabaseQueue(path: url.path)
    roots = try queue.read { db in
      let rows = try Row.fetchAll(db, sql: "SELECT name, rootpage FROM sqlite_master WHERE type = 'table'")
      return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as String, $0[1] as Int) })
    }
    try queue.close()
    bytes = [UInt8](try Data(contentsOf: url))
    size = Int(bytes[16]) << 8 | Int(bytes[17])
  }

  private func number(_ place: Int, _ count: Int) -> Int {
    bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The pages that have the rows of a table, in order, counted from 1.
  func leaves(of table: String) throws -> [Int] {
    guard let root = roots[table] else { throw Mismatch("there is no table \(table)") }
    return leaves(below: root)
  }

  private func leaves(below page: Int) -> [Int] {
    let start = (page - 1) * size
    guard bytes[start] == 5 else { return [page] }
    let cells = (0..<number(start + 3, 2)).map { start + number(start + 12 + 2 * $0, 2) }
    return (cells.map { number($0, 4) } + [number(start + 8, 4)]).flatMap { leaves(below: $0) }
  }

  /// Puts what a page has in the place of another.
  mutating func copy(_ page: Int, to other: Int) {
    for offset in 0..<size { bytes[(other - 1) * size + offset] = bytes[(page - 1) * size + offset] }
  }

  mutating func swap(_ page: Int, _ other: Int) {
    for offset in 0..<size { bytes.swapAt((page - 1) * size + offset, (other - 1) * size + offset) }
  }

  /// Changes the only place that has a text; it keeps its length.
  mutating func replace(_ text: String, with other: String) throws {
    let (old, new) = (Array(text.utf8), Array(other.utf8))
    let places = bytes.indices.dropLast(old.count - 1).filter {
      bytes[$0..<$0 + old.count].elementsEqual(old)
    }
    try require(places.count == 1 && old.count == new.count, "\(text) is there \(places.count) times")
    bytes.replaceSubrange(places[0]..<places[0] + old.count, with: new)
  }
}
