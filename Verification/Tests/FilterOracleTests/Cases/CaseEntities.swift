import Foundation
import LiveStore

/// The indexes of the entities of the filter cases.
protocol CaseMode: Sendable {
  static var itemSchema: Schema<CaseItem<Self>> { get }
  static var ownerSchema: Schema<CaseOwner<Self>> { get }
}

enum CaseKind: String, Sendable, CaseIterable { case draft, published, archived }

enum CaseLevel: Int, Sendable, CaseIterable {
  case low = 1
  case middle = 2
  case high = 10
}

enum CaseShade: Sendable, CaseIterable { case red, green, blue }

/// One property of every type. The values are the same under every mode.
struct CaseItem<Mode: CaseMode>: Entity {
  let id: Int
  var flag = false
  var maybeFlag: Bool?
  var int = 0
  var maybeInt: Int?
  var small: Int8 = 0
  var big: UInt64 = 0
  var real = 0.0
  var maybeReal: Double?
  var float: Float = 0
  var decimal = Decimal(0)
  var maybeDecimal: Decimal?
  var text = ""
  var maybeText: String?
  var data = Data()
  var maybeData: Data?
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var maybeDate: Date?
  var uuid = CasePools.uuids[0]
  var maybeUUID: UUID?
  var url = CasePools.urls[0]
  var maybeURL: URL?
  var kind = CaseKind.draft
  var maybeKind: CaseKind?
  var level = CaseLevel.low
  var shade = CaseShade.red
  var code: String?
  var numbers: [Int] = []
  var words: [String] = []
  var marks: Set<String> = []
  var metadata: [String: Int] = [:]
  var owner: Ref<CaseOwner<Mode>>?
  var friends = RefList<CaseOwner<Mode>>()

  static var schema: Schema<CaseItem> { Mode.itemSchema }
}

/// What the items link to.
struct CaseOwner<Mode: CaseMode>: Entity {
  let id: String
  var name = ""
  var age: Int?
  var score = 0.0
  var boss: Ref<CaseOwner<Mode>>?

  static var schema: Schema<CaseOwner> { Mode.ownerSchema }
}

/// Everything is scanned.
enum NoCaseIndexes: CaseMode {
  static let itemSchema = Schema<CaseItem<NoCaseIndexes>> {
    \.flag
    \.maybeFlag
    \.int
    \.maybeInt
    \.small
    \.big
    \.real
    \.maybeReal
    \.float
    \.decimal
    \.maybeDecimal
    \.text
    \.maybeText
    \.data
    \.maybeData
    \.date
    \.maybeDate
    \.uuid
    \.maybeUUID
    \.url
    \.maybeURL
    \.kind
    \.maybeKind
    \.level
    \.shade
    \.code
    \.numbers
    \.words
    \.marks
    \.metadata
    Relation(\.owner)
    Relation(\.friends)
  }
  static let ownerSchema = Schema<CaseOwner<NoCaseIndexes>> {
    \.name
    \.age
    \.score
    Relation(\.boss)
    Inverse("items", of: \CaseItem<NoCaseIndexes>.owner)
    Inverse("fans", of: \CaseItem<NoCaseIndexes>.friends)
  }
}

/// Every value has an index, and the elements of collections have one too.
enum AllCaseIndexes: CaseMode {
  static let itemSchema = Schema<CaseItem<AllCaseIndexes>> {
    Property(\.flag, .indexed)
    Property(\.maybeFlag, .indexed)
    Property(\.int, .indexed)
    Property(\.maybeInt, .indexed)
    Property(\.small, .indexed)
    Property(\.big, .indexed)
    Property(\.real, .indexed)
    Property(\.maybeReal, .indexed)
    Property(\.float, .indexed)
    Property(\.decimal, .indexed)
    Property(\.maybeDecimal, .indexed)
    Property(\.text, .indexed)
    Property(\.maybeText, .indexed)
    Property(\.data, .indexed)
    Property(\.maybeData, .indexed)
    Property(\.date, .indexed)
    Property(\.maybeDate, .indexed)
    Property(\.uuid, .indexed)
    Property(\.maybeUUID, .indexed)
    Property(\.url, .indexed)
    Property(\.maybeURL, .indexed)
    Property(\.kind, .indexed)
    Property(\.maybeKind, .indexed)
    Property(\.level, .indexed)
    Property(\.shade, .indexed)
    Property(\.code, .unique)
    Property(\.numbers, .indexed, .indexedElements)
    Property(\.words, .indexedElements)
    Property(\.marks, .indexedElements)
    \.metadata
    Relation(\.owner)
    Relation(\.friends)
    Property(\.kind, \.int, .indexed)
    Property(\.owner, \.date, .indexed)
    Property(\.maybeReal, \.maybeText, \.int, .indexed)
  }
  static let ownerSchema = Schema<CaseOwner<AllCaseIndexes>> {
    Property(\.name, .indexed)
    Property(\.age, .indexed)
    Property(\.score, .indexed)
    Relation(\.boss)
    Inverse("items", of: \CaseItem<AllCaseIndexes>.owner)
    Inverse("fans", of: \CaseItem<AllCaseIndexes>.friends)
  }
}

/// Some properties have an index, so that conjunctions are part index and part filter.
enum SomeCaseIndexes: CaseMode {
  static let itemSchema = Schema<CaseItem<SomeCaseIndexes>> {
    \.flag
    \.maybeFlag
    Property(\.int, .indexed)
    \.maybeInt
    \.small
    Property(\.big, .indexed)
    \.real
    Property(\.maybeReal, .indexed)
    \.float
    Property(\.decimal, .indexed)
    \.maybeDecimal
    \.text
    Property(\.maybeText, .indexed)
    \.data
    \.maybeData
    Property(\.date, .indexed)
    \.maybeDate
    \.uuid
    \.maybeUUID
    \.url
    \.maybeURL
    Property(\.kind, .indexed)
    \.maybeKind
    \.level
    \.shade
    Property(\.code, .indexed)
    Property(\.numbers, .indexedElements)
    \.words
    \.marks
    \.metadata
    Relation(\.owner)
    Relation(\.friends)
    Property(\.flag, \.text, .indexed)
    Property(\.shade, \.level, \.int, .indexed)
  }
  static let ownerSchema = Schema<CaseOwner<SomeCaseIndexes>> {
    \.name
    Property(\.age, .indexed)
    \.score
    Relation(\.boss)
    Inverse("items", of: \CaseItem<SomeCaseIndexes>.owner)
    Inverse("fans", of: \CaseItem<SomeCaseIndexes>.friends)
  }
}
