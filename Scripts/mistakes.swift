// Mistakes that people make at first, each with what the compiler has to say to it; and beside them what must compile.
// Read by check-mistakes.py, which compiles this file as a client's.

import Foundation
import LiveStore

struct Position: Sendable { var latitude = 0.0 }
struct Size: Equatable, Sendable { var width = 0 }
enum Status: String, Sendable { case draft, published }
enum Level: String, Sendable, CaseIterable { case low, high }

struct User: Entity {
  let id: UUID
  var name: String
  static let schema = Schema<User> { \.name }
}

struct Post: Entity {
  let id: Int
  var title: String
  var nickname: String?
  var likes = 0
  var isOpen = false
  var status = Status.draft
  var level = Level.low
  var lowest: Level?
  var size = Size()
  var due: Date?
  var owner: Ref<User>?
  var editor: Ref<User>
  static let schema = Schema<Post> {
    \.title
    \.nickname
    \.likes
    \.isOpen
    \.status
    \.level
    \.lowest
    \.size
    \.due
    Relation(\.owner)
    Relation(\.editor)
  }
}

// MARK: Schemas

let isTest = true

struct BarePlace: Entity {
  let id: Int
  var position = Position()
  static let schema = Schema<BarePlace> { \.position }  // error: A listed property's type must be Equatable
}

struct IndexedPlace: Entity {
  let id: Int
  var position = Position()
  static let schema = Schema<IndexedPlace> { Property(\.position, .indexed) }  // error: A listed property's type must be Equatable
}

struct NamedPlace: Entity {
  let id: Int
  var position = Position()
  static let schema = Schema<NamedPlace> { Property(\.position, "place") }  // error: A listed property's type must be Equatable
}

struct Sometimes: Entity {
  let id: Int
  var name = ""
  var size = 0
  static let schema = Schema<Sometimes> {
    \.name
    if isTest { \.size }  // error: A schema is fixed: it lists all stored properties, without 'if' or 'switch'
  }
}

struct Either: Entity {
  let id: Int
  var name = ""
  var size = 0
  static let schema = Schema<Either> {
    if isTest {  // error: A schema is fixed: it lists all stored properties, without 'if' or 'switch'
      \.name
    } else {  // error: A schema is fixed: it lists all stored properties, without 'if' or 'switch'
      \.size
    }
  }
}

// MARK: Queries

func queries() {
  _ = Post.all.sectioned(by: \.size)  // error: so the property must be Comparable and Hashable, Bool, an enumeration with raw values that is CaseIterable, or an optional of these
  _ = Post.all.sectioned(by: \.owner)  // error: Sections stand in the order of their keys
  _ = Post.all.sectioned(by: \.status)  // error: Sections stand in the order of their keys
  _ = Post.all.sectioned { (post: Post) in post.size }  // error: so what the closure returns must be Comparable and Hashable, or an enumeration with raw values that is CaseIterable
  _ = Post.sorted(by: \.size)  // error: Rows are sorted by a property that is Comparable, Bool, an enumeration with raw values that is CaseIterable, or an optional of these
  _ = Post.all.sorted(by: \.size)  // error: Rows are sorted by a property that is Comparable
  _ = Post.sorted(by: \.status)  // error: Rows are sorted by a property that is Comparable
  _ = Post.all.grouped(by: \.size)  // error: Rows are grouped by a property of a Hashable type
  _ = Post.distinct(by: \.size)  // error: Distinct values are those of a property of a Hashable type
  _ = Post.all.distinct(by: \.size)  // error: Distinct values are those of a property of a Hashable type
  _ = Post.all.sectioned(by: \.title)
  _ = Post.all.sectioned(by: \.due)
  _ = Post.all.sectioned(by: \.isOpen)
  _ = Post.all.sectioned(by: \.owner.name)
  _ = Post.sorted(by: \.title).grouped(by: \.status)
  _ = Post.sorted(by: \.level).sorted(by: \.lowest).sorted(by: \.isOpen).sorted(by: \.due)
  _ = Post.all.sectioned(by: \.level)
  _ = Post.all.sectioned(by: \.lowest)
  _ = Post.all.sectioned { (post: Post) in post.level }
}

// MARK: Writes

extension Post {
  var summary: String { title }
  var heading: String {
    get { title }
    set { title = newValue }
  }
}

func writes(_ tx: inout WriteTransaction, post: Post) throws {
  try tx.upsert(post, keeping: \.summary)  // error: A property that is kept must be a var, or computed with a setter
  try tx.upsert(post, keeping: \.title, \.id)  // error: A property that is kept must be a var, or computed with a setter
  try tx.upsert(contentsOf: [post], keeping: \.id)  // error: A property that is kept must be a var, or computed with a setter
  try tx.insert([post])  // error: 'insert' has been renamed to 'insert(contentsOf:)'
  try tx.upsert([post])  // error: 'upsert' has been renamed to 'upsert(contentsOf:)'

  try tx.insert(contentsOf: [post])
  try tx.upsert(post, keeping: \.title)
  try tx.upsert(post, keeping: \.heading, \.size.width, \.owner)
  try tx.upsert(contentsOf: [post], keeping: \.title, \.likes)
}

// MARK: Filters

func filters(user: User, users: User?, date: Date, showsAll: Bool, shown: Set<Status>, ids: [Int]) {
  _ = Post.where { $0.likes == "ten" }  // error: The property and the value have different types
  _ = Post.where { $0.likes != 1.5 }  // error: The property and the value have different types
  _ = Post.where { $0.title == 10 }  // error: The property and the value have different types
  _ = Post.where { $0.status == "draft" }  // error: The property and the value have different types
  _ = Post.where { $0.likes > 3 && $0.title == 10 && $0.isOpen }  // error: The property and the value have different types
  _ = Post.where { $0.likes == nil }  // error: The property is not optional, so it is never nil
  _ = Post.where { $0.likes != nil }  // error: The property is not optional, so it is never nil
  _ = Post.where { $0.likes > 2.5 }  // error: An order needs a property of a Comparable type and a value of the same type
  _ = Post.where { $0.likes <= "ten" }  // error: An order needs a property of a Comparable type and a value of the same type
  _ = Post.where { $0.status < Status.published }  // error: An order needs a property of a Comparable type and a value of the same type
  _ = Post.where { 10 == $0.likes }  // error: Write the property first
  _ = Post.where { 10 < $0.likes }  // error: Write the property first
  _ = Post.where { $0.title.lowercased() == "x" }  // error: Compare text regardless of case by contains
  _ = Post.where { ($0.nickname ?? $0.title) == "x" }  // error: A value stands in for a missing one
  _ = Post.where { $0.title.hasPrefix("a") }  // error: 'hasPrefix(_:options:)' has been renamed to 'beginsWith(_:options:)'
  _ = Post.where { $0.title.hasSuffix("z") }  // error: 'hasSuffix(_:options:)' has been renamed to 'endsWith(_:options:)'
  _ = Post.filter(#Predicate { $0.likes > 3 })  // error: has been renamed to 'where(_:)'
  _ = Post.all.filter(#Predicate { $0.likes > 3 })  // error: has been renamed to 'where(_:)'
  _ = Post.where { shown.contains($0.status) }  // error: Write the row's value first: $0.status.in(shown).
  _ = Post.where { [.draft, .published].contains($0.status) && $0.isOpen }  // error: Write the row's value first: $0.status.in(shown).
  _ = Post.where { (1...5).contains($0.likes) && ids.contains($0.id) }  // error: Write the row's value first: $0.status.in(shown).
  _ = Post.where { !(date...).contains($0.due) }  // error: Write the row's value first: $0.status.in(shown).
  _ = Post.where { $0.titel == "x" }  // error: has no dynamic member 'titel'
  _ = Post.where { $0.title }  // error: cannot convert value of type '(Row<Post>) -> Expr<String>' to expected argument type '(Row<Post>) -> Expr<Bool>'

  _ = Post.where { $0.isOpen || showsAll }
  _ = Post.where { showsAll || $0.isOpen && $0.likes > 3 }
  _ = Post.where { $0.isOpen && !showsAll }
  _ = Post.where { $0.status.in(shown) && $0.status.in([.draft, .published]) }
  _ = Post.where { $0.id.in(ids) && $0.likes.in(1...5) && !$0.due.in(date...) && $0.due.in(Set([date])) }
  _ = Post.where { $0.owner == user.id || $0.editor == user.id }
  _ = Post.where { $0.owner == user || $0.owner != users || $0.editor != user || $0.owner == users?.id }
  _ = Post.where { $0.owner == nil || $0.due == nil || $0.owner == user.ref }
  _ = Post.where { ($0.due ?? date) < date && ($0.nickname ?? "?") == "x" }
  _ = Post.where { $0.title.beginsWith("a") || $0.nickname.endsWith("z") }
  _ = Post.sorted(by: \.title).sorted { $0.due ?? date }
}
