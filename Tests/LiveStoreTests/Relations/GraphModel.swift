import LiveStore
import TestSupport

/// The entities of the oracle: every kind of link under every rule, to others and to their like.
struct Citizen: GraphNode {
  struct Home: Hashable, Sendable { var place: Ref<Place>? }

  let id: Int
  var value = 0
  var boss: Ref<Citizen>?
  var friends = RefSet<Citizen>()
  var home: Home?
  var scratch = 0

  static let schema = Schema<Citizen> {
    Property(\.value, .indexed)
    Relation(\.boss, onDelete: .cascade)
    Relation(\.friends)
    Embedded(\.home) { Relation(\.place, .owned, onDelete: .restrict) }
    Inverse("staff", of: \Citizen.boss)
    Inverse("essays", of: \Essay.author)
    Ignored(\.scratch)
  }
}

struct Place: GraphNode {
  let id: Int
  var value = 0
  var near = RefMap<Place>()

  static let schema = Schema<Place> {
    Property(\.value, .indexed)
    Relation(\.near)
    Inverse("inhabitants", of: \Citizen.home?.place)
  }
}

struct Essay: GraphNode {
  struct Part: Hashable, Sendable {
    var places = RefSet<Place>()
    var next: Ref<Essay>?
  }

  let id: Int
  var value = 0
  var author: Ref<Citizen>?
  var owner: Ref<Citizen>
  var topics = RefList<Place>()
  var roles = RefMap<Citizen>()
  var sources = RefList<Essay>()
  var demanded: Ref<Place>?
  var parts: [Part] = []

  static let schema = Schema<Essay> {
    Property(\.value, .indexed)
    Relation(\.author)
    Relation(\.owner, onDelete: .cascade)
    Relation(\.topics)
    Relation(\.roles, onDelete: .restrict)
    Relation(\.sources, onDelete: .restrict)
    Relation(\.demanded, isRequired: true)
    Embedded(each: \.parts) {
      Relation(\.places, .owned)
      Relation(\.next)
    }
  }
}

/// An object as plain Swift sees it: its links one by one, written by hand beside the schema.
protocol GraphNode: Entity, Hashable where ID == Int {
  var value: Int { get set }
  /// The object without what its schema ignores.
  var listed: Self { get }
}

extension GraphNode {
  var listed: Self { self }
}

enum GraphKind: String, CaseIterable {
  case citizen = "Citizen"
  case place = "Place"
  case essay = "Essay"
}

struct GraphLink: Hashable {
  let property: String
  let kind: GraphKind
  let target: Int
  let rule: DeleteRule
  /// Whether the target is deleted with the object.
  var isOwned = false
}

extension Citizen {
  var listed: Citizen {
    var listed = self
    listed.scratch = 0
    return listed
  }

  var links: [GraphLink] {
    var links = friends.ids.map { GraphLink(property: "friends", kind: .citizen, target: $0, rule: .nullify) }
    if let boss { links.append(GraphLink(property: "boss", kind: .citizen, target: boss.id, rule: .cascade)) }
    if let place = home?.place {
      links.append(
        GraphLink(property: "home.place", kind: .place, target: place.id, rule: .restrict, isOwned: true))
    }
    return links
  }

  mutating func lose(_ kind: GraphKind, _ id: Int) {
    if kind == .citizen { friends = RefSet(ids: friends.ids.filter { $0 != id }) }
  }
}

extension Place {
  var links: [GraphLink] {
    near.values.map { GraphLink(property: "near", kind: .place, target: $0.id, rule: .nullify) }
  }

  mutating func lose(_ kind: GraphKind, _ id: Int) {
    for name in near.keys where near[name] == Ref(id) && kind == .place { near[name] = nil }
  }
}

extension Essay {
  var links: [GraphLink] {
    var links = [GraphLink(property: "owner", kind: .citizen, target: owner.id, rule: .cascade)]
    if let author {
      links.append(GraphLink(property: "author", kind: .citizen, target: author.id, rule: .nullify))
    }
    links += topics.map { GraphLink(property: "topics", kind: .place, target: $0.id, rule: .nullify) }
    links += roles.values.map { GraphLink(property: "roles", kind: .citizen, target: $0.id, rule: .restrict) }
    links += sources.map { GraphLink(property: "sources", kind: .essay, target: $0.id, rule: .restrict) }
    if let demanded {
      links.append(GraphLink(property: "demanded", kind: .place, target: demanded.id, rule: .restrict))
    }
    for part in parts {
      links += part.places.map {
        GraphLink(property: "parts.places", kind: .place, target: $0.id, rule: .nullify, isOwned: true)
      }
      if let next = part.next {
        links.append(GraphLink(property: "parts.next", kind: .essay, target: next.id, rule: .nullify))
      }
    }
    return links
  }

  mutating func lose(_ kind: GraphKind, _ id: Int) {
    switch kind {
    case .citizen: if author?.id == id { author = nil }
    case .place:
      topics = RefList(topics.filter { $0.id != id })
      for index in parts.indices { parts[index].places.remove(Ref(id)) }
    case .essay:
      for index in parts.indices where parts[index].next?.id == id { parts[index].next = nil }
    }
  }
}

/// All objects, in insertion order, with rules done the slow way.
struct Graph: Equatable {
  var citizens: [Citizen] = []
  var places: [Place] = []
  var essays: [Essay] = []

  func ids(_ kind: GraphKind) -> [Int] {
    switch kind {
    case .citizen: citizens.map(\.id)
    case .place: places.map(\.id)
    case .essay: essays.map(\.id)
    }
  }

  /// Every object with its links.
  var all: [(kind: GraphKind, id: Int, links: [GraphLink])] {
    citizens.map { (.citizen, $0.id, $0.links) } + places.map { (.place, $0.id, $0.links) }
      + essays.map { (.essay, $0.id, $0.links) }
  }

  /// For each place a link can be in and each target, who links to it, in insertion order.
  var backlinks: [Backlink: [Int]] {
    var backlinks: [Backlink: [Int]] = [:]
    for object in all {
      for link in Set(object.links) {
        let backlink = Backlink(source: object.kind, property: link.property, target: link.target)
        backlinks[backlink, default: []].append(object.id)
      }
    }
    return backlinks
  }

  struct Backlink: Hashable {
    let source: GraphKind
    let property: String
    let target: Int
  }

  mutating func delete(_ kind: GraphKind, _ id: Int) {
    guard let object = all.first(where: { $0.kind == kind && $0.id == id }) else { return }
    switch kind {
    case .citizen: citizens.removeAll { $0.id == id }
    case .place: places.removeAll { $0.id == id }
    case .essay: essays.removeAll { $0.id == id }
    }
    for index in citizens.indices { citizens[index].lose(kind, id) }
    for index in places.indices { places[index].lose(kind, id) }
    for index in essays.indices { essays[index].lose(kind, id) }
    for object in all
    where object.links.contains(where: { $0.kind == kind && $0.target == id && $0.rule == .cascade }) {
      delete(object.kind, object.id)
    }
    for link in object.links where link.isOwned { delete(link.kind, link.target) }
  }

  /// What is wrong with it, as a store that held `before` would say: each with the codes that are right.
  func violations(after before: Graph) -> [(error: GraphError, codes: [StoreError.Code])] {
    var violations: [(GraphError, [StoreError.Code])] = []
    for object in all {
      for link in object.links where !ids(link.kind).contains(link.target) {
        let error = GraphError(
          entity: object.kind.rawValue, id: "\(object.id)", property: link.property, value: "\(link.target)")
        let isDeleted = before.ids(link.kind).contains(link.target)
        violations.append(
          (
            error,
            link.rule == .restrict && isDeleted
              ? [StoreError.deleteRestricted, StoreError.missingLinkTarget] : [StoreError.missingLinkTarget]
          ))
      }
    }
    for essay in essays where essay.demanded == nil {
      let error = GraphError(entity: "Essay", id: "\(essay.id)", property: "demanded", value: nil)
      violations.append((error, [StoreError.requiredLinkEmpty]))
    }
    return violations
  }
}

struct GraphError: Hashable {
  let entity: String?
  let id: String?
  let property: String?
  let value: String?
}
