import Foundation
import GRDB
import LiveStore

/// An entity that is stored in a file, and a record of GRDB: by the same `Codable`, in the same columns.
protocol FileItem: Entity, Codable, FetchableRecord, PersistableRecord where ID == UUID {
  static var columnList: String { get }
  /// Half of the rows, sorted.
  static var half: Query<Self> { get }
  /// A read of the columns by position, as is written by hand where decoding is too slow.
  init(columns row: GRDB.Row)

  init(_ number: Int)
  var score: Int { get set }
}

/// Columns of six kinds.
struct MixedItem: FileItem, Equatable {
  let id: UUID
  var name: String
  var score: Int
  var price: Double
  var date: Date
  var isOpen: Bool?

  static let schema = Schema<MixedItem> {
    \.name
    \.score
    \.price
    \.date
    \.isOpen
  }

  static let columnList = "id, name, score, price, date, isOpen"
  static let half = MixedItem.where { $0.score < 500_000 }.sorted(by: \.score)

  init(_ number: Int) {
    let value = scattered(number)
    id = UniversalItem.id(number)
    name = "row \(value)"
    score = value
    price = Double(value) / 100
    date = Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(value) + Double(number % 1_000) / 1_000)
    isOpen = value % 3 == 0 ? nil : value % 2 == 0
  }

  init(columns row: GRDB.Row) {
    id = row[0]
    name = row[1]
    score = row[2]
    price = row[3]
    date = row[4]
    isOpen = row[5]
  }
}

/// An id and a number.
struct NarrowItem: FileItem, Equatable {
  let id: UUID
  var score: Int

  static let schema = Schema<NarrowItem> { \.score }

  static let columnList = "id, score"
  static let half = NarrowItem.where { $0.score < 500_000 }.sorted(by: \.score)

  init(_ number: Int) {
    id = UniversalItem.id(number)
    score = scattered(number)
  }

  init(columns row: GRDB.Row) {
    id = row[0]
    score = row[1]
  }
}
