import Foundation
import LiveStore

/// The entities of random histories: a property of each kind that a column may have.
///
/// Two objects are equal if their canonical text is, so that NaN equals itself.
enum World {
  enum Mood: String, Codable, Sendable, CaseIterable {
    case calm, keen
    case odd = "quite odd"
  }

  struct Meta: Codable, Equatable, Sendable {
    var name: String
    var level: Int
    var tags: [String]
    var at: Date?
  }

  struct Account: SampleEntity {
    let id: UUID
    var name: String
    var email: String?
    var balance: Decimal
    var isActive: Bool
    var mood: Mood
    var joinedAt: Date?

    static let schema = Schema<Account> {
      Property(\.name, .indexed)
      \.email
      \.balance
      \.isActive
      \.mood
      \.joinedAt
    }
    static let columns = [
      SampleColumn("id", .uuid, "uuid"), SampleColumn("name", .text, "text", "varchar", "name_text"),
      SampleColumn("email", .text, optional: true, "text", "varchar(100)"),
      SampleColumn("balance", .decimal, "numeric", "numeric(40,12)"), SampleColumn("isActive", .bool, "bool"),
      SampleColumn("mood", .mood, "mood", "text", "mood_domain"),
      SampleColumn("joinedAt", .date, optional: true, "timestamptz", "timestamp", "timestamptz(3)"),
    ]
    var key: String { Canonical.text(id) }
    var fields: [String?] {
      [
        key, name, email, Canonical.text(balance), "\(isActive)", mood.rawValue, joinedAt.map(Canonical.text),
      ]
    }
  }

  struct Label: SampleEntity {
    let id: String
    var weight: Int32?
    var aliases: [String]
    var note: String?
    var mood: Mood?

    static let schema = Schema<Label> {
      \.weight
      \.aliases
      \.note
      \.mood
    }
    static let columns = [
      SampleColumn("id", .labelID, "text", "varchar(40)"),
      SampleColumn(
        "weight", .integer(Int(Int32.min)...Int(Int32.max)), optional: true, "int4", "int8", "numeric"),
      SampleColumn("aliases", .texts, "text[]", "varchar[]"),
      SampleColumn("note", .bigText, optional: true, "text"),
      SampleColumn("mood", .mood, optional: true, "mood", "varchar"),
    ]
    var key: String { id }
    var fields: [String?] {
      [id, weight.map { "\($0)" }, Canonical.list(aliases), note, mood?.rawValue]
    }
  }

  struct Article: SampleEntity {
    let id: Int
    var title: String
    var body: String
    var likeCount: Int
    var rating: Double?
    var author: Ref<Account>?
    var tags: RefList<Label>
    var meta: Meta?

    static let schema = Schema<Article> {
      \.title
      \.body
      Property(\.likeCount, .indexed)
      \.rating
      Relation(\.author)
      Relation(\.tags)
      \.meta
    }
    static let columns = [
      SampleColumn("id", .smallID, "int8", "int4", "int2"), SampleColumn("title", .text, "text", "varchar"),
      SampleColumn("body", .bigText, "text"),
      SampleColumn("likeCount", .integer(-3...9), "int4", "int8", "int2"),
      SampleColumn("rating", .double, optional: true, "float8"),
      SampleColumn("author", .uuid, optional: true, "uuid"), SampleColumn("tags", .labelIDs, "text[]"),
      SampleColumn("meta", .meta, optional: true, "json", "jsonb"),
    ]
    var key: String { "\(id)" }
    var fields: [String?] {
      [
        key, title, body, "\(likeCount)", rating.map(Canonical.text), author.map { Canonical.text($0.id) },
        Canonical.list(tags.map(\.id)), meta.map(Canonical.text),
      ]
    }
  }

  struct Event: SampleEntity {
    let id: Int
    var payload: Data
    var numbers: [Int]
    var flags: [Bool?]
    var price: Decimal?
    var day: Date

    static let schema = Schema<Event> {
      \.payload
      \.numbers
      \.flags
      \.price
      \.day
    }
    static let columns = [
      SampleColumn("id", .smallID, "int8", "numeric(20)"), SampleColumn("payload", .data, "bytea"),
      SampleColumn("numbers", .integers, "int4[]", "int8[]", "int2[]"),
      SampleColumn("flags", .bools, "bool[]"),
      SampleColumn("price", .decimal, optional: true, "numeric", "numeric(36,10)"),
      SampleColumn("day", .day, "date", "timestamptz"),
    ]
    var key: String { "\(id)" }
    var fields: [String?] {
      [
        key, payload.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined(),
        Canonical.list(numbers.map { "\($0)" }), Canonical.list(flags.map { $0.map { $0 ? "t" : "f" } }),
        price.map(Canonical.text), Canonical.text(day),
      ]
    }
  }

  struct Item: SampleEntity {
    let id: Int32
    var label: Ref<Label>?
    var owners: RefSet<Account>
    var ratio: Float
    var small: Int16
    var size: UInt64
    var text: String

    static let schema = Schema<Item> {
      Relation(\.label)
      Relation(\.owners)
      \.ratio
      \.small
      \.size
      \.text
    }
    static let columns = [
      SampleColumn("id", .smallID, "int4", "int8"),
      SampleColumn("label", .labelID, optional: true, "text"), SampleColumn("owners", .uuids, "uuid[]"),
      SampleColumn("ratio", .float, "float4"),
      SampleColumn("small", .integer(Int(Int16.min)...Int(Int16.max)), "int2", "int4"),
      SampleColumn("size", .integer(0...Int.max), "int8", "numeric"), SampleColumn("text", .text, "text"),
    ]
    var key: String { "\(id)" }
    var fields: [String?] {
      [
        key, label?.id, owners.map { Canonical.text($0.id) }.sorted().joined(separator: ","),
        Canonical.text(ratio), "\(small)", "\(size)", text,
      ]
    }
  }

  /// An entity that is not replicated.
  struct Draft: Entity, Codable, Equatable {
    let id: Int
    var text: String
    static let schema = Schema<Draft> { \.text }
  }
}

/// An entity of a table, with a text form that both sides give.
protocol SampleEntity: Entity, Codable, Equatable {
  static var columns: [SampleColumn] { get }
  /// The id in its canonical form.
  var key: String { get }
  /// The properties in the order of the columns; nil for those without a value.
  var fields: [String?] { get }
}

extension SampleEntity {
  /// The object as text, as ``SampleTables`` reads it from the server.
  var canonical: String { fields.map { $0 ?? Canonical.null }.joined(separator: "\u{1F}") }

  static func == (left: Self, right: Self) -> Bool { left.fields == right.fields }
}
