import Foundation
import LiveStore

/// A target of links, whose ids are texts that SQLite could take for something else.
struct Team: Entity, Codable, Equatable {
  let id: String
  var name: String
  var motto: String?
  var lead: Ref<Member>?

  static let schema = Schema<Team> {
    Property(\.name, .unique)
    \.motto
    Relation(\.lead, onDelete: .nullify)
  }
}

/// Linked with teams in a circle, and with itself.
struct Member: Entity, Codable, Equatable {
  let id: UUID
  var handle: String
  var team: Ref<Team>?
  var boss: Ref<Member>?
  var friends = RefList<Member>()
  var joined: Date?
  var address: Address?

  static let schema = Schema<Member> {
    Property(\.handle, .unique)
    Relation(\.team, onDelete: .cascade)
    Relation(\.boss)
    Relation(\.friends)
    Property(\.joined, .indexed)
    \.address
  }
}

/// Links of each kind, and a text and data of any size.
struct Job: Entity, Codable, Equatable {
  let id: Int
  var text: String
  var owner: Ref<Member>?
  var parent: Ref<Job>?
  var reviewers = RefSet<Member>()
  var teams = RefMap<Team>()
  var data = Data()
  var effort: Double?

  static let schema = Schema<Job> {
    \.text
    Relation(\.owner, onDelete: .nullify)
    Relation(\.parent, onDelete: .cascade)
    Relation(\.reviewers)
    Relation(\.teams)
    \.data
    Property(\.effort, .indexed)
  }
}

/// Names that mean something in SQL.
struct Group: Entity, Codable, Equatable {
  let id: Int
  var order: Int
  var rowid: String
  var select: [String: Int]?

  static let schema = Schema<Group> {
    Property(\.order, .indexed)
    \.rowid
    \.select
  }
}
