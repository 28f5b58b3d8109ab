import CSQLite
import GRDB

/// The pages in which SQLite has the list of tables, which are never given up: what they had before may stand between what
/// they have. (Of all other tables, a change of the key makes new ones.)
enum SchemaPages {
  /// More than any file has that this library made.
  private static let most = 1_000

  /// Whether the parts of these pages that are not used have any text; also if that cannot be told.
  ///
  /// The file must have no log.
  static func haveRemains(_ db: Database) throws -> Bool {
    let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
    var (pages, seen): ([Int], Set<Int>) = ([1], [])
    var bytes = [UInt8](repeating: 0, count: size)
    while let page = pages.popLast() {
      let offset = Int64(page - 1) * Int64(size)
      guard page > 0, seen.insert(page).inserted, seen.count <= most,
        csqlite_read(db.sqliteConnection, &bytes, CInt(size), offset) == SQLITE_OK,
        let children = SchemaPage(bytes, begin: page == 1 ? 100 : 0).cleanChildren
      else { return true }
      pages += children
    }
    return false
  }
}

/// A page of a table's tree: a header, the places of its cells, free room, and cells with free blocks between them.
private struct SchemaPage {
  private let bytes: [UInt8]
  /// Where its header begins.
  private let begin: Int

  init(_ bytes: [UInt8], begin: Int) { (self.bytes, self.begin) = (bytes, begin) }

  private func number(_ place: Int, bytes count: Int = 2) -> Int? {
    guard place >= 0, place + count <= bytes.count else { return nil }
    return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Whether two bytes of text stand nowhere side by side. There may be places of cells that are gone, in two bytes of which
  /// the first is small.
  private func isWithoutText(_ places: Range<Int>) -> Bool {
    guard places.lowerBound >= 0, places.upperBound <= bytes.count else { return false }
    let bytes = bytes[places]
    return zip(bytes, bytes.dropFirst()).allSatisfy { $0 < 0x20 || $1 < 0x20 }
  }

  /// The pages below; nil if the page is none of a table, or its free room has text in it.
  ///
  /// Between cells, up to three bytes may be free without being a block. They are not looked at.
  var cleanChildren: [Int]? {
    let isLeaf = number(begin, bytes: 1) == 13
    guard isLeaf || number(begin, bytes: 1) == 5, let count = number(begin + 3),
      let content = number(begin + 5)
    else { return nil }
    let cells = begin + (isLeaf ? 8 : 12)
    let free = cells + 2 * count
    let end = content == 0 ? 1 << 16 : content
    guard free <= end, isWithoutText(free..<end), var block = number(begin + 1) else { return nil }
    while block != 0 {
      guard let next = number(block), let length = number(block + 2), next == 0 || next > block,
        length >= 4, isWithoutText(block + 4..<block + length)
      else { return nil }
      block = next
    }
    if isLeaf { return [] }
    var children = [number(begin + 8, bytes: 4)]
    for index in 0..<count {
      children.append(number(cells + 2 * index).flatMap { number($0, bytes: 4) })
    }
    return children.contains(nil) ? nil : children.compactMap { $0 }
  }
}
